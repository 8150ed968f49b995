-- @function ff_drain_sibling_cancel_group
-- @keys pending_cancel_groups [older...]
-- @argv flow_id downstream_execution_id [max_cancel]
-- @reply {1,"OK","pending",left}
-- @reply {1,"OK",word,""}   word: drained, already_drained or drained_sans_group
-- @refuses invalid_input invalid_args
-- @repeat already_drained
registry.add("ff_drain_sibling_cancel_group", 1, 2, function(given, argv)
    local tag = args.tag(given[1])
    local flow_id, child = argv[1], argv[2]
    if flow_id == "" or child == "" then refuse("invalid_args") end
    local most = args.optional_integer(argv, 3, "max_cancel", 0) or 0
    local u = unit.open(tag)
    local key = edge_group.key(tag, flow_id, child)
    local group = checked.read(key, {"policy_variant", "cancel_siblings_pending_members", "cancel_siblings_reason"})
    local is_listed = call("SISMEMBER", keys.index(tag, "pending_cancel_groups"), sibling.tuple(flow_id, child)) == 1
    if not group.policy_variant then
        sibling.clear(tag, flow_id, child)
        return {1, "OK", is_listed and "drained_sans_group" or "already_drained", ""}
    end
    local left, cancels = {}, 0
    for _, e in ipairs(sibling.live(tag, group.cancel_siblings_pending_members)) do
        local word = "waits"
        if cancels < most then
            cancels = cancels + 1
            word = sibling.cancel(tag, u.now, e, group.cancel_siblings_reason or "sibling_quorum_satisfied")
        end
        if word == "waits" or word == "failed" then left[#left + 1] = e end
    end
    if left[1] then
        call("HSET", key, "cancel_siblings_pending_members", table.concat(left, "|"))
        return {1, "OK", "pending", text(#left)}
    end
    sibling.clear(tag, flow_id, child)
    return {1, "OK", is_listed and "drained" or "already_drained", ""}
end)
