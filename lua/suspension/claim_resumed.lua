-- @function ff_claim_resumed_execution
-- @keys exec_core [older...]
-- @argv execution_id worker_id worker_instance_id lane capability_snapshot_hash lease_id lease_ttl_ms remaining_attempt_timeout_ms
-- @reply {1,"OK",lease_id,lease_epoch,lease_expires_at,attempt_id,attempt_index,"resumed",suspension_id,close_reason,continuation_metadata_pointer}
-- @refuses invalid_input execution_not_found execution_not_leaseable not_a_resumed_execution attempt_not_found invalid_claim_grant claim_grant_expired
-- @repeat DUPLICATE with the same values while the lease lives
registry.add("ff_claim_resumed_execution", 1, 8, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local request = {
        worker_id = args.id(argv, 2, "worker_id"),
        worker_instance_id = args.id(argv, 3, "worker_instance_id"),
        lane = args.id(argv, 4, "lane"),
        capability_hash = argv[5],
        lease_id = args.id(argv, 6, "lease_id"),
        lease_ttl_ms = args.lease_ttl(argv, 7),
        attempt_timeout_ms = args.optional_integer(argv, 8, "remaining_attempt_timeout_ms", 0),
    }
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.lifecycle_phase == "active" and c.current_lease_id == request.lease_id
        and c.current_worker_instance_id == request.worker_instance_id then
        return claim.duplicate_resumed(u, e, c)
    end
    if c.lifecycle_phase ~= "runnable" then refuse("execution_not_leaseable") end
    if c.attempt_state ~= "attempt_interrupted" then refuse("not_a_resumed_execution") end
    if c.eligibility_state ~= "eligible_now" then refuse("execution_not_leaseable") end
    if not is_set(c.current_attempt_id) or not is_set(c.current_attempt_index) then refuse("attempt_not_found") end
    if not flow.claim_allowed(tag, c, true) then refuse("execution_not_leaseable", "flow_cancelled") end
    claim.check_grant(u, e, request.worker_id)
    local reply = claim.resume(u, e, c, request)
    unit.del(u, keys.claim_grant(tag, e))
    unit.commit(u)
    return reply
end)
