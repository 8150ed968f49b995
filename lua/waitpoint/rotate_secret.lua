-- @function ff_rotate_waitpoint_hmac_secret
-- @keys secrets [rotate_lock]
-- @argv new_kid new_secret_hex grace_ms [lock_token]
-- @reply {1,"OK","rotated",previous_kid,new_kid,collected}
-- @reply {1,"OK","noop",new_kid}
-- @refuses invalid_input invalid_kid invalid_secret_hex invalid_grace_ms rotation_conflict
-- @repeat noop
local function same_secret(a, b)
    return string.lower(a) == string.lower(b)
end

-- Step 2: the kid is current already.
local function confirm(secrets, stored, kid, secret)
    local known = stored["secret:" .. kid]
    if is_set(known) and not same_secret(known, secret) then refuse("rotation_conflict", kid) end
    if not is_set(known) then call("HSET", secrets, "secret:" .. kid, secret) end
    call("HDEL", secrets, "expires_at:" .. kid)
    return {1, "OK", "noop", kid}
end

-- Former kids whose time is over, as a set with their number.
local function collectable(stored, current, now)
    local found, count = {}, 0
    for field in each(stored) do
        local kid = string.match(field, "^secret:(.*)$") or string.match(field, "^expires_at:(.*)$")
        if kid and kid ~= current and not found[kid] and token.is_expired(stored["expires_at:" .. kid], now) then
            found[kid] = true
            count = count + 1
        end
    end
    return found, count
end

local function promote(secrets, stored, kid, secret, grace, now)
    local current = stored.current_kid or ""
    local gone, count = collectable(stored, current, now)
    local known = stored["secret:" .. kid]
    if is_set(known) and not gone[kid] and not same_secret(known, secret) then refuse("rotation_conflict", kid) end
    for old in each(gone) do
        call("HDEL", secrets, "secret:" .. old, "expires_at:" .. old)
    end
    if current == "" then
        call("HSET", secrets, "current_kid", kid, "secret:" .. kid, secret)
    else
        local expires_at = text(math.min(now + grace, args.INTEGER_MAX))
        call("HSET", secrets, "current_kid", kid, "secret:" .. kid, secret, "previous_kid", current,
            "previous_expires_at", expires_at, "expires_at:" .. current, expires_at)
    end
    call("HDEL", secrets, "expires_at:" .. kid)
    return {1, "OK", "rotated", current, kid, text(count)}
end

local function rotate(given, argv)
    local tag = token.tag_of(given)
    local kid, secret = argv[1], argv[2]
    if not token.is_kid(kid) then refuse("invalid_kid") end
    if not token.secret_bytes(secret) then refuse("invalid_secret_hex") end
    local grace = args.to_integer(argv[3])
    if not grace or grace < 0 then refuse("invalid_grace_ms") end
    local u = unit.open(tag)
    local secrets = keys.secrets(tag)
    local stored = hash(secrets) or {}
    if stored.current_kid == kid then return confirm(secrets, stored, kid, secret) end
    return promote(secrets, stored, kid, secret, grace, u.now)
end

-- Whoever holds the lock gives it back, whatever came of the rotation.
local function release_lock(given, lock_token)
    if not is_set(lock_token) or not is_set(given[2]) or string.find(given[2], "^ff:noop:") then return end
    local lock = keys.rotate_lock(args.tag(given[1]))
    if try("GET", lock) == lock_token then call("DEL", lock) end
end

registry.add("ff_rotate_waitpoint_hmac_secret", 1, 3, function(given, argv)
    local reply = registry.answer(rotate, given, argv)
    release_lock(given, argv[4])
    return reply
end)
