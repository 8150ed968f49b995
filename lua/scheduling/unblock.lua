-- @function ff_unblock_execution
-- @keys exec_core [older...]
-- @argv execution_id now_ms expected_blocking_reason [expected_ref]
-- Empty expectations match any block; a flow cancel is never undone here.
-- @reply {1,"OK","unblocked"}
-- @refuses invalid_input execution_not_found execution_not_eligible
-- @repeat execution_not_eligible
registry.add("ff_unblock_execution", 1, 3, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = admission.open(tag, argv, 2)
    local c = core.require(tag, e)
    if not blocking.may_unblock(c, argv[3], args.text(argv, 4)) then refuse("execution_not_eligible") end
    blocking.unblock(u, e, c)
    unit.commit(u)
    return {1, "OK", "unblocked"}
end)
