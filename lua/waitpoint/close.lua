-- @function ff_close_waitpoint
-- @keys exec_core [older...]
-- @argv waitpoint_id reason
-- @reply {1,"OK"}
-- @reply {1,"OK","already_closed"}
-- @reply {1,"OK","not_pending"}
-- @reply {1,"OK","not_yet_due"}
-- @refuses invalid_input waitpoint_not_found waitpoint_not_open
-- @repeat already_closed
local REASON_MAX = 256

-- Nothing is left to expire.
local function unlist(u, id)
    unit.zrem(u, keys.index(u.tag, "pending_waitpoint_expiry"), id)
    unit.commit(u)
end

-- The expiry scan: only a pending waitpoint whose time has come.
local function expire(u, id, record)
    if record.state ~= "pending" then
        unlist(u, id)
        return {1, "OK", "not_pending"}
    end
    if number_of(record.expires_at) > u.now then return {1, "OK", "not_yet_due"} end
    waitpoint.abandon(u, id, "expired", "never_committed")
    unit.commit(u)
    return {1, "OK"}
end

registry.add("ff_close_waitpoint", 1, 2, function(given, argv)
    local tag = args.tag(given[1])
    local id = waitpoint.id(argv, 1, "waitpoint_id")
    local reason = args.cut(argv[2] ~= "" and argv[2] or "proactive_close", REASON_MAX)
    local u = unit.open(tag)
    local record = waitpoint.load(tag, id)
    if not record then
        unlist(u, id)
        refuse("waitpoint_not_found")
    end
    if record.state == "closed" or record.state == "expired" then
        unlist(u, id)
        return {1, "OK", "already_closed"}
    end
    if not waitpoint.is_open(record) then refuse("waitpoint_not_open") end
    if reason == "never_committed" then return expire(u, id, record) end
    if record.state == "pending" then
        waitpoint.abandon(u, id, "closed", reason)
    else
        waitpoint.close(u, id, {reason = reason})
    end
    unlist(u, id)
    return {1, "OK"}
end)
