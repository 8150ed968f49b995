-- @function ff_create_flow
-- @keys flow_core [older...]
-- @argv flow_id flow_kind namespace [now_ms] [failure_policy] [outcome_policy] [created_by]
-- @reply {1,"OK",flow_id}
-- @reply {1,"ALREADY_SATISFIED",flow_id}
-- @refuses invalid_input flow_already_exists
-- @repeat ALREADY_SATISFIED
registry.add_growing("ff_create_flow", 1, 3, function(given, argv)
    local tag, flow_id = flow.of(given, argv, 1)
    args.optional_integer(argv, 4, "now_ms")
    local a = flow_record.read({
        flow_kind = argv[2], namespace = argv[3], failure_policy = args.text(argv, 5),
        outcome_policy = args.text(argv, 6), created_by = args.text(argv, 7),
    }, "")
    local u = unit.open(tag)
    local f = flow.load(tag, flow_id)
    if f then
        if f.namespace ~= a.namespace then refuse("flow_already_exists") end
        if f.public_flow_state == "open" then unit.sadd(u, keys.index(tag, "flow_index"), flow_id) end
        unit.commit(u)
        return {1, "ALREADY_SATISFIED", flow_id}
    end
    if call("EXISTS", given[1]) == 1 then refuse("flow_already_exists") end
    flow_record.write(u, flow_id, a, {})
    flow.event(u, flow_id, "created", {})
    unit.commit(u)
    return {1, "OK", flow_id}
end)
