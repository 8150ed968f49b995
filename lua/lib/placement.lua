-- Where runnable work goes (chapter 05 section 5.4.1, chapter 06 section 13).
local placement = {}

local PRIORITY_MAX = 9000
local PRIORITY_WEIGHT = 1000000000000

function placement.clamp(priority)
    return math.max(0, math.min(PRIORITY_MAX, priority))
end

-- The lowest score runs first: higher priority, then older.
function placement.score(priority, created_at)
    return created_at - number_of(priority) * PRIORITY_WEIGHT
end

-- The only way into an eligible index. `set`: the fields of its core.
function placement.enter_eligible(u, e, c, set)
    local score = placement.score(c.priority, number_of(c.created_at))
    unit.zadd(u, keys.lane(u.tag, c.lane_id, "eligible"), score, e)
    unit.sadd(u, keys.lane(u.tag, c.lane_id, "eligible_ns"), c.namespace or "")
    wake.note(u, c.lane_id, c.execution_kind)
    kind_queue.enter_eligible(u, e, c, set, score)
end

-- Takes E out of the lane index of the vector it leaves.
function placement.leave(u, e, c)
    local index = vector.lane_index(c)
    if not index then return end
    unit.zrem(u, keys.lane(u.tag, c.lane_id, index), e)
    if index == "eligible" then kind_queue.leave_eligible(u, e, c) end
    if index == "blocked:route" then route.leave(u, e, c) end
end

-- Writes the vector of work that becomes runnable and puts it into its index; the caller has taken it
-- out of the old one. `options`: attempt_state (nil keeps it), delay_until (a time, or nil for the one
-- of the core), delay_reason and delay_detail, blocked_detail, gate (when the caller has just decided
-- it). Returns the public state.
-- A member whose dependencies can no longer be met is skipped instead.
function placement.place(u, e, c, set, options)
    local gate = options.gate or flow.gate(u.tag, e, c)
    if gate == "impossible" then
        finish.skip(u, e, c, set)
        return "skipped"
    end
    local delay_until = options.delay_until or number_of(c.delay_until)
    if gate == "closed" then
        vector.runnable(u, set, "blocked_by_dependencies", "waiting_for_children",
            options.blocked_detail or "waiting for dependencies", options.attempt_state)
        set.delay_until = delay_until > u.now and delay_until or ""
        unit.zadd(u, keys.lane(u.tag, c.lane_id, "blocked:dependencies"), number_of(c.created_at), e)
    elseif delay_until > u.now then
        vector.runnable(u, set, "not_eligible_until_time", options.delay_reason or "waiting_for_delay",
            options.delay_detail or ("delayed until " .. text(delay_until)), options.attempt_state)
        set.delay_until = delay_until
        unit.zadd(u, keys.lane(u.tag, c.lane_id, "delayed"), delay_until, e)
        unit.due(u, "delayed", delay_until, c.lane_id)
    else
        vector.runnable(u, set, "eligible_now", "waiting_for_worker", "", options.attempt_state)
        set.delay_until = ""
        placement.enter_eligible(u, e, c, set)
    end
    return set.public_state
end

return placement
