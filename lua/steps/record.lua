-- @function ff_record_steps
-- @keys exec_core [older...]
-- @argv execution_id lease_id lease_epoch attempt_id step_count step_name step_value step_encoding ...
-- After step_count (1..64): so many groups step_name step_value step_encoding.
-- @reply {1,"OK",{item...}}   item {step_name,"recorded"} or {step_name,"duplicate",value,encoding}
-- @reply {1,"DUPLICATE",{item...}}   all were recorded before: nothing is written
-- @refuses invalid_input execution_not_found partial_fence_triple fence_required execution_not_active lease_revoked lease_expired stale_lease step_limit_exceeded
-- @repeat DUPLICATE with the stored values, whatever values the second call brings
registry.add_growing("ff_record_steps", 1, 8, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local list = steps.read(argv, 5, 1)
    local u = unit.open(tag)
    local c = lease.validate(u, e, argv, "")
    local plan = steps.plan(u, e, c, list)
    local answers = steps.answers(u, e, plan)
    if not plan.fresh[1] then return {1, "DUPLICATE", answers} end
    steps.write(u, e, c, core.change(u, e, c), plan)
    unit.commit(u)
    return {1, "OK", answers}
end)
