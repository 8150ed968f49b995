-- @function ff_cancel_flow
-- @keys flow_core [older...]
-- @argv flow_id reason cancellation_policy now_ms [grace_ms]
-- @reply {1,"OK",cancellation_policy,member...}
-- @refuses invalid_grace_ms invalid_input flow_not_found flow_already_terminal
-- @repeat flow_already_terminal, whose details are the stored state, policy and reason
registry.add("ff_cancel_flow", 1, 4, function(given, argv)
    local grace_ms = flow_cancel.GRACE_MS
    if is_set(argv[5]) then
        grace_ms = args.to_integer(argv[5])
        if not grace_ms or grace_ms < 0 then refuse("invalid_grace_ms") end
    end
    if not flow_cancel.mode(argv[3]) then args.refuse("cancellation_policy", "unknown value") end
    args.optional_integer(argv, 4, "now_ms")
    local tag, flow_id = flow.of(given, argv, 1)
    local f = flow.load(tag, flow_id)
    if not f then refuse("flow_not_found") end
    if f.public_flow_state ~= "open" then
        local stored = call("HMGET", given[1], "cancellation_policy", "cancel_reason")
        refuse("flow_already_terminal", f.public_flow_state, stored[1] or "", stored[2] or "")
    end
    local u = unit.open(tag)
    local members = flow_cancel.run(u, flow_id, {
        state = "cancelled", reason = argv[2], policy = argv[3], grace_ms = grace_ms, namespace = f.namespace,
    })
    feed.operator(u, "", {namespace = f.namespace, flow_id = flow_id}, "flow_cancel_requested",
        {reason = args.cut(argv[2], feed.TEXT_MAX), cancellation_policy = argv[3]})
    unit.commit(u)
    local reply = {1, "OK", argv[3]}
    for i = 1, #members do
        reply[i + 3] = members[i]
    end
    return reply
end)
