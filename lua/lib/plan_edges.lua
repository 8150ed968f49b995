-- The edges of a submission's plan: their ends, their data, and that they close no cycle.
local plan_edges = {}

-- A member the flow had before this call, with what the checks need; nil when it is not one.
local function existing(u, s, e)
    local known = s.existing[e]
    if known ~= nil then return known or nil end
    known = graph.is_member(u.tag, s.flow_id, e) and {e = e} or false
    if known then
        known.core = core.load(u.tag, e)
        known.is_leaf = call("EXISTS", keys.flow(u.tag, s.flow_id, "out:" .. e)) == 0
        if not known.core then known = false end
    end
    s.existing[e] = known
    return known or nil
end

-- References and upstreams of the edges an existing member has already.
local function load_inbound(u, s, member)
    if member.inputs then return end
    member.inputs, member.upstreams, member.payload_edges = {}, {}, 0
    for _, id in ipairs(call("SMEMBERS", keys.flow(u.tag, s.flow_id, "in:" .. member.e))) do
        local edge = call("HMGET", keys.flow(u.tag, s.flow_id, "edge:" .. id), "upstream_execution_id", "data_passing_ref")
        if edge[1] then member.upstreams[edge[1]] = id end
        if is_set(edge[2]) then member.inputs[edge[2]] = true end
    end
end

local function check_into_existing(u, s, edge, member)
    if member.core.lifecycle_phase == "terminal" then refuse("downstream_terminal", edge.id) end
    local group = edge_group.load(u.tag, s.flow_id, edge.downstream)
    if group and group.variant ~= "all_of" and group.state ~= "pending" then
        refuse("group_already_terminal", edge.id)
    end
    load_inbound(u, s, member)
    if member.upstreams[edge.upstream] then refuse("dependency_already_exists", edge.id) end
    s.leads_back = true
end

local function check_data(s, edge, down)
    if edge.ref == "" then return end
    local problem = graph.ref_problem(edge.ref)
    if problem then args.refuse(edge.where .. ".data", problem) end
    if dependency.input_name(edge.ref) then
        down.inputs = down.inputs or {}
        if down.inputs[edge.ref] then refuse("data_passing_conflict", edge.id) end
        down.inputs[edge.ref] = true
    else
        down.payload_edges = (down.payload_edges or 0) + 1
        down.payload_edge = edge.id
    end
end

local function read_one(u, s, i, text_of)
    local given, where = s.plan.edges[i], "plan.edges[" .. (i - 1) .. "]"
    local kind = text_of(given, "kind", where)
    local edge = {
        flow_id = s.flow_id, id = text_of(given, "id", where), upstream = text_of(given, "up", where),
        downstream = text_of(given, "down", where), kind = kind ~= "" and kind or "success_only",
        ref = text_of(given, "data", where), where = where,
    }
    if edge.id == "" then args.refuse(where .. ".id", "empty") end
    local up = s.by_id[edge.upstream] or existing(u, s, edge.upstream)
    local down = s.by_id[edge.downstream] or existing(u, s, edge.downstream)
    if not up or not down then refuse("execution_not_in_flow", edge.id) end
    if edge.upstream == edge.downstream then refuse("self_referencing_edge", edge.id) end
    local pair = edge.upstream .. ">" .. edge.downstream
    if s.edge_ids[edge.id] or s.pairs[pair]
        or call("EXISTS", keys.flow(u.tag, s.flow_id, "edge:" .. edge.id)) == 1 then
        refuse("dependency_already_exists", edge.id)
    end
    s.edge_ids[edge.id], s.pairs[pair] = true, true
    if not dependency.KINDS[edge.kind] then refuse("invalid_dependency", edge.id) end
    if down.core then check_into_existing(u, s, edge, down) end
    check_data(s, edge, down)
    s.edges[i] = edge
end

function plan_edges.read(u, s, text_of)
    s.edges, s.edge_ids, s.pairs, s.existing = {}, {}, {}, {}
    for i = 1, #s.plan.edges do
        read_one(u, s, i, text_of)
    end
end

-- Two edges that replace the payload are in order only where the first one wins.
function plan_edges.check_payloads(s)
    for _, node in ipairs(s.nodes) do
        if (node.payload_edges or 0) > 1 and node.variant ~= "any_of" then
            refuse("data_passing_conflict", node.payload_edge)
        end
    end
end

-- Children of each node as far as a cycle could lead; old members count only when a new edge leads
-- back to one of them.
local function adjacency(u, s)
    local children, queue, seen = {}, {}, {}
    local function visit(e)
        if seen[e] then return end
        seen[e] = true
        queue[#queue + 1] = e
        children[e] = children[e] or {}
    end
    for _, edge in ipairs(s.edges) do
        children[edge.upstream] = children[edge.upstream] or {}
        table.insert(children[edge.upstream], edge.downstream)
        visit(edge.upstream)
        visit(edge.downstream)
    end
    local i = 1
    while queue[i] do
        if i > graph.WALK_MAX then refuse("graph_too_large") end
        local e = queue[i]
        if s.leads_back and not s.by_id[e] then
            for _, child in ipairs(graph.children(u.tag, s.flow_id, e)) do
                table.insert(children[e], child)
                visit(child)
            end
        end
        i = i + 1
    end
    return queue, children
end

-- Takes away nodes without upstreams until none is left, or only a cycle.
function plan_edges.check_cycle(u, s)
    local queue, children = adjacency(u, s)
    local degree, ready, taken = {}, {}, 0
    for _, e in ipairs(queue) do
        for _, child in ipairs(children[e]) do
            degree[child] = (degree[child] or 0) + 1
        end
    end
    for _, e in ipairs(queue) do
        if not degree[e] then ready[#ready + 1] = e end
    end
    while ready[taken + 1] do
        taken = taken + 1
        for _, child in ipairs(children[ready[taken]]) do
            degree[child] = degree[child] - 1
            if degree[child] == 0 then ready[#ready + 1] = child end
        end
    end
    if taken == #queue then return end
    for _, e in ipairs(queue) do
        if (degree[e] or 0) > 0 then refuse("cycle_detected", e) end
    end
end

return plan_edges
