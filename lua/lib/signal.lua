-- Signals (chapter 03 sections 6.6 and 6.7): their arguments, authentication, repetition and records.
local signal = {}

local PAYLOAD_MAX = 65536
local PER_EXECUTION_MAX = 10000
local HISTORY_MAX = 1000
local DEDUP_MS = 86400000
local FEED_MAX = 10000
local SCOPES = {waitpoint = true, execution = true}
local FLAGS = {["0"] = true, ["1"] = true}

local CLASSES = {
    resume_condition_satisfied = "satisfied", appended_to_waitpoint = "appended",
    buffered_for_pending_waitpoint = "buffered",
}

-- Reads the arguments both functions share.
function signal.read(u, argv)
    local s = {
        signal_id = waitpoint.id(argv, 1, "signal_id"),
        waitpoint_id = waitpoint.id(argv, 3, "waitpoint_id"),
        signal_name = argv[4], signal_category = argv[5], source_type = argv[6], source_identity = argv[7],
        payload = argv[8], encoding = argv[9] ~= "" and argv[9] or "json",
        idempotency_key = argv[10], correlation_id = argv[11],
        scope = args.optional_word(argv, 12, "target_scope", SCOPES),
        created_at = args.optional_integer(argv, 13, "created_at", 0) or u.now,
        dedup_ms = args.optional_integer(argv, 14, "dedup_ttl_ms", 0) or DEDUP_MS,
        delay_ms = args.optional_integer(argv, 15, "resume_delay_ms", 0) or 0,
        history_max = math.max(1, args.optional_integer(argv, 16, "signal_maxlen", 0) or HISTORY_MAX),
        most = args.optional_integer(argv, 17, "max_signals_per_execution", 0) or PER_EXECUTION_MAX,
        token = argv[18],
        buffers = args.optional_word(argv, 19, "buffer_if_pending", FLAGS) == "1",
        feed_max = math.max(1, args.optional_integer(argv, 21, "delivery_stream_maxlen", 0) or FEED_MAX),
    }
    local payload_max = args.optional_integer(argv, 20, "max_payload_bytes", 0) or PAYLOAD_MAX
    if #s.payload > payload_max then refuse("payload_too_large") end
    if s.scope == "" then s.scope = "waitpoint" end
    return s
end

-- Steps 3 and 4: the waitpoint that the token opens. Whoever has no valid token learns nothing but that.
function signal.authenticate(u, e, s, lacks_secrets)
    local record = waitpoint.load(u.tag, s.waitpoint_id)
    local fault
    if not record or not is_set(record.created_at) or record.execution_id ~= e
        or record.waitpoint_id ~= s.waitpoint_id then
        fault = "invalid_token"
    else
        fault = token.fault(u, lacks_secrets, s.token, record)
    end
    if not fault then return record end
    call("HSET", keys.core(u.tag, e), "last_hmac_validation_failed_at", u.now)
    refuse(fault)
end

-- Step 5: the reply to a signal that came before, or nil.
function signal.duplicate(u, s)
    if s.idempotency_key ~= "" and s.dedup_ms > 0 then
        local first = try("GET", keys.signal_dedup(u.tag, s.waitpoint_id, s.idempotency_key))
        if type(first) == "string" then return {1, "DUPLICATE", first} end
    end
    local target = try("HGET", keys.signal(u.tag, s.signal_id), "target_waitpoint_id")
    if type(target) ~= "string" then return nil end
    if target ~= s.waitpoint_id then refuse("duplicate_signal", s.signal_id) end
    return {1, "DUPLICATE", s.signal_id}
end

function signal.check_room(u, e, s)
    if s.most > 0 and call("ZCARD", keys.signals(u.tag, e)) >= s.most then refuse("signal_limit_exceeded") end
end

-- A pending waitpoint belongs to an attempt that still goes on.
function signal.is_past_attempt(c, record)
    return number_of(record.attempt_index) ~= number_of(c.current_attempt_index) or not attempt.is_open(c)
end

