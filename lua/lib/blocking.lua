-- Admission blocks (chapter 06 section 8): runnable work held back by a budget, a quota, missing
-- capabilities, an operator or the state of its lane.
local blocking = {}

local BY_REASON = {
    waiting_for_budget = {"blocked_by_budget", "blocked:budget"},
    waiting_for_quota = {"blocked_by_quota", "blocked:quota"},
    waiting_for_capable_worker = {"blocked_by_route", "blocked:route"},
    waiting_for_locality_match = {"blocked_by_route", "blocked:route"},
    paused_by_operator = {"blocked_by_operator", "blocked:operator"},
    paused_by_policy = {"blocked_by_lane_state", "blocked:operator"},
}

local IS_BLOCK = {
    blocked_by_budget = true,
    blocked_by_quota = true,
    blocked_by_route = true,
    blocked_by_operator = true,
    blocked_by_lane_state = true,
}

-- The lane index of a blocking reason; nil for a reason that is not an admission block.
function blocking.index(reason)
    local block = BY_REASON[reason]
    return block and block[2]
end

-- Whether a key is a lane's index of admission blocks.
function blocking.is_index(tag, key)
    local prefix = "ff:idx:" .. tag .. ":lane:"
    local kind = string.match(key, ":(blocked:%a+)$")
    if string.sub(key, 1, #prefix) ~= prefix then return false end
    for _, block in each(BY_REASON) do
        if block[2] == kind then return true end
    end
    return false
end

function blocking.is_blocked(c)
    return c.lifecycle_phase == "runnable" and IS_BLOCK[c.eligibility_state] or false
end

-- Whether admission may hold this work back: work waiting for dependencies or time must not be
-- relabelled, or unblocking would start it early.
function blocking.may_block(c)
    return c.lifecycle_phase == "runnable"
        and (c.eligibility_state == "eligible_now" or IS_BLOCK[c.eligibility_state] or false)
end

-- Moves runnable work to the block of `reason`. Blocked there already, it keeps its place.
function blocking.block(u, e, c, reason, detail, ref)
    local block = BY_REASON[reason]
    local index = block[2]
    local set = core.change(u, e, c)
    vector.runnable(u, set, block[1], reason, detail)
    set.blocking_ref = ref
    if vector.lane_index(c) ~= index then
        placement.leave(u, e, c)
        unit.zadd(u, keys.lane(u.tag, c.lane_id, index), u.now, e)
        if index == "blocked:route" then route.enter(u, e, c, set) end
    end
    if index == "blocked:route" then
        set.last_capability_mismatch_at = u.now
        wake.note(u, c.lane_id, c.execution_kind)
    end
end

-- Whether an unblock that expects `reason` and `ref` (empty = any) concerns this work.
function blocking.may_unblock(c, reason, ref)
    return blocking.is_blocked(c) and c.blocking_reason ~= "paused_by_flow_cancel"
        and (reason == "" or reason == c.blocking_reason)
        and (ref == "" or ref == c.blocking_ref)
end

function blocking.unblock(u, e, c)
    local set = core.change(u, e, c)
    set.blocking_ref = ""
    placement.leave(u, e, c)
    placement.place(u, e, c, set, {})
end

return blocking
