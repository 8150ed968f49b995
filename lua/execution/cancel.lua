-- @function ff_cancel_execution
-- @keys exec_core attempt_hash stream_meta lease_current lease_history lease_expiry worker_leases suspension_current waitpoint_hash wp_condition suspension_timeout terminal attempt_timeout execution_deadline eligible delayed blocked_deps blocked_budget blocked_quota blocked_route blocked_operator
-- @argv execution_id reason source [lease_id] [lease_epoch] [attempt_id]
-- @reply {1,"OK","cancelled",previous_phase}
-- @refuses invalid_input execution_not_found execution_not_active lease_revoked lease_expired stale_lease
-- @repeat execution_not_active with outcome cancelled
registry.add("ff_cancel_execution", 21, 3, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.lifecycle_phase == "terminal" then core.refuse_not_active(c) end
    cancellation.check_lease(u, e, c, argv[3], args.text(argv, 4), args.text(argv, 5), args.text(argv, 6))
    cancellation.run(u, e, c, argv[2], argv[3])
    unit.commit(u)
    return {1, "OK", "cancelled", c.lifecycle_phase}
end)
