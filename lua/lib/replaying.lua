-- Running a finished execution again (chapter 02 section 8.17, chapter 05 section 5.9): first every check,
-- then the writes, so that a subgraph is replayed whole or not at all.
local replaying = {}

local REPLAY_CAP = 10

-- What the new run must not inherit.
local CLEARED = {
    "completed_at", "failure_reason", "failure_category", "cancellation_reason", "cancelled_by",
    "progress_pct", "progress_message", "progress_updated_at", "fallback_index",
    "skip_reason", "skip_cause_execution_id", "skip_cause_edge_id", "skip_root_execution_id",
}

-- What each edge that is not satisfied becomes when its child runs again; nil for no change.
local function reopened(tag, dep)
    local up = try("HMGET", keys.core(tag, dep.upstream), "lifecycle_phase", "terminal_outcome", "replay_count", "purging")
    if up.err or not up[1] or is_set(up[4]) then return nil end
    local replays = number_of(up[3])
    if up[1] ~= "terminal" then return "unsatisfied", replays end
    if dependency.vote(dep.kind, up[2]) then return "satisfied", replays, up[2] end
    return "unsatisfied", replays + 1
end

-- The edges of a member whose dependencies had failed it, looked at again: {list, states, tally}.
local function review(tag, e, c)
    local list, states = {}, {}
    for _, edge_id in ipairs(call("SMEMBERS", keys.deps_all_edges(tag, e))) do
        local dep = dependency.load(tag, e, edge_id)
        if dep and dep.state ~= "satisfied" then
            local state, replays, outcome = reopened(tag, dep)
            if state then
                list[#list + 1] = {id = edge_id, dep = dep, state = state, replays = replays, outcome = outcome}
                states[edge_id] = state
            end
        end
    end
    local tally = edge_tally.of(tag, c.flow_id, e, states)
    if tally.state == "impossible" then refuse("deps_still_impossible") end
    return {list = list, tally = tally}
end

-- The edges of a member that was not skipped: nil while its gate is open. Edges that were applied after its end have
-- closed the gate of a group that was satisfied then, and a group that has fired decides nothing any more.
local function look_again(tag, e, c)
    local gate = flow.gate(tag, e, c)
    if gate == "open" then return nil end
    local tally = gate == "closed" and edge_tally.of(tag, c.flow_id, e)
    if not tally or tally.state == "impossible" then return review(tag, e, c) end
    return {list = {}, tally = tally}
end

-- Refuses, or returns what replaying.write needs.
function replaying.check(tag, e)
    local c = core.require(tag, e)
    if c.lifecycle_phase ~= "terminal" then refuse("execution_not_terminal") end
    flow.check_replay(tag, c)
    local stored = policy.stored(tag, e)
    local cap = policy.number(stored, "max_replay_count") or REPLAY_CAP
    if number_of(c.replay_count) >= cap then refuse("max_replays_exhausted", text(cap)) end
    local plan = {e = e, c = c, stored = stored, was_skipped = c.terminal_outcome == "skipped"}
    if is_set(c.flow_id) then
        plan.edges = (plan.was_skipped and review or look_again)(tag, e, c)
    end
    return plan
end

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
        unit.due(u, "execution_deadline", due)
    elseif is_set(c.execution_deadline_at) then
        set.execution_deadline_at = ""
    end
end

local function announce(u, e, c, set, kind)
    local count = text(set.replay_count)
    lease_history.append(u, e, c, set, "replay_initiated", "", {"replay_count", count, "replay_type", kind})
    feed.operator(u, e, c, "replayed", {replay_count = set.replay_count, replay_type = kind})
end

local EDGE_STATES = {unsatisfied = "pending", satisfied = "satisfied"}

local function reopen_edge(u, e, c, edge, set)
    local is_open = edge.state == "unsatisfied"
    unit.hset(u, keys.dep(u.tag, e, edge.id), {
        state = edge.state, min_upstream_replay = is_open and edge.replays or "",
        last_resolved_at = is_open and "" or u.now, upstream_outcome = edge.outcome or "",
        upstream_replay_count = is_open and "" or edge.replays,
    })
    local edge_key = keys.flow(u.tag, c.flow_id, "edge:" .. edge.id)
    if call("EXISTS", edge_key) == 1 then
        unit.hset(u, edge_key, {edge_state = EDGE_STATES[edge.state]})
    end
    if is_open then
        unit.sadd(u, keys.deps_unresolved(u.tag, e), edge.id)
        return
    end
    unit.srem(u, keys.deps_unresolved(u.tag, e), edge.id)
    local _, length = dependency.pass_data(u, e, edge.id, edge.dep)
    if length then set.payload_len = length end
end

local function reopen(u, e, c, edges, set)
    for _, edge in ipairs(edges.list) do
        reopen_edge(u, e, c, edge, set)
    end
    edge_tally.write(u, c.flow_id, e, edges.tally)
    if not edges.tally.group_exists then return end
    unit.after(u, function()
        sibling.clear(u.tag, c.flow_id, e)
    end)
end

-- Collects the writes of a checked replay; returns the unsatisfied edges and the public state.
function replaying.write(u, plan, reason, requested_by, keeps_steps)
    local e, c = plan.e, plan.c
    local set = core.change(u, e, c)
    for i = 1, #CLEARED do
        if is_set(c[CLEARED[i]]) then set[CLEARED[i]] = "" end
    end
    if not keeps_steps then
        steps.drop(u, e, c, set)
        calls.drop(u, e, c, set)
    end
    set.replay_count = number_of(c.replay_count) + 1
    set.retry_count = 0
    set.lease_reclaim_count = 0
    set.pending_replay_reason = reason
    set.pending_replay_requested_by = requested_by
    set.pending_previous_attempt_index = c.current_attempt_index or ""
    set.pending_replay_attempt = "1"
    unit.zrem(u, keys.lane(u.tag, c.lane_id, "terminal"), e)
    unit.zrem(u, keys.index(u.tag, "retention_due"), e)
    rearm(u, e, c, set, plan.stored)
    local gate, unsatisfied
    if plan.edges then
        reopen(u, e, c, plan.edges, set)
        gate = plan.edges.tally.state == "satisfied" and "open" or "closed"
        unsatisfied = plan.edges.tally.unsatisfied
    end
    local state = placement.place(u, e, c, set, {
        attempt_state = "pending_replay_attempt", delay_until = 0, gate = gate,
    })
    announce(u, e, c, set, plan.was_skipped and is_set(c.flow_id) and "skipped_flow_member" or "normal")
    if is_set(c.flow_id) then flow.revived(u, e, c) end
    return state == "waiting_children" and unsatisfied or 0, state
end

return replaying
