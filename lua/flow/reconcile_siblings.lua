-- @function ff_reconcile_sibling_cancel_group
-- @keys pending_cancel_groups [older...]
-- @argv flow_id downstream_execution_id
-- @reply {1,"OK",word,why}   word: no_op, sremmed_stale or completed_drain
-- @refuses invalid_input invalid_args
-- @repeat no_op
registry.add("ff_reconcile_sibling_cancel_group", 1, 2, function(given, argv)
    local tag = args.tag(given[1])
    local flow_id, child = argv[1], argv[2]
    if flow_id == "" or child == "" then refuse("invalid_args") end
    local tuples, tuple = keys.index(tag, "pending_cancel_groups"), sibling.tuple(flow_id, child)
    if call("SISMEMBER", tuples, tuple) == 0 then return {1, "OK", "no_op", "not_in_set"} end
    local group = checked.read(edge_group.key(tag, flow_id, child),
        {"policy_variant", "cancel_siblings_pending_flag", "cancel_siblings_pending_members"})
    local stale = not group.policy_variant and "missing_edgegroup"
        or not group.cancel_siblings_pending_flag and "flag_cleared"
    if stale then
        call("SREM", tuples, tuple)
        return {1, "OK", "sremmed_stale", stale}
    end
    if sibling.live(tag, group.cancel_siblings_pending_members)[1] then
        return {1, "OK", "no_op", "siblings_running"}
    end
    sibling.clear(tag, flow_id, child)
    return {1, "OK", "completed_drain", ""}
end)
