-- @function ff_stage_dependency_edge
-- @keys flow_core [older...]
-- @argv flow_id edge_id upstream_execution_id downstream_execution_id dependency_kind data_passing_ref expected_graph_revision now_ms [apply]
-- @reply {1,"OK",edge_id,graph_revision}
-- @reply {1,"OK",edge_id,graph_revision,unsatisfied,gated}   with apply
-- @reply {1,"ALREADY_SATISFIED",edge_id,graph_revision}
-- @refuses invalid_input self_referencing_edge flow_not_found flow_already_terminal flow_sealed stale_graph_revision execution_not_in_flow partition_mismatch execution_not_found invalid_dependency data_passing_conflict cycle_detected graph_too_large dependency_already_exists group_already_terminal
-- @repeat ALREADY_SATISFIED
local FLAGS = {["0"] = true, ["1"] = true}
local EDGE = {"upstream_execution_id", "downstream_execution_id", "dependency_kind", "data_passing_ref"}

local function read(argv, flow_id)
    return {
        flow_id = flow_id, id = args.id(argv, 2, "edge_id"),
        upstream = args.id(argv, 3, "upstream_execution_id"), downstream = args.id(argv, 4, "downstream_execution_id"),
        kind = argv[5] ~= "" and argv[5] or "success_only", ref = argv[6],
    }
end

local function apply(u, edge, reply)
    local c = core.load(u.tag, edge.downstream)
    if not c then return reply end
    local unsatisfied, gate = graph.apply(u, edge.downstream, c, edge)
    reply[5], reply[6] = text(unsatisfied), gate
    return reply
end

-- The edge sent before: nil when there is none, false when it has other content.
local function existing(u, edge, f, applies)
    local stored = call("HMGET", keys.flow(u.tag, edge.flow_id, "edge:" .. edge.id), unpack(EDGE))
    if not stored[1] then return nil end
    if stored[1] ~= edge.upstream or stored[2] ~= edge.downstream or stored[3] ~= edge.kind
        or (stored[4] or "") ~= edge.ref then
        return false
    end
    local reply = {1, "ALREADY_SATISFIED", edge.id, f.graph_revision}
    if applies and not dependency.load(u.tag, edge.downstream, edge.id) then
        graph.check_group(u.tag, edge.flow_id, edge.downstream)
        edge.revision = f.graph_revision
        apply(u, edge, reply)
        unit.commit(u)
    end
    return reply
end

local function check_ends(tag, edge)
    for _, e in ipairs({edge.upstream, edge.downstream}) do
        if not graph.is_member(tag, edge.flow_id, e) then refuse("execution_not_in_flow", e) end
        if not flow.is_id_of(tag, e) then refuse("partition_mismatch", e) end
    end
end

local function check_input(tag, edge)
    local name = dependency.input_name(edge.ref)
    if not name then return end
    for _, other in ipairs(call("SMEMBERS", keys.flow(tag, edge.flow_id, "in:" .. edge.downstream))) do
        if graph.edge_field(tag, edge.flow_id, other, "data_passing_ref") == edge.ref then
            refuse("data_passing_conflict", name)
        end
    end
end

-- Looks through the shorter of the two adjacency sets.
local function check_pair(tag, edge)
    local out = keys.flow(tag, edge.flow_id, "out:" .. edge.upstream)
    local into = keys.flow(tag, edge.flow_id, "in:" .. edge.downstream)
    local by_out = call("SCARD", out) < call("SCARD", into)
    local field = by_out and "downstream_execution_id" or "upstream_execution_id"
    local wanted = by_out and edge.downstream or edge.upstream
    for _, other in ipairs(call("SMEMBERS", by_out and out or into)) do
        if graph.edge_field(tag, edge.flow_id, other, field) == wanted then
            refuse("dependency_already_exists", other)
        end
    end
end

local function check(u, edge, f, expected)
    if f.sealed == "1" then refuse("flow_sealed") end
    if expected and expected ~= number_of(f.graph_revision) then refuse("stale_graph_revision", f.graph_revision) end
    check_ends(u.tag, edge)
    if not dependency.KINDS[edge.kind] then refuse("invalid_dependency", args.cut(edge.kind, 64)) end
    local problem = graph.ref_problem(edge.ref)
    if problem then args.refuse("data_passing_ref", problem) end
    check_input(u.tag, edge)
    graph.check_cycle(u.tag, edge.flow_id, edge.upstream, edge.downstream)
end

registry.add_growing("ff_stage_dependency_edge", 1, 8, function(given, argv)
    local tag, flow_id = flow.of(given, argv, 1)
    local edge = read(argv, flow_id)
    local expected = args.optional_integer(argv, 7, "expected_graph_revision")
    args.optional_integer(argv, 8, "now_ms")
    local applies = args.optional_word(argv, 9, "apply", FLAGS) == "1"
    if edge.upstream == edge.downstream then refuse("self_referencing_edge") end
    local f = flow.require_open(tag, flow_id)
    local u = unit.open(tag)
    local known = existing(u, edge, f, applies)
    if known then return known end
    check(u, edge, f, expected)
    if known == false then refuse("dependency_already_exists", edge.id) end
    check_pair(tag, edge)
    graph.check_group(tag, flow_id, edge.downstream)
    if applies then core.require(tag, edge.downstream) end
    local revision = number_of(f.graph_revision) + 1
    edge.revision = revision
    local upstream = core.load(tag, edge.upstream)
    local was_leaf = call("EXISTS", keys.flow(tag, flow_id, "out:" .. edge.upstream)) == 0
    graph.add_edge(u, edge)
    unit.hset(u, given[1], {
        graph_revision = revision, edge_count = number_of(f.edge_count) + 1, last_mutation_at = u.now,
    })
    local reply = {1, "OK", edge.id, text(revision)}
    if applies then apply(u, edge, reply) end
    unit.commit(u)
    if was_leaf and upstream then flow.leave_leaves(u, flow_id, upstream) end
    return reply
end)
