-- The state vector (chapter 02 section 4): its seven fields are always written together.
local vector = {}

local PUBLIC_OF_ELIGIBILITY = {
    eligible_now = "waiting",
    not_eligible_until_time = "delayed",
    blocked_by_dependencies = "waiting_children",
    blocked_by_budget = "rate_limited",
    blocked_by_quota = "rate_limited",
}

local LANE_INDEX_OF_ELIGIBILITY = {
    eligible_now = "eligible",
    not_eligible_until_time = "delayed",
    blocked_by_dependencies = "blocked:dependencies",
    blocked_by_budget = "blocked:budget",
    blocked_by_quota = "blocked:quota",
    blocked_by_route = "blocked:route",
    blocked_by_lane_state = "blocked:operator",
    blocked_by_operator = "blocked:operator",
}

local DETAIL_MAX = 512

-- Section 4.1. Never fails: a corrupt vector has a public state too.
function vector.public_state(c)
    local phase = c.lifecycle_phase
    if phase == "terminal" then
        local outcome = c.terminal_outcome
        if outcome == "success" then return "completed" end
        if not is_set(outcome) or outcome == "none" then return "failed" end
        return outcome
    end
    if phase == "suspended" or phase == "active" then return phase end
    return PUBLIC_OF_ELIGIBILITY[c.eligibility_state] or "waiting"
end

-- The lane index that holds an execution with this vector (section 4.4).
function vector.lane_index(c)
    if c.lifecycle_phase == "runnable" then return LANE_INDEX_OF_ELIGIBILITY[c.eligibility_state] end
    return c.lifecycle_phase
end

local function write(u, set, phase, ownership, eligibility, reason, detail)
    set.lifecycle_phase = phase
    set.ownership_state = ownership
    set.eligibility_state = eligibility
    set.blocking_reason = reason
    set.blocking_detail = args.cut(detail or "", DETAIL_MAX)
    set.terminal_outcome = "none"
    set.last_transition_at = u.now
    set.public_state = vector.public_state(set)
end

-- L1 to L8. The attempt state decides how the next claim works; nil leaves it as it is.
function vector.runnable(u, set, eligibility, reason, detail, attempt_state)
    write(u, set, "runnable", "unowned", eligibility, reason, detail)
    set.attempt_state = attempt_state
end

-- L9
function vector.leased(u, set)
    write(u, set, "active", "leased", "not_applicable", "none")
    set.attempt_state = "running_attempt"
end

-- L10 and L11: the lease is lost, the attempt waits for another worker.
function vector.lost(u, set, ownership, detail)
    write(u, set, "active", ownership, "not_applicable", "waiting_for_worker", detail)
    set.attempt_state = "attempt_interrupted"
end

-- L12
function vector.suspended(u, set, reason, detail)
    write(u, set, "suspended", "unowned", "not_applicable", reason, detail)
    set.attempt_state = "attempt_interrupted"
end

-- L13 to L17; `c` is the core before.
function vector.terminal(u, set, c, outcome)
    write(u, set, "terminal", "unowned", "not_applicable", "none")
    set.terminal_outcome = outcome
    set.public_state = vector.public_state(set)
    if number_of(c.total_attempt_count) > 0 then
        set.attempt_state = "attempt_terminal"
    else
        set.attempt_state = outcome == "skipped" and "none" or "pending_first_attempt"
    end
end

return vector
