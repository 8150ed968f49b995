-- @function ff_reclaim_execution
-- @keys exec_core [older...]
-- @argv execution_id worker_id worker_instance_id lane lease_id lease_ttl_ms attempt_id attempt_policy_json [default_max_reclaim_count] [attempt_timeout_ms]
-- @reply {1,"OK",lease_id,lease_epoch,lease_expires_at,attempt_id,attempt_index,"reclaim"}
-- @refuses invalid_input invalid_policy_json execution_not_found execution_not_reclaimable max_retries_exhausted invalid_claim_grant claim_grant_expired
-- @repeat DUPLICATE with the same values while the lease lives
-- max_retries_exhausted has ended the execution: the one refusal that changes state.
registry.add("ff_reclaim_execution", 1, 8, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local request = {
        worker_id = args.id(argv, 2, "worker_id"),
        worker_instance_id = args.id(argv, 3, "worker_instance_id"),
        lane = args.id(argv, 4, "lane"),
        lease_id = args.id(argv, 5, "lease_id"),
        lease_ttl_ms = args.lease_ttl(argv, 6),
        attempt_id = args.id(argv, 7, "attempt_id"),
        attempt_timeout_ms = args.optional_integer(argv, 10, "attempt_timeout_ms", 0),
    }
    local default_cap = args.optional_integer(argv, 9, "default_max_reclaim_count", 0)
    request.attempt_policy = claim.read_attempt_policy(argv[8])
    local u = unit.open(tag)
    local c = core.require(tag, e)
    local duplicate = claim.duplicate(u, e, c, request.worker_id, request.lease_id, request.attempt_id)
    if duplicate then return duplicate end
    if not claim.is_reclaimable(c) then refuse("execution_not_reclaimable") end
    if not flow.claim_allowed(tag, c, true) then refuse("execution_not_reclaimable", "flow_cancelled") end
    return claim.take_over(u, e, c, request, default_cap)
end)
