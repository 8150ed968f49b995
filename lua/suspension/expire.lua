-- @function ff_expire_suspension
-- @keys exec_core [older...]
-- @argv execution_id
-- @reply {1,"OK",behavior,public_state}
-- @reply {1,"OK","not_found_cleaned"}
-- @reply {1,"OK","not_suspended_cleaned"}
-- @reply {1,"OK","no_active_suspension_cleaned"}
-- @reply {1,"OK","not_yet_due"}
-- @refuses invalid_input
-- @repeat not_suspended_cleaned; nothing happens twice
local NO_TIMEOUT = 9999999999999

local ENDS = {
    fail = {outcome = "failed", attempt = "ended_failure"},
    cancel = {outcome = "cancelled", attempt = "ended_cancelled"},
    expire = {outcome = "expired", attempt = "ended_failure"},
}

local function clean(u, e, word)
    unit.zrem(u, keys.index(u.tag, "suspension_timeout"), e)
    unit.commit(u)
    return {1, "OK", word}
end

local function auto_resume(u, e, c, record, with_signal)
    local how = {
        reason = "timed_out_auto_resume", at_once = true, fields = {resume_trigger = "auto_resume"},
        timeout_signal_id = with_signal and record.suspension_id or nil,
    }
    if with_signal then
        local s = signal.timeout(u, e, c, record.suspension_id, record.waitpoint_id)
        signal.store(u, e, c, s, "resume_condition_satisfied")
        local counts = call("HMGET", keys.waitpoint(u.tag, s.waitpoint_id), "signal_count", "matched_signal_count")
        signal.count(u, s, {signal_count = counts[1], matched_signal_count = counts[2]}, "resume_condition_satisfied")
    end
    return {1, "OK", "auto_resume", suspension.resume(u, e, c, record, how)}
end

-- T4: stays suspended, and only an operator ends it.
local function escalate(u, e, c, record)
    local set = core.change(u, e, c)
    set.blocking_reason = "paused_by_operator"
    set.blocking_detail = "suspension escalated: timeout at " .. record.timeout_at
    local fields = {
        reason_code = "waiting_for_operator_review", timeout_at = "", timeout_behavior = "", escalated_at = u.now,
    }
    local satisfiers = suspension.satisfiers(u, e, record)
    if satisfiers[1] then fields.all_satisfier_signals = suspension.json_list(satisfiers) end
    for _, id in ipairs(suspension.waitpoints(record)) do
        unit.hset(u, keys.waitpoint(u.tag, id), {expires_at = ""})
        unit.record(u, {"DEL", keys.waitpoint_condition(u.tag, id)})
        unit.hset(u, keys.waitpoint_condition(u.tag, id), condition.operator_only(u))
    end
    unit.hset(u, keys.suspension(u.tag, e), fields)
    suspension.delete_working_keys(u, e)
    approval.finish(u, e, record)
    unit.zadd(u, keys.lane(u.tag, c.lane_id, "suspended"), NO_TIMEOUT, e)
    unit.zrem(u, keys.index(u.tag, "suspension_timeout"), e)
    return {1, "OK", "escalate", "suspended"}
end

local function finish_by(u, e, c, behavior)
    local set = core.change(u, e, c)
    local reason = "suspension_timeout:" .. behavior
    local ending = ENDS[behavior]
    set.failure_reason = reason
    finish.run(u, e, c, set, {
        outcome = ending.outcome, attempt = ending.attempt,
        attempt_fields = {failure_reason = reason, suspended_at = "", suspension_id = ""},
        closed_reason = "suspension_timeout", suspension_reason = "timed_out_" .. behavior, reason = reason,
    })
    return {1, "OK", behavior, set.public_state}
end

registry.add("ff_expire_suspension", 1, 1, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local c = core.load(tag, e)
    if not c or is_set(c.purging) then return clean(u, e, "not_found_cleaned") end
    if c.lifecycle_phase ~= "suspended" then return clean(u, e, "not_suspended_cleaned") end
    local record = suspension.load(tag, e)
    if not suspension.is_open(record) then return clean(u, e, "no_active_suspension_cleaned") end
    if not is_set(record.timeout_at) then return clean(u, e, "not_yet_due") end
    if number_of(record.timeout_at) > u.now then return {1, "OK", "not_yet_due"} end
    local behavior = record.timeout_behavior
    local reply
    if behavior == "auto_resume" or behavior == "auto_resume_with_timeout_signal" then
        reply = auto_resume(u, e, c, record, behavior == "auto_resume_with_timeout_signal")
    elseif behavior == "escalate" then
        reply = escalate(u, e, c, record)
    else
        reply = finish_by(u, e, c, ENDS[behavior] and behavior or "fail")
    end
    unit.commit(u)
    return reply
end)
