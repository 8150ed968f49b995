-- @function ff_add_execution_to_flow
-- @keys flow_core [older...]
-- @argv flow_id execution_id now_ms [added_by] [parent_execution_id]
-- @reply {1,"OK",execution_id,node_count}
-- @reply {1,"ALREADY_SATISFIED",execution_id,node_count}
-- @refuses invalid_input flow_not_found flow_already_terminal flow_sealed partition_mismatch execution_not_found already_member_of_different_flow:<id> flow_too_large
-- @repeat ALREADY_SATISFIED
registry.add_growing("ff_add_execution_to_flow", 1, 3, function(given, argv)
    local tag, flow_id = flow.of(given, argv, 1)
    local e = args.id(argv, 2, "execution_id")
    args.optional_integer(argv, 3, "now_ms")
    local f = flow.require_open(tag, flow_id)
    if f.sealed == "1" then refuse("flow_sealed") end
    if not flow.is_id_of(tag, e) then refuse("partition_mismatch") end
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if is_set(c.flow_id) and c.flow_id ~= flow_id then
        refuse("already_member_of_different_flow:" .. c.flow_id, c.flow_id)
    end
    local nodes = number_of(f.node_count)
    local is_member = graph.is_member(tag, flow_id, e)
    if not is_member and nodes >= graph.MEMBERS_MAX then refuse("flow_too_large") end
    if not is_set(c.flow_id) then core.change(u, e, c).flow_id = flow_id end
    unit.sadd(u, keys.index(tag, "flow_index"), flow_id)
    if is_member then
        unit.commit(u)
        return {1, "ALREADY_SATISFIED", e, text(nodes)}
    end
    graph.add_member(u, flow_id, e, {
        added_by = args.text(argv, 4), parent_execution_id = args.text(argv, 5),
        is_root = args.text(argv, 5) == "" and "1" or "0", via = "add",
    })
    unit.hset(u, given[1], {
        node_count = nodes + 1, graph_revision = number_of(f.graph_revision) + 1, last_mutation_at = u.now,
    })
    unit.commit(u)
    if c.lifecycle_phase == "terminal" then flow.count_member(u, flow_id, c) end
    return {1, "OK", e, text(nodes + 1)}
end)
