-- @function ff_issue_reclaim_grant
-- @keys exec_core [older...]
-- @argv execution_id worker_id worker_instance_id lane_id capability_hash grant_ttl_ms route_snapshot_json admission_summary [worker_capabilities_csv] [admitted_quota_ids] [default_max_reclaim_count]
-- @reply {1,"OK",execution_id,grant_expires_at,"reclaim"}
-- @refuses invalid_input execution_not_found execution_not_reclaimable max_retries_exhausted grant_already_exists invalid_capabilities capability_mismatch
-- @repeat grant_already_exists while the first lives; execution_not_reclaimable after max_retries_exhausted, which has ended it
local RECLAIMABLE = {lease_expired_reclaimable = true, lease_revoked = true}

registry.add("ff_issue_reclaim_grant", 1, 8, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local request = grant.read_request(argv)
    request.default_max_reclaim_count = args.optional_integer(argv, 11, "default_max_reclaim_count", 0)
    local c = core.require(tag, e)
    if c.lifecycle_phase ~= "active" or not RECLAIMABLE[c.ownership_state] then
        refuse("execution_not_reclaimable")
    end
    if not flow.claim_allowed(tag, c, true) then refuse("execution_not_reclaimable", "flow_cancelled") end
    local u = unit.open(tag)
    local cap = claim.reclaim_cap(tag, e, request.default_max_reclaim_count)
    if number_of(c.lease_reclaim_count) >= cap then
        -- Nobody may take it over any more, so nobody would ever end it.
        claim.give_up(u, e, c)
        unit.commit(u)
        return {0, "max_retries_exhausted", text(cap), text(number_of(c.lease_reclaim_count))}
    end
    if grant.is_live(u, e, c) then refuse("grant_already_exists") end
    grant.check_capabilities(u, e, c, request)
    return grant.issue(u, e, c, request, "reclaim")
end)
