-- @function ff_deliver_signal
-- @keys exec_core [older...]
-- @argv signal_id execution_id waitpoint_id signal_name signal_category source_type source_identity payload payload_encoding idempotency_key correlation_id target_scope created_at dedup_ttl_ms resume_delay_ms signal_maxlen max_signals_per_execution waitpoint_token [buffer_if_pending] [max_payload_bytes] [delivery_stream_maxlen]
-- @reply {1,"OK",signal_id,effect}
-- @refuses invalid_input payload_too_large execution_not_found invalid_keys_missing_hmac missing_token invalid_token token_expired invalid_secret hmac_secret_not_initialized duplicate_signal target_not_signalable waitpoint_closed waitpoint_pending_use_buffer_script waitpoint_not_found signal_limit_exceeded corruption
-- @repeat DUPLICATE with the id of the first signal
registry.add("ff_deliver_signal", 1, 18, function(given, argv)
    local tag, e = args.execution(given, argv, 2)
    local u = unit.open(tag)
    local s = signal.read(u, argv)
    local c = core.require(tag, e)
    local record = signal.authenticate(u, e, s, args.lacks_key(given, 14))
    local repeated = signal.duplicate(u, s)
    if repeated then return repeated end
    return delivery.run(u, e, c, s, record)
end)
