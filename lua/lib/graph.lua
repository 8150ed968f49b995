-- Members and edges of a flow: their records, the gate of a child, cycles (chapter 05 section 5.5).
local graph = {}

graph.MEMBERS_MAX = 100000
local WALK_MAX = 10000

function graph.is_member(tag, flow_id, e)
    return call("SISMEMBER", keys.flow(tag, flow_id, "members"), e) == 1
end

-- Collects the record of a new member; the caller counts it.
function graph.add_member(u, flow_id, e, fields)
    fields.added_at = u.now
    unit.sadd(u, keys.flow(u.tag, flow_id, "members"), e)
    unit.hset(u, keys.flow(u.tag, flow_id, "member:" .. e), fields)
end

-- `edge`: id, flow_id, upstream, downstream, kind, ref.
function graph.add_edge(u, edge)
    local tag, flow_id = u.tag, edge.flow_id
    unit.hset(u, keys.flow(tag, flow_id, "edge:" .. edge.id), {
        edge_id = edge.id, flow_id = flow_id, upstream_execution_id = edge.upstream,
        downstream_execution_id = edge.downstream, dependency_kind = edge.kind,
        satisfaction_condition = "all_required", data_passing_ref = edge.ref, edge_state = "pending",
        created_at = u.now, created_by = "engine",
    })
    unit.sadd(u, keys.flow(tag, flow_id, "out:" .. edge.upstream), edge.id)
    unit.sadd(u, keys.flow(tag, flow_id, "in:" .. edge.downstream), edge.id)
end

-- The child's side of an edge.
function graph.add_dependency(u, edge)
    unit.hset(u, keys.dep(u.tag, edge.downstream, edge.id), {
        edge_id = edge.id, flow_id = edge.flow_id, upstream_execution_id = edge.upstream,
        downstream_execution_id = edge.downstream, dependency_kind = edge.kind, state = "unsatisfied",
        data_passing_ref = edge.ref, applied_at = u.now,
    })
    unit.sadd(u, keys.deps_unresolved(u.tag, edge.downstream), edge.id)
    unit.sadd(u, keys.deps_all_edges(u.tag, edge.downstream), edge.id)
end

function graph.edge_field(tag, flow_id, edge_id, field)
    return call("HGET", keys.flow(tag, flow_id, "edge:" .. edge_id), field)
end

-- A decided any_of or quorum group takes no further edge.
function graph.check_group(tag, flow_id, child)
    local group = edge_group.load(tag, flow_id, child)
    if group and group.variant ~= "all_of" and group.state ~= "pending" then refuse("group_already_terminal") end
    return group
end

-- Makes runnable work wait: out of its index, out of a grant's reach.
local function gate_child(u, child, c)
    if c.eligibility_state == "blocked_by_dependencies" then return end
    local set = core.change(u, child, c)
    placement.leave(u, child, c)
    vector.runnable(u, set, "blocked_by_dependencies", "waiting_for_children", "waiting for dependencies")
    if is_set(c.blocking_ref) then set.blocking_ref = "" end
    if number_of(c.grant_until) >= u.now then
        set.grant_until = ""
        unit.del(u, keys.claim_grant(u.tag, child))
    end
    unit.zadd(u, keys.lane(u.tag, c.lane_id, "blocked:dependencies"), number_of(c.created_at), child)
end

local function count_in_group(u, edge, child, c)
    local key = edge_group.key(u.tag, edge.flow_id, child)
    local group = edge_group.load(u.tag, edge.flow_id, child)
    if not group then
        unit.hset(u, key, edge_group.fields(u, "all_of", "", 0, 1, 0))
        return "closed"
    end
    local fields = {n = group.n + 1}
    if group.state == "satisfied" and c.lifecycle_phase ~= "terminal" then
        fields.group_state, fields.satisfied_at = "pending", ""
    end
    unit.hset(u, key, fields)
    return group.state == "impossible" and "impossible" or "closed"
end

-- Gates a child by one edge more; all checks are done. `c` is its core. Returns the unsatisfied count and what
-- section 5.5 says about the gate.
function graph.apply(u, child, c, edge)
    edge.downstream = child
    graph.add_dependency(u, edge)
    local meta_key = keys.deps_meta(u.tag, child)
    local unsatisfied = number_of(call("HGET", meta_key, "unsatisfied_required_count")) + 1
    unit.hset(u, meta_key, {
        flow_id = edge.flow_id, unsatisfied_required_count = unsatisfied, gate = count_in_group(u, edge, child, c),
        last_flow_graph_revision = edge.revision, last_dependency_update_at = u.now,
    })
    graph.follow_ended(u, edge.upstream, edge.flow_id)
    if c.lifecycle_phase ~= "runnable" then return unsatisfied, "not_gated:" .. (c.lifecycle_phase or "") end
    gate_child(u, child, c)
    return unsatisfied, "gated"
end

-- An upstream that has ended already is cascaded as if it ended now.
function graph.follow_ended(u, upstream, flow_id)
    local ended = try("HMGET", keys.core(u.tag, upstream), "lifecycle_phase", "terminal_outcome")
    if ended.err or ended[1] ~= "terminal" then return end
    unit.zadd(u, keys.index(u.tag, "cascade_pending"), u.now, upstream)
    unit.after(u, function()
        cascade.publish(upstream, flow_id, ended[2] or "")
    end)
end

-- Downstream ids of a member.
function graph.children(tag, flow_id, e)
    local children = {}
    for _, edge_id in ipairs(call("SMEMBERS", keys.flow(tag, flow_id, "out:" .. e))) do
        local child = graph.edge_field(tag, flow_id, edge_id, "downstream_execution_id")
        if child then children[#children + 1] = child end
    end
    return children
end

-- Section 5.4.7.
function graph.check_cycle(tag, flow_id, upstream, downstream)
    if call("EXISTS", keys.flow(tag, flow_id, "in:" .. upstream)) == 0
        or call("EXISTS", keys.flow(tag, flow_id, "out:" .. downstream)) == 0 then
        return
    end
    local queue, seen, next_one = {downstream}, {[downstream] = true}, 1
    while queue[next_one] do
        if next_one > WALK_MAX then refuse("graph_too_large") end
        for _, child in ipairs(graph.children(tag, flow_id, queue[next_one])) do
            if child == upstream then refuse("cycle_detected") end
            if not seen[child] then
                seen[child] = true
                queue[#queue + 1] = child
            end
        end
        next_one = next_one + 1
    end
end

graph.WALK_MAX = WALK_MAX

-- A reference for data: nil detail when it is well formed.
function graph.ref_problem(ref)
    if #ref > dependency.REF_MAX then return "longer than 256 bytes" end
    if dependency.input_name(ref) == false then return "malformed input name" end
    return nil
end

return graph
