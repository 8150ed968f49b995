-- @function ff_replay_execution
-- @keys exec_core terminal eligible lease_history [blocked_deps] [deps_meta] [deps_unresolved] [dep]...
-- @argv execution_id now_ms [edge_id]... [reason] [requested_by]
-- @reply {1,"OK",unsatisfied,public_state}
-- @refuses invalid_input execution_not_found execution_not_terminal flow_already_terminal max_replays_exhausted deps_still_impossible
-- @repeat execution_not_terminal: not safe to send again
local REPLAY_CAP = 10
local REASON_MAX = 4096
local EDGES_AFTER_KEY = 7

-- What the new run must not inherit.
local CLEARED = {
    "completed_at", "failure_reason", "failure_category", "cancellation_reason", "cancelled_by",
    "progress_pct", "progress_message", "progress_updated_at", "fallback_index",
    "skip_reason", "skip_cause_execution_id", "skip_cause_edge_id", "skip_root_execution_id",
}

-- A duration starts again, a point in time counts only while it lies ahead.
local function deadline(u, c, stored)
    local by_policy = policy.number(policy.object(stored, "timeout_policy"), "execution_deadline_ms")
    if by_policy and by_policy > 0 and by_policy < policy.DURATION_BELOW then return u.now + by_policy end
    local armed = number_of(c.execution_deadline_at)
    return armed > u.now and armed or nil
end

local function rearm(u, e, c, set, stored)
    local due = deadline(u, c, stored)
    if due then
        set.execution_deadline_at = due
        unit.zadd(u, keys.index(u.tag, "execution_deadline"), due, e)
    elseif is_set(c.execution_deadline_at) then
        set.execution_deadline_at = ""
    end
end

local function announce(u, e, c, set, kind)
    local count = text(set.replay_count)
    lease.write_history(u, e, "replay_initiated", "", {"replay_count", count, "replay_type", kind})
    feed.operator(u, e, c, "replayed", {replay_count = set.replay_count, replay_type = kind})
end

registry.add("ff_replay_execution", 4, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    args.optional_integer(argv, 2, "now_ms")
    local edges = math.max(0, #given - EDGES_AFTER_KEY)
    local reason = args.cut(args.text(argv, 3 + edges), REASON_MAX)
    local requested_by = args.cut(args.text(argv, 4 + edges), REASON_MAX)
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.lifecycle_phase ~= "terminal" then refuse("execution_not_terminal") end
    flow.check_replay(tag, c)
    local stored = policy.stored(tag, e)
    local cap = policy.number(stored, "max_replay_count") or REPLAY_CAP
    if number_of(c.replay_count) >= cap then refuse("max_replays_exhausted", text(cap)) end
    if flow.gate(tag, e, c) == "impossible" then refuse("deps_still_impossible") end
    local set = core.change(u, e, c)
    for i = 1, #CLEARED do
        if is_set(c[CLEARED[i]]) then set[CLEARED[i]] = "" end
    end
    set.replay_count = number_of(c.replay_count) + 1
    set.retry_count = 0
    set.lease_reclaim_count = 0
    set.pending_replay_reason = reason
    set.pending_replay_requested_by = requested_by
    set.pending_previous_attempt_index = c.current_attempt_index or ""
    set.pending_replay_attempt = "1"
    unit.zrem(u, keys.lane(tag, c.lane_id, "terminal"), e)
    unit.zrem(u, keys.index(tag, "retention_due"), e)
    rearm(u, e, c, set, stored)
    local state = placement.place(u, e, c, set, {attempt_state = "pending_replay_attempt", delay_until = 0})
    announce(u, e, c, set, "normal")
    if is_set(c.flow_id) then flow.revived(u, e, c) end
    unit.commit(u)
    return {1, "OK", "0", state}
end)
