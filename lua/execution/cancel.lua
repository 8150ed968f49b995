-- @function ff_cancel_execution
-- @keys exec_core [older...]
-- @argv execution_id reason source [lease_id] [lease_epoch] [attempt_id]
-- @reply {1,"OK","cancelled",previous_phase}
-- @refuses invalid_input execution_not_found execution_not_active lease_revoked lease_expired stale_lease
-- @repeat execution_not_active with outcome cancelled
registry.add("ff_cancel_execution", 1, 3, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.lifecycle_phase == "terminal" then core.refuse_not_active(c) end
    cancellation.check_lease(u, e, c, argv[3], args.text(argv, 4), args.text(argv, 5), args.text(argv, 6))
    cancellation.run(u, e, c, argv[2], argv[3])
    unit.commit(u)
    return {1, "OK", "cancelled", c.lifecycle_phase}
end)
