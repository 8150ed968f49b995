-- @function ff_expire_execution
-- @keys exec_core [older...]
-- @argv execution_id [expire_reason] [if_due]
-- @reply {1,"OK","expired",previous_phase}
-- @reply {1,"OK","retry_scheduled",delay_until,next_attempt_index}
-- @reply {1,"OK","not_due"}
-- @reply {1,"OK","already_terminal"}
-- @reply {1,"OK","not_found_cleaned"}
-- @refuses invalid_input
-- @repeat with if_due: not_due or already_terminal; nothing happens twice
local FLAGS = {["0"] = true, ["1"] = true}
local REASON_MAX = 4096

local function drop_entries(u, e, word)
    unit.zrem(u, keys.index(u.tag, "attempt_timeout"), e)
    unit.zrem(u, keys.index(u.tag, "execution_deadline"), e)
    unit.commit(u)
    return {1, "OK", word}
end

-- A timeout read for one attempt must not end the next: the index entry decides, and for attempt
-- timeouts a live lease.
local function is_due(u, e, c, by_attempt)
    local index = keys.index(u.tag, by_attempt and "attempt_timeout" or "execution_deadline")
    local score = call("ZSCORE", index, e)
    local leased = c.lifecycle_phase == "active" and c.ownership_state == "leased"
    if by_attempt and not leased then
        if score then unit.zrem(u, index, e) end
        return false
    end
    return score and tonumber(score) <= u.now
end

local function retry_policy_of(u, e)
    local retry_policy = policy.object(policy.stored(u.tag, e), "retry_policy")
    return retry_policy and next(retry_policy) ~= nil and retry_policy or nil
end

-- Returns the reply, or nil when the attempt's timeout ends the execution.
local function schedule_retry(u, e, c)
    local delay = retry.decide(e, c, retry_policy_of(u, e), "timeout")
    if not delay then return nil end
    local delay_until, next_index = retry.schedule(u, e, c, {
        delay = delay, reason = "attempt_timeout", category = "timeout",
        release_reason = "timeout_retry_scheduled", closed_reason = "expired",
        attempt_fields = {terminalized_by_override = "1"},
    })
    return {1, "OK", "retry_scheduled", text(delay_until), text(next_index)}
end

local function expire(u, e, c, reason)
    local set = core.change(u, e, c)
    set.failure_reason = reason
    finish.run(u, e, c, set, {
        outcome = "expired", release_reason = "expired:" .. reason, attempt = "ended_failure",
        attempt_fields = {failure_reason = reason, failure_category = "timeout", terminalized_by_override = "1"},
        closed_reason = "expired", suspension_reason = "expired:" .. reason, reason = reason,
    })
    return {1, "OK", "expired", c.lifecycle_phase}
end

registry.add("ff_expire_execution", 1, 1, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local reason = args.cut(is_set(argv[2]) and argv[2] or "attempt_timeout", REASON_MAX)
    local if_due = args.optional_word(argv, 3, "if_due", FLAGS) == "1"
    local by_attempt = reason == "attempt_timeout"
    local u = unit.open(tag)
    local c = core.load(tag, e)
    if not c or is_set(c.purging) then return drop_entries(u, e, "not_found_cleaned") end
    if c.lifecycle_phase == "terminal" then return drop_entries(u, e, "already_terminal") end
    if if_due and not is_due(u, e, c, by_attempt) then
        unit.commit(u)
        return {1, "OK", "not_due"}
    end
    local reply = by_attempt and c.lifecycle_phase == "active" and schedule_retry(u, e, c) or expire(u, e, c, reason)
    unit.commit(u)
    return reply
end)