local function announce(u, e, c, s, effect)
    feed.add_signal(u, e, c, {
        "signal_id", s.signal_id, "signal_name", args.cut(s.signal_name, feed.TEXT_MAX),
        "waitpoint_id", s.waitpoint_id, "source_identity", args.cut(s.source_identity, feed.TEXT_MAX),
        "effect", effect, "effect_class", CLASSES[effect] or "ignored", "delivered_at_ms", u.now,
    }, s.feed_max)
end

local function write_record(u, e, s, effect)
    unit.hset(u, keys.signal(u.tag, s.signal_id), {
        signal_id = s.signal_id, target_execution_id = e, target_waitpoint_id = s.waitpoint_id,
        matched_waitpoint_id = condition.contributed(effect) and s.waitpoint_id or "", target_scope = s.scope,
        signal_name = s.signal_name, signal_category = s.signal_category, source_type = s.source_type,
        source_identity = s.source_identity, correlation_id = s.correlation_id,
        idempotency_key = s.idempotency_key, created_at = s.created_at, accepted_at = u.now,
        payload_encoding = s.encoding, payload_len = #s.payload, observed_effect = effect,
    })
    if s.payload ~= "" then unit.record(u, {"SET", keys.signal_payload(u.tag, s.signal_id), s.payload}) end
end

-- Collects the durable traces of an accepted signal.
function signal.store(u, e, c, s, effect)
    if s.idempotency_key ~= "" and s.dedup_ms > 0 then
        unit.record(u, {
            "SET", keys.signal_dedup(u.tag, s.waitpoint_id, s.idempotency_key), s.signal_id, "PX", s.dedup_ms, "NX",
        })
    end
    write_record(u, e, s, effect)
    unit.record(u, {
        "XADD", keys.waitpoint_signals(u.tag, s.waitpoint_id), "MAXLEN", "~", s.history_max, "*",
        "signal_id", s.signal_id, "signal_name", s.signal_name, "signal_category", s.signal_category,
        "source_type", s.source_type, "source_identity", s.source_identity, "correlation_id", s.correlation_id,
        "matched", condition.contributed(effect) and "1" or "0", "accepted_at", u.now,
    })
    unit.zadd(u, keys.signals(u.tag, e), u.now, s.signal_id)
    announce(u, e, c, s, effect)
end

-- The counters of the waitpoint it reached.
function signal.count(u, s, record, effect)
    local fields = {signal_count = number_of(record.signal_count) + 1, last_signal_at = u.now}
    if condition.contributed(effect) then
        fields.matched_signal_count = number_of(record.matched_signal_count) + 1
    end
    unit.hset(u, keys.waitpoint(u.tag, s.waitpoint_id), fields)
end

-- Section 6.7 from step 4 on: kept until the worker suspends on the waitpoint.
function signal.buffer(u, e, c, s, record)
    signal.check_room(u, e, s)
    if call("XLEN", keys.waitpoint_signals(u.tag, s.waitpoint_id)) >= s.history_max then
        refuse("signal_limit_exceeded")
    end
    local effect = "buffered_for_pending_waitpoint"
    signal.store(u, e, c, s, effect)
    signal.count(u, s, record, effect)
    unit.commit(u)
    return {1, "OK", s.signal_id, effect}
end

-- The engine's own signal of a timeout (section 4.5), exempt from the cap.
function signal.timeout(u, e, c, suspension_id, waitpoint_id)
    return {
        signal_id = suspension_id, waitpoint_id = waitpoint_id, signal_name = "timeout", signal_category = "timeout",
        source_type = "engine", source_identity = "suspension_timeout", payload = "", encoding = "json",
        idempotency_key = "", correlation_id = "", scope = "waitpoint", created_at = u.now, dedup_ms = 0,
        history_max = HISTORY_MAX, feed_max = FEED_MAX,
    }
end

-- What a person said by a link (section 6.16), within the limits that a sender gets who names none.
function signal.of_link(u, s)
    s.source_type, s.encoding, s.idempotency_key, s.correlation_id = "user", "json", "", ""
    s.scope, s.created_at, s.dedup_ms, s.delay_ms, s.buffers = "waitpoint", u.now, 0, 0, true
    s.history_max, s.most, s.feed_max = HISTORY_MAX, PER_EXECUTION_MAX, FEED_MAX
    if #s.payload > PAYLOAD_MAX then refuse("payload_too_large") end
    return s
end

return signal
