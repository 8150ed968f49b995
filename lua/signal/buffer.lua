-- @function ff_buffer_signal_for_pending_waitpoint
-- @keys exec_core [older...]
-- @argv signal_id execution_id waitpoint_id signal_name signal_category source_type source_identity payload payload_encoding idempotency_key correlation_id target_scope created_at dedup_ttl_ms resume_delay_ms signal_maxlen max_signals_per_execution waitpoint_token [buffer_if_pending] [max_payload_bytes] [delivery_stream_maxlen]
-- @reply {1,"OK",signal_id,"buffered_for_pending_waitpoint"}
-- @refuses invalid_input payload_too_large execution_not_found invalid_keys_missing_hmac missing_token invalid_token token_expired invalid_secret hmac_secret_not_initialized duplicate_signal target_not_signalable waitpoint_closed waitpoint_active_use_deliver_script signal_limit_exceeded
-- @repeat DUPLICATE with the id of the first signal
registry.add("ff_buffer_signal_for_pending_waitpoint", 1, 18, function(given, argv)
    local tag, e = args.execution(given, argv, 2)
    local u = unit.open(tag)
    local s = signal.read(u, argv)
    local c = core.require(tag, e)
    local record = signal.authenticate(u, e, s, args.lacks_key(given, 9))
    local repeated = signal.duplicate(u, s)
    if repeated then return repeated end
    if c.lifecycle_phase == "terminal" then refuse("target_not_signalable") end
    if record.state == "active" then refuse("waitpoint_active_use_deliver_script") end
    if record.state ~= "pending" or signal.is_past_attempt(c, record) then refuse("waitpoint_closed") end
    return signal.buffer(u, e, c, s, record)
end)
