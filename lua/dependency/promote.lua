-- @function ff_promote_blocked_to_eligible
-- @keys exec_core [older...]
-- @argv execution_id now_ms
-- @reply {1,"OK"}
-- @reply {1,"OK","delayed"}
-- @refuses invalid_input execution_not_found not_runnable not_blocked_by_deps terminal deps_not_satisfied
-- @repeat not_blocked_by_deps
registry.add("ff_promote_blocked_to_eligible", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    args.optional_integer(argv, 2, "now_ms")
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.lifecycle_phase ~= "runnable" then refuse("not_runnable") end
    if c.eligibility_state ~= "blocked_by_dependencies" then refuse("not_blocked_by_deps") end
    if is_set(c.terminal_outcome) and c.terminal_outcome ~= "none" then refuse("terminal") end
    if flow.gate(tag, e, c) ~= "open" then
        local unsatisfied = call("HGET", keys.deps_meta(tag, e), "unsatisfied_required_count")
        refuse("deps_not_satisfied", text(number_of(unsatisfied)), text(call("SCARD", keys.deps_unresolved(tag, e))))
    end
    local state = dependency.release(u, e, c, core.change(u, e, c))
    unit.commit(u)
    if state == "delayed" then return {1, "OK", "delayed"} end
    return {1, "OK"}
end)
