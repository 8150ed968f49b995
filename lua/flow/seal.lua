-- @function ff_seal_flow
-- @keys flow_core
-- @argv flow_id [expected_graph_revision]
-- @reply {1,"OK",public_flow_state}
-- @reply {1,"ALREADY_SATISFIED",flow_id}
-- @refuses invalid_input flow_not_found flow_already_terminal stale_graph_revision
-- @repeat ALREADY_SATISFIED
registry.add("ff_seal_flow", 1, 1, function(given, argv)
    local tag, flow_id = flow.of(given, argv, 1)
    local expected = args.optional_integer(argv, 2, "expected_graph_revision")
    local u = unit.open(tag)
    local f = flow.load(tag, flow_id)
    if not f then refuse("flow_not_found") end
    if f.sealed == "1" then return {1, "ALREADY_SATISFIED", flow_id} end
    if f.public_flow_state ~= "open" then refuse("flow_already_terminal") end
    if expected and expected ~= number_of(f.graph_revision) then refuse("stale_graph_revision", f.graph_revision) end
    if number_of(f.node_count) == 0 then args.refuse("flow_id", "a flow without members") end
    flow_core.set(u, flow_id, {sealed = 1, last_mutation_at = u.now})
    flow.event(u, flow_id, "sealed", {})
    f.sealed = "1"
    local state = flow.finish_if_done(u, flow_id, f)
    unit.commit(u)
    return {1, "OK", state}
end)
