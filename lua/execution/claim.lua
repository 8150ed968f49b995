-- @function ff_claim_execution
-- @keys exec_core [older...]
-- @argv execution_id worker_id worker_instance_id lane capability_snapshot_hash lease_id lease_ttl_ms renew_before_ms attempt_id attempt_policy_json attempt_timeout_ms execution_deadline_at
-- A lost lease is taken over under a reclaim grant, as ff_reclaim_execution does: there are workers that know this
-- function only.
-- @reply {1,"OK",lease_id,lease_epoch,lease_expires_at,attempt_id,attempt_index,attempt_type}
-- @refuses invalid_input invalid_policy_json execution_not_found execution_not_leaseable lease_conflict active_attempt_exists use_claim_resumed_execution max_retries_exhausted invalid_claim_grant claim_grant_expired
-- @repeat DUPLICATE with the same values while the lease lives
local function check_claimable(u, c)
    if c.lifecycle_phase ~= "runnable" then refuse("execution_not_leaseable") end
    if c.ownership_state ~= "unowned" then refuse("lease_conflict") end
    if c.eligibility_state ~= "eligible_now" then refuse("execution_not_leaseable") end
    if is_set(c.terminal_outcome) and c.terminal_outcome ~= "none" then refuse("execution_not_leaseable") end
    if c.attempt_state == "running_attempt" then refuse("active_attempt_exists") end
    if c.attempt_state == "attempt_interrupted" then refuse("use_claim_resumed_execution") end
    if not flow.claim_allowed(u.tag, c, false) then refuse("execution_not_leaseable", "flow_cancelled") end
end

registry.add("ff_claim_execution", 1, 12, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local request = {
        worker_id = args.id(argv, 2, "worker_id"),
        worker_instance_id = args.id(argv, 3, "worker_instance_id"),
        lane = args.id(argv, 4, "lane"),
        capability_hash = argv[5],
        lease_id = args.id(argv, 6, "lease_id"),
        lease_ttl_ms = args.lease_ttl(argv, 7),
        renew_before_ms = args.renew_before(argv, 8),
        attempt_id = args.id(argv, 9, "attempt_id"),
        attempt_timeout_ms = args.optional_integer(argv, 11, "attempt_timeout_ms", 0),
        execution_deadline_at = args.optional_due(argv, 12, "execution_deadline_at", u.now),
    }
    if request.execution_deadline_at == 0 then request.execution_deadline_at = nil end
    request.attempt_policy = claim.read_attempt_policy(argv[10])
    local c = core.require(tag, e)
    local duplicate = claim.duplicate(u, e, c, request.worker_id, request.lease_id, request.attempt_id)
    if duplicate then return duplicate end
    if claim.is_reclaimable(c) and claim.has_reclaim_grant(u, e) then
        if not flow.claim_allowed(tag, c, true) then refuse("execution_not_leaseable", "flow_cancelled") end
        return claim.take_over(u, e, c, request)
    end
    check_claimable(u, c)
    claim.check_grant(u, e, request.worker_id)
    local reply = claim.fresh(u, e, c, request)
    unit.del(u, keys.claim_grant(tag, e))
    unit.commit(u)
    return reply
end)
