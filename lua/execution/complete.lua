-- @function ff_complete_execution
-- @keys exec_core [terminal] [older...]
-- @argv execution_id lease_id lease_epoch attempt_id result_payload [source] [result_encoding] [step_count] ...
-- After step_count (0..64): so many groups step_name step_value step_encoding, recorded in the same call.
-- @reply {1,"OK","completed"}
-- @refuses invalid_input execution_not_found partial_fence_triple fence_required execution_not_active lease_revoked lease_expired stale_lease step_limit_exceeded
-- @repeat execution_not_active, whose details name the caller's own lease
registry.add("ff_complete_execution", 1, 5, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local list = steps.read(argv, 8, 0)
    local u = unit.open(tag)
    local reply = completion.run(u, e, argv, 1, args.text(argv, 7), args.text(argv, 6), list)
    unit.commit(u)
    return reply
end)
