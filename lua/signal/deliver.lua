-- @function ff_deliver_signal
-- @keys exec_core wp_condition wp_signals exec_signals signal signal_payload signal_dedup wp suspension eligible suspended delayed suspension_timeout secrets [delivery_stream]
-- @argv signal_id execution_id waitpoint_id signal_name signal_category source_type source_identity payload payload_encoding idempotency_key correlation_id target_scope created_at dedup_ttl_ms resume_delay_ms signal_maxlen max_signals_per_execution waitpoint_token [buffer_if_pending] [max_payload_bytes] [delivery_stream_maxlen]
-- @reply {1,"OK",signal_id,effect}
-- @refuses invalid_input payload_too_large execution_not_found invalid_keys_missing_hmac missing_token invalid_token token_expired invalid_secret hmac_secret_not_initialized duplicate_signal target_not_signalable waitpoint_closed waitpoint_pending_use_buffer_script waitpoint_not_found signal_limit_exceeded corruption
-- @repeat DUPLICATE with the id of the first signal

-- Steps 6 to 9 for a waitpoint that is not pending: its condition and the suspension it belongs to.
local function check_target(u, e, c, s, waitpoint_record)
    if waitpoint_record.state ~= "active" then
        refuse(c.lifecycle_phase == "suspended" and "waitpoint_closed" or "target_not_signalable")
    end
    local stored = hash(keys.waitpoint_condition(u.tag, s.waitpoint_id))
    if not stored then refuse("waitpoint_not_found") end
    if stored.closed == "1" then refuse("waitpoint_closed") end
    local record = suspension.load(u.tag, e) or {}
    local is_its = suspension.is_open(record) and record.suspension_id == waitpoint_record.suspension_id
    if c.lifecycle_phase == "suspended" and not is_its then refuse("waitpoint_closed") end
    return stored, record, is_its
end

-- What the signal changed: the end of the suspension, or one step towards it.
local function settle(u, e, c, s, state, record, is_its)
    if not state.satisfied then
        condition.save(u, e, s.waitpoint_id, state)
        return
    end
    -- The matchers of a flat condition tell for good which signals met it, the last one included.
    if not state.read then condition.save(u, e, s.waitpoint_id, state) end
    u.satisfiers = condition.satisfiers(u.tag, e, state)
    u.closer_signal_id = s.signal_id
    u.target_waitpoint = s.waitpoint_id
    u.is_flat = not state.read
    if c.lifecycle_phase == "suspended" then
        suspension.resume(u, e, c, record, {
            reason = "resumed", satisfied = true, condition_reason = "satisfied", delay_ms = s.delay_ms,
            after = " after signal " .. s.signal_name,
        })
    elseif is_its then
        suspension.close_records(u, e, record)
    end
end

registry.add("ff_deliver_signal", 14, 18, function(given, argv)
    local tag, e = args.execution(given, argv, 2)
    local u = unit.open(tag)
    local s = signal.read(u, argv)
    local c = core.require(tag, e)
    local waitpoint_record = signal.authenticate(u, e, s, given[14])
    local repeated = signal.duplicate(u, s)
    if repeated then return repeated end
    if c.lifecycle_phase == "terminal" then refuse("target_not_signalable") end
    if waitpoint_record.state == "pending" then
        if signal.is_past_attempt(c, waitpoint_record) then refuse("waitpoint_closed") end
        if not s.buffers then refuse("waitpoint_pending_use_buffer_script") end
        return signal.buffer(u, e, c, s, waitpoint_record)
    end
    local stored, record, is_its = check_target(u, e, c, s, waitpoint_record)
    signal.check_room(u, e, s)
    local state = condition.load(tag, e, stored, record)
    local effect = condition.apply(state, s.waitpoint_id, s)
    signal.store(u, e, c, s, effect)
    signal.count(u, s, waitpoint_record, effect)
    if is_its then
        local summary = suspension.summary(record.buffered_signal_summary_json)
        suspension.add_to_summary(summary, s.signal_name, condition.contributed(effect))
        unit.hset(u, keys.suspension(tag, e),
            {last_signal_at = u.now, buffered_signal_summary_json = suspension.summary_json(summary)})
    end
    settle(u, e, c, s, state, record, is_its)
    unit.commit(u)
    return {1, "OK", s.signal_id, effect}
end)
