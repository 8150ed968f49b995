-- @function ff_cancel_flow_members
-- @keys flow_core [older...]
-- @argv flow_id [max_members] [cursor]
-- @reply {1,"OK",owed,cursor,cancelled,already_terminal,not_found,draining,failed,failed_id...}
-- @refuses invalid_input flow_not_found flow_not_cancelled
-- @repeat goes on with what is still owed
local MEMBERS_DEFAULT, MEMBERS_MAX = 100, 500
local RETRY_MS, RETRY_MAX_MS = 15000, 600000

local function has_started(c)
    return c.lifecycle_phase ~= "runnable"
        or (c.attempt_state == "attempt_interrupted" and c.eligibility_state ~= "blocked_by_dependencies")
end

local function cancel(u, e, mode, reason)
    if not flow.is_id_of(u.tag, e) then return "not_found" end
    if mode == "cancel_pending" then
        local c = core.load(u.tag, e)
        if c and c.lifecycle_phase ~= "terminal" and has_started(c) then return "draining" end
    end
    return sibling.cancel(u.tag, u.now, e, reason)
end

local function next_try(u, key, tally)
    if tally.failed == 0 then return u.now + RETRY_MS end
    local attempts = number_of(flow_core.get(key, "cancel_attempts"))
    call("HSET", key, flow_core.name("cancel_attempts"), text(attempts + 1))
    return u.now + math.min(RETRY_MS * 2 ^ math.min(attempts, 16), RETRY_MAX_MS)
end

-- Cancels one page; returns the counts by disposition, the failed ids and the cursor.
local function cancel_page(u, owed, cursor, most, mode, reason)
    local page = call("SSCAN", owed, cursor, "COUNT", most)
    local tally = {cancelled = 0, already_terminal = 0, not_found = 0, draining = 0, failed = 0}
    local failed = {}
    for _, e in ipairs(page[2]) do
        local word = cancel(u, e, mode, reason)
        tally[word] = tally[word] + 1
        if word == "failed" then
            failed[#failed + 1] = e
        elseif word ~= "draining" then
            call("SREM", owed, e)
        end
    end
    return tally, failed, page[1]
end

registry.add("ff_cancel_flow_members", 1, 1, function(given, argv)
    local tag, flow_id = flow.of(given, argv, 1)
    local most = args.optional_integer(argv, 2, "max_members", 1, MEMBERS_MAX) or MEMBERS_DEFAULT
    local cursor = text(args.optional_integer(argv, 3, "cursor", 0) or 0)
    local u = unit.open(tag)
    local owed, backlog = keys.flow(tag, flow_id, "pending_cancels"), keys.index(tag, "cancel_backlog")
    local f = flow.load(tag, flow_id)
    if not f then
        call("DEL", owed)
        call("ZREM", backlog, flow_id)
        refuse("flow_not_found")
    end
    if f.cancel_mode == "" then refuse("flow_not_cancelled") end
    local reason = call("HGET", given[1], "cancel_reason") or ""
    local tally, failed, next_cursor = cancel_page(u, owed, cursor, most, f.cancel_mode, reason)
    local left = call("SCARD", owed)
    if left == 0 then
        flow_cancel.settled(u, flow_id)
        next_cursor = "0"
    elseif tally.failed + tally.draining > 0 then
        call("ZADD", backlog, next_try(u, given[1], tally), flow_id)
    end
    return {
        1, "OK", text(left), next_cursor, text(tally.cancelled), text(tally.already_terminal), text(tally.not_found),
        text(tally.draining), text(tally.failed), unpack(failed),
    }
end)
