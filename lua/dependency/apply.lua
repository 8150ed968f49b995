-- @function ff_apply_dependency_to_child
-- @keys exec_core [older...]
-- @argv flow_id edge_id upstream_execution_id graph_revision dependency_kind data_passing_ref now_ms
-- @reply {1,"OK",unsatisfied,"gated"}
-- @reply {1,"OK",unsatisfied,"not_gated:"..lifecycle_phase}
-- @reply {1,"OK","already_applied",unsatisfied}
-- @refuses invalid_input execution_not_found execution_already_in_flow self_referencing_edge partition_mismatch invalid_dependency group_already_terminal
-- @repeat already_applied
registry.add_growing("ff_apply_dependency_to_child", 1, 7, function(given, argv)
    local tag, child = dependency.child_of(given)
    local edge = {
        flow_id = args.id(argv, 1, "flow_id"), id = args.id(argv, 2, "edge_id"),
        upstream = args.id(argv, 3, "upstream_execution_id"),
        revision = args.optional_integer(argv, 4, "graph_revision") or "",
        kind = argv[5] ~= "" and argv[5] or "success_only", ref = argv[6],
    }
    args.optional_integer(argv, 7, "now_ms")
    local u = unit.open(tag)
    local c = core.require(tag, child)
    if is_set(c.flow_id) and c.flow_id ~= edge.flow_id then refuse("execution_already_in_flow", c.flow_id) end
    if dependency.load(tag, child, edge.id) then
        local unsatisfied = call("HGET", keys.deps_meta(tag, child), "unsatisfied_required_count")
        return {1, "OK", "already_applied", text(number_of(unsatisfied))}
    end
    if edge.upstream == child then refuse("self_referencing_edge") end
    if not flow.is_id_of(tag, edge.upstream) then refuse("partition_mismatch") end
    if not dependency.KINDS[edge.kind] then refuse("invalid_dependency", args.cut(edge.kind, 64)) end
    local problem = graph.ref_problem(edge.ref)
    if problem then args.refuse("data_passing_ref", problem) end
    graph.check_group(tag, edge.flow_id, child)
    local unsatisfied, gate = graph.apply(u, child, c, edge)
    unit.commit(u)
    return {1, "OK", text(unsatisfied), gate}
end)
