-- @function ff_read_summary
-- @keys stream_summary [stream_meta]
-- @argv
-- @reply {1,"OK",document,version,patch_kind,last_updated_ms,first_applied_ms,[closed_at,closed_reason]}
-- @refuses invalid_input
-- @repeat reads only
registry.add_read_only("ff_read_summary", 1, 0, function(given)
    local tag, e, index = string.match(given[1], "^ff:attempt:({[^}]*}):(.+):(%d+):summary$")
    if not tag then args.refuse("KEYS[1]", "not a summary") end
    local stored = call("HMGET", given[1], "document", "version", "patch_kind", "last_updated_ms", "first_applied_ms")
    local reply = {1, "OK", stored[1] or "", stored[2] or "0", stored[3] or "", stored[4] or "0", stored[5] or "0"}
    if is_set(given[2]) and not string.find(given[2], "^ff:noop:") then
        local meta = call("HMGET", keys.stream_meta(tag, e, index), "closed_at", "closed_reason")
        reply[8], reply[9] = meta[1] or "", meta[2] or ""
    end
    return reply
end)
