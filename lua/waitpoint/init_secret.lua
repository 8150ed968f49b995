-- @function ff_init_waitpoint_hmac_secret
-- @keys secrets
-- @argv kid secret_hex
-- @reply {1,"OK","installed",current_kid}
-- @reply {1,"OK","repaired",current_kid}
-- @reply {1,"OK","match",current_kid}
-- @reply {1,"OK","mismatch",current_kid}
-- @refuses invalid_input invalid_kid invalid_secret_hex
-- @repeat match
registry.add("ff_init_waitpoint_hmac_secret", 1, 2, function(given, argv)
    local secrets = keys.secrets(token.tag_of(given))
    local kid, secret = argv[1], argv[2]
    if not token.is_kid(kid) then refuse("invalid_kid") end
    if not token.secret_bytes(secret) then refuse("invalid_secret_hex") end
    local current = call("HGET", secrets, "current_kid")
    if not is_set(current) then
        call("HSET", secrets, "current_kid", kid, "secret:" .. kid, secret)
        return {1, "OK", "installed", kid}
    end
    local stored = call("HGET", secrets, "secret:" .. current)
    if not is_set(stored) then
        call("HSET", secrets, "secret:" .. current, secret)
        return {1, "OK", "repaired", current}
    end
    return {1, "OK", string.lower(stored) == string.lower(secret) and "match" or "mismatch", current}
end)
