-- @function ff_block_execution_for_admission
-- @keys exec_core [older...]
-- @argv execution_id blocking_reason blocking_detail now_ms [blocking_ref]
-- @reply {1,"OK","blocked"}
-- @refuses invalid_input execution_not_found execution_not_active execution_not_eligible invalid_blocking_reason grant_already_exists
-- @repeat the same answer; the place in the blocked index is kept
registry.add("ff_block_execution_for_admission", 1, 4, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = admission.open(tag, argv, 4)
    local reason = argv[2]
    local c = core.require(tag, e)
    if c.lifecycle_phase == "terminal" then core.refuse_not_active(c) end
    if c.lifecycle_phase ~= "runnable" then refuse("execution_not_eligible") end
    local index = blocking.index(reason)
    if not index then refuse("invalid_blocking_reason", reason) end
    if given[3] and not admission.is_noop(given[3]) and string.sub(given[3], -#index - 1) ~= ":" .. index then
        args.refuse("KEYS[3]", "not the index of this reason")
    end
    if not blocking.may_block(c) then refuse("execution_not_eligible") end
    if reason ~= "paused_by_operator" and grant.is_live(u, e, c) then refuse("grant_already_exists") end
    blocking.block(u, e, c, reason, argv[3], args.text(argv, 5))
    unit.commit(u)
    return {1, "OK", "blocked"}
end)
