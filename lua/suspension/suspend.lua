-- @function ff_suspend_execution
-- @keys exec_core [older...]
-- @argv execution_id attempt_index attempt_id lease_id lease_epoch suspension_id waitpoint_id waitpoint_key reason_code requested_by timeout_at resume_condition_json resume_policy_json continuation_metadata_pointer use_pending_waitpoint timeout_behavior lease_history_maxlen [idempotency_key] [dedup_ttl_ms] [num_additional] ... [prompt] [assignees] [form] [context] [context_type] [due_at] [step_count] ...
-- After num_additional (0..63): so many pairs waitpoint_id waitpoint_key. After step_count (0..64): so many groups
-- step_name step_value step_encoding, recorded in the same call.
-- @reply {1,"OK",suspension_id,waitpoint_id,waitpoint_key,waitpoint_token,additional_count,...}
-- @reply {1,"ALREADY_SATISFIED",...} with the same fields: the lease is still held
-- @reply {1,"DUPLICATE",...} with the same fields: this lease was given up by the suspension that they describe
-- @refuses invalid_input additional_waitpoint_binding_malformed invalid_resume_condition execution_not_found partial_fence_triple fence_required execution_not_active lease_revoked lease_expired stale_lease invalid_lease_for_suspend already_suspended waitpoint_not_found waitpoint_not_pending invalid_waitpoint_for_execution pending_waitpoint_expired waitpoint_not_token_bound waitpoint_already_exists invalid_keys_missing_hmac hmac_secret_not_initialized invalid_secret step_limit_exceeded
-- @repeat with an idempotency key the same reply; without one, DUPLICATE, or ALREADY_SATISFIED while the lease is held
local NO_TIMEOUT = 9999999999999

local BLOCKING = {
    waiting_for_approval = "waiting_for_approval", waiting_for_callback = "waiting_for_callback",
    waiting_for_tool_result = "waiting_for_tool_result", waiting_for_operator_review = "paused_by_operator",
    manual_pause = "paused_by_operator", paused_by_policy = "paused_by_policy",
    paused_by_budget = "waiting_for_budget",
}

-- T1: the lease is given up, the attempt paused.
local function pause(u, e, c, r)
    local set = core.change(u, e, c)
    local primary = r.waitpoints[1]
    vector.suspended(u, set, BLOCKING[r.reason_code] or "waiting_for_signal",
        "suspended: waitpoint " .. primary.id .. " awaiting " .. r.reason_code)
    set.current_suspension_id = r.suspension_id
    set.current_waitpoint_id = primary.id
    attempt.pause(u, e, c, r.suspension_id)
    u.history_max = r.history_max and r.history_max > 0 and r.history_max or nil
    lease.release(u, e, c, set, "suspend")
    unit.zadd(u, keys.lane(u.tag, c.lane_id, "suspended"), r.timeout_at or NO_TIMEOUT, e)
    if r.timeout_at then
        unit.zadd(u, keys.index(u.tag, "suspension_timeout"), r.timeout_at, e)
        unit.due(u, "suspension_timeout", r.timeout_at)
    end
end

registry.add("ff_suspend_execution", 1, 17, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local r = suspending.read(u, given, argv)
    local recorded = suspending.replay(u, e, r)
    if recorded then return recorded end
    local c = core.require(tag, e)
    local fence = {e, r.lease_id, r.lease_epoch, r.attempt_id}
    lease.fenced(r.lease_id, r.lease_epoch, r.attempt_id, "")
    local record = suspension.load(tag, e)
    local first = suspending.first_answer(u, c, r, record)
    if first then return first end
    lease.check(u, e, c, fence, "", 1)
    if number_of(c.current_attempt_index) ~= r.attempt_index then refuse("invalid_lease_for_suspend") end
    if suspension.is_open(record) then refuse("already_suspended") end
    local member_map = suspending.bind(u, e, r)
    local state = condition.start(r.condition, member_map)
    suspending.evaluate(u, r, state)
    steps.bring(u, e, c, r.steps)
    if not state.satisfied then pause(u, e, c, r) end
    suspending.write(u, e, r, state, member_map)
    local reply = suspending.reply(u, e, r, state.satisfied and "ALREADY_SATISFIED" or "OK")
    unit.commit(u)
    return reply
end)
