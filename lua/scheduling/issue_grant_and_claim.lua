-- @function ff_issue_grant_and_claim
-- @keys exec_core [older...]
-- @argv execution_id worker_id worker_instance_id lane capability_hash lease_id lease_ttl_ms attempt_id attempt_policy_json attempt_timeout_ms execution_deadline_at
-- An operator's take-over of work that is eligible, or that only capabilities, a budget or a quota hold back: those
-- are not asked.
-- @reply {1,"OK",lease_id,lease_epoch,attempt_index,expires_at,attempt_id,attempt_type}
-- @reply {1,"DUPLICATE",...}   the same fields, for the same lease id
-- @refuses invalid_input invalid_policy_json execution_not_found execution_not_eligible lease_conflict active_attempt_exists grant_already_exists execution_not_in_eligible_set
-- @repeat DUPLICATE
local HELD_BY_ADMISSION = {blocked_by_budget = true, blocked_by_quota = true, blocked_by_route = true}

local function read(argv, now)
    local request = {
        worker_id = args.id(argv, 2, "worker_id"),
        worker_instance_id = args.id(argv, 3, "worker_instance_id"),
        lane = args.id(argv, 4, "lane"),
        capability_hash = argv[5],
        lease_id = args.id(argv, 6, "lease_id"),
        lease_ttl_ms = args.lease_ttl(argv, 7),
        attempt_id = args.id(argv, 8, "attempt_id"),
        attempt_timeout_ms = args.optional_integer(argv, 10, "attempt_timeout_ms", 0),
        execution_deadline_at = args.optional_due(argv, 11, "execution_deadline_at", now),
    }
    if request.execution_deadline_at == 0 then request.execution_deadline_at = nil end
    request.attempt_policy = claim.read_attempt_policy(argv[9])
    return request
end

-- The claim procedures answer in the order of ff_claim_execution.
local function reply_of(word, lease)
    return {1, word, lease[3], lease[4], lease[7], lease[5], lease[6], lease[8]}
end

local function check(u, e, c)
    if c.lifecycle_phase ~= "runnable" then refuse("execution_not_eligible") end
    if c.ownership_state ~= "unowned" then refuse("lease_conflict") end
    if is_set(c.terminal_outcome) and c.terminal_outcome ~= "none" then refuse("execution_not_eligible") end
    if c.attempt_state == "running_attempt" then refuse("active_attempt_exists") end
    if grant.is_live(u, e, c) then refuse("grant_already_exists") end
    if not HELD_BY_ADMISSION[c.eligibility_state] then
        if not call("ZSCORE", keys.lane(u.tag, c.lane_id, "eligible"), e) then
            refuse("execution_not_in_eligible_set")
        end
        if c.eligibility_state ~= "eligible_now" then refuse("execution_not_eligible") end
    end
    if not flow.claim_allowed(u.tag, c, c.attempt_state == "attempt_interrupted") then
        refuse("execution_not_eligible", "flow_cancelled")
    end
end

registry.add("ff_issue_grant_and_claim", 1, 11, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local request = read(argv, u.now)
    local c = core.require(tag, e)
    if c.lifecycle_phase == "active" and c.current_lease_id == request.lease_id then
        return reply_of("DUPLICATE", claim.duplicate_resumed(u, e, c))
    end
    check(u, e, c)
    local resumes = c.attempt_state == "attempt_interrupted"
    request.reason = resumes and "issue_grant_and_claim_resumed" or "issue_grant_and_claim"
    local lease = (resumes and claim.resume or claim.fresh)(u, e, c, request)
    unit.commit(u)
    return reply_of("OK", lease)
end)
