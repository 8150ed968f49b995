-- @function ff_resume_execution
-- @keys exec_core [older...]
-- @argv execution_id trigger_type resume_delay_ms [expected_suspension_id] [actor]
-- @reply {1,"OK",public_state}
-- @refuses invalid_input execution_not_found execution_not_suspended resume_condition_not_met
-- @repeat execution_not_suspended
local REASONS = {signal = "resumed", operator = "operator_resume", auto_resume = "timed_out_auto_resume"}

registry.add("ff_resume_execution", 1, 3, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local trigger = args.optional_word(argv, 2, "trigger_type", REASONS)
    if trigger == "" then trigger = "signal" end
    local delay_ms = args.optional_integer(argv, 3, "resume_delay_ms", 0) or 0
    local expected, actor = args.text(argv, 4), args.text(argv, 5)
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.lifecycle_phase ~= "suspended" then refuse("execution_not_suspended") end
    local record = suspension.load(tag, e)
    if not suspension.is_open(record) then
        -- A torn suspension has nothing to close; an operator may still set the execution free.
        if trigger ~= "operator" then refuse("execution_not_suspended") end
        record = nil
    end
    if expected ~= "" and expected ~= (record and record.suspension_id or c.current_suspension_id) then
        refuse("execution_not_suspended", "suspension_mismatch")
    end
    if record and trigger == "operator" and not is_set(record.escalated_at)
        and not condition.allows_operator(record.resume_condition_json) then
        refuse("resume_condition_not_met")
    end
    local state = suspension.resume(u, e, c, record, {
        reason = REASONS[trigger], delay_ms = delay_ms, satisfied = trigger ~= "auto_resume",
        condition_reason = trigger == "signal" and "satisfied" or nil,
        fields = {resume_trigger = trigger, resume_actor = actor},
    })
    unit.commit(u)
    return {1, "OK", state}
end)
