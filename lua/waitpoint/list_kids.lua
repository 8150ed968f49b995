-- @function ff_list_waitpoint_hmac_kids
-- @keys secrets
-- @argv
-- @reply {1,"OK",current_kid,n,[kid,expires_at]...}
-- @refuses invalid_input
-- @repeat reads only
registry.add_read_only("ff_list_waitpoint_hmac_kids", 1, 0, function(given)
    local tag = args.tag(given[1])
    local now = unit.open(tag).now
    local stored = hash(keys.secrets(tag)) or {}
    local current = stored.current_kid or ""
    local kids = {}
    for field in each(stored) do
        local kid = string.match(field, "^secret:(.*)$")
        if kid and kid ~= current and not token.is_expired(stored["expires_at:" .. kid], now) then
            kids[#kids + 1] = kid
        end
    end
    table.sort(kids, bytes.less)
    local reply = {1, "OK", current, text(#kids)}
    for _, kid in ipairs(kids) do
        reply[#reply + 1] = kid
        reply[#reply + 1] = stored["expires_at:" .. kid]
    end
    return reply
end)
