-- @function ff_issue_claim_grant
-- @keys exec_core [older...]
-- @argv execution_id worker_id worker_instance_id lane_id capability_hash grant_ttl_ms route_snapshot_json admission_summary [worker_capabilities_csv] [admitted_quota_ids] [admission_epoch]
-- With an admission epoch: only if no admission of that epoch has been used or voided.
-- The execution stays in its eligible index: an unused grant expires and it is found again.
-- @reply {1,"OK",execution_id,grant_expires_at,kind}   "claim" or "resume"
-- @refuses invalid_input execution_not_found execution_not_eligible grant_already_exists execution_not_in_eligible_set invalid_capabilities capability_mismatch
-- @repeat grant_already_exists while the first lives
registry.add("ff_issue_claim_grant", 1, 8, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local request = grant.read_request(argv)
    local epoch = args.optional_integer(argv, 11, "admission_epoch", 1)
    local c = core.require(tag, e)
    if c.lifecycle_phase ~= "runnable" or c.eligibility_state ~= "eligible_now" then
        refuse("execution_not_eligible")
    end
    local resumes = c.attempt_state == "attempt_interrupted"
    if not flow.claim_allowed(tag, c, resumes) then refuse("execution_not_eligible", "flow_cancelled") end
    if epoch and epoch ~= number_of(c.admission_epoch) + 1 then
        refuse("execution_not_eligible", "stale_admission")
    end
    local u = unit.open(tag)
    if grant.is_live(u, e, c) then refuse("grant_already_exists") end
    if not call("ZSCORE", keys.lane(tag, c.lane_id, "eligible"), e) then
        refuse("execution_not_in_eligible_set")
    end
    grant.check_capabilities(u, e, c, request)
    return grant.issue(u, e, c, request, resumes and "resume" or "claim")
end)
