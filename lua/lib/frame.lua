-- Appending frames to attempt streams (chapter 04 sections 4 and 5). Entry ids are `<ms>-<ordinal>`,
-- one series over the data key and the live key. The metadata is written before the entry it counts.
local frame = {}

local TYPE_MAX = 128
local PAYLOAD_MAX = 65536
local PAYLOAD_HARD_MAX = 1048576
local FRAMES_MAX, FRAMES_SLACK = 10000, 128
local STREAM_BYTES_MAX = 67108864
local LIVE_SLACK = 32
local LIVE_BYTES_MAX = 16777216
local SUMMARY_WINDOW = 64
local SUMMARY_LIVE_MS = 600000
local TTL_MAX = 3600000
local FLOOR, CEILING, ALPHA = 64, 16384, 0.2
local CHUNK = 64

-- The metadata that an append reads, by mode and whether it has a sequence number: every field costs the
-- store a walk through the record.
local DURABLE = {
    "frame_count", "last_sequence", "total_bytes", "closed_at", "closed_reason", "attempt_id", "retained_count",
    "retained_bytes", "has_durable_frame",
}
local DURABLE_WITH_SEQ = {
    "frame_count", "last_sequence", "total_bytes", "closed_at", "closed_reason", "attempt_id", "retained_count",
    "retained_bytes", "has_durable_frame", "last_client_epoch", "last_client_seq", "last_client_entry_id",
}
local LIVE = {
    "frame_count", "last_sequence", "total_bytes", "closed_at", "closed_reason", "attempt_id", "live_bytes",
    "live_expires_at", "has_summary_frame", "ema_rate_hz", "last_append_ts_ms", "maxlen_applied_last",
}
local LIVE_WITH_SEQ = {
    "frame_count", "last_sequence", "total_bytes", "closed_at", "closed_reason", "attempt_id", "live_bytes",
    "live_expires_at", "has_summary_frame", "ema_rate_hz", "last_append_ts_ms", "maxlen_applied_last",
    "last_client_epoch", "last_client_seq", "last_client_entry_id",
}

-- How the best-effort window grows; a factor out of range is the default.
local function read_alpha(argv, i)
    local value = args.text(argv, i)
    if value == "" then return ALPHA end
    if not string.find(value, "^%d*%.?%d*$") or not string.find(value, "%d") then
        args.refuse("ema_alpha", "not a number")
    end
    local alpha = tonumber(value)
    return alpha > 0 and alpha <= 1 and alpha or ALPHA
end

local function positive(argv, i, name, default)
    local value = args.optional_integer(argv, i, name, 0)
    return value and value > 0 and value or default
end

-- The bounds of a call; `at` holds the positions of its arguments, and what it does not name has its default.
function frame.limits(argv, at)
    local limits = {
        frames = positive(argv, at.retention_maxlen, "retention_maxlen", nil),
        payload = args.optional_integer(argv, at.max_payload_bytes, "max_payload_bytes", 0, PAYLOAD_HARD_MAX)
            or PAYLOAD_MAX,
        bytes = positive(argv, at.max_stream_bytes, "max_stream_bytes", STREAM_BYTES_MAX),
        ttl_ms = args.optional_integer(argv, at.ttl_ms, "ttl_ms", 0),
        floor = positive(argv, at.maxlen_floor, "maxlen_floor", FLOOR),
        ceiling = positive(argv, at.maxlen_ceiling, "maxlen_ceiling", CEILING),
        alpha = read_alpha(argv, at.ema_alpha),
    }
    limits.ceiling = math.max(limits.floor, limits.ceiling)
    return limits
end

function frame.check_ttl(limits)
    if not limits.ttl_ms or limits.ttl_ms < 1 or limits.ttl_ms > TTL_MAX then
        args.refuse("ttl_ms", "1 to 3600000 for best_effort")
    end
end

-- Rows 2 and 3 of the checks.
function frame.check(f, limits, ...)
    if #f.frame_type < 1 or #f.frame_type > TYPE_MAX then refuse("invalid_frame_type", ...) end
    if #f.payload > limits.payload then refuse("retention_limit_exceeded", "payload", ...) end
end

local function fields_of(mode, has_seq)
    if mode == "durable" then return has_seq and DURABLE_WITH_SEQ or DURABLE end
    return has_seq and LIVE_WITH_SEQ or LIVE
end

-- The stream of a checked call with what an append of this mode must know of its metadata.
function frame.open(u, e, index, mode, has_seq)
    local s = {e = e, index = index, key = keys.stream(u.tag, e, index), meta = {}}
    local names = fields_of(mode, has_seq)
    local values = call("HMGET", s.key .. ":meta", unpack(names))
    for i = 1, #names do
        s.meta[names[i]] = values[i] or nil
    end
    s.exists = s.meta.frame_count ~= nil
    s.count = number_of(s.meta.frame_count)
    s.ms = number_of(string.match(s.meta.last_sequence or "", "^%d+"))
    return s
end

-- Row 4. Reads only what the next rows need of the core.
function frame.guard(u, e)
    local c = try("HMGET", keys.core(u.tag, e), "lifecycle_phase", "ownership_state", "lease_expires_at",
        "current_attempt_index", "current_lease_id", "current_lease_epoch", "purging", "stream_meta_max")
    if c.err or not c[1] or is_set(c[7]) then refuse("execution_not_found") end
    c.stream_meta_max = c[8]
    return c
end

function frame.check_open(s, phase)
    if is_set(s.meta.closed_at) then refuse("stream_closed", phase, s.meta.closed_reason or "") end
end

-- Rows 6 to 11: whether the caller owns the attempt and its stream is open.
function frame.check_owner(u, c, s, lease_id, epoch)
    if c[1] ~= "active" then refuse("stream_closed", c[1]) end
    if c[2] == "lease_expired_reclaimable" or c[2] == "lease_revoked" or core.lease_is_over(u.now, number_of(c[3]))
        or number_of(c[4]) ~= s.index or c[5] ~= lease_id or number_of(c[6]) ~= epoch then
        refuse("stale_owner_cannot_append")
    end
    frame.check_open(s, c[1])
end

-- Whether the producer sent this number before, under the same lease.
function frame.is_repeated(s, epoch, seq)
    return seq and number_of(s.meta.last_client_epoch) == epoch and is_set(s.meta.last_client_seq)
        and seq <= number_of(s.meta.last_client_seq)
end

-- Takes the next id for a frame and notes it in `s.added`, to be written by frame.write.
function frame.add(u, s, f)
    s.count = s.count + 1
    s.ms = math.max(u.now, s.ms)
    local id = string.format("%.0f-%.0f", s.ms, s.count)
    s.added = s.added or {}
    s.added[#s.added + 1] = {id = id, frame = f}
    s.last_id = id
    s.first_id = s.first_id or id
    s.bytes = (s.bytes or 0) + #f.payload
    if f.seq then s.meta.last_client_epoch, s.meta.last_client_seq, s.client_id = f.epoch, f.seq, id end
    return id
end

-- Metadata that exists is raised in the guard of the core, so that closing looks for it.
function frame.create_meta(u, s, c, attempt_id, opened_by, retention_maxlen)
    call("DEL", s.key .. ":live")
    local highest = tonumber(c.stream_meta_max)
    if not highest or highest < s.index then
        call("HSET", keys.core(u.tag, s.e), "stream_meta_max", s.index)
    end
    -- What every append reads and writes stands first: the store finds it soonest.
    call("HSET", s.key .. ":meta", "frame_count", "0", "last_sequence", "", "total_bytes", "0", "closed_at", "",
        "closed_reason", "", "attempt_id", attempt_id, "retained_count", "0", "retained_bytes", "0",
        "last_frame_at", "", "has_durable_frame", "0", "has_summary_frame", "0", "live_bytes", "0",
        "live_expires_at", "0", "stream_id", s.e .. ":" .. s.index, "execution_id", s.e, "attempt_index", s.index,
        "created_at", u.now, "opened_by", opened_by, "durability_mode", "durable_full",
        "retention_maxlen", retention_maxlen)
end

-- Section 4.6: the window for the next best-effort frame, by the rate at which they come.
local function grow_window(u, s, limits)
    local ttl_s = limits.ttl_ms / 1000
    local rate = limits.floor / (2 * ttl_s)
    if is_set(s.meta.ema_rate_hz) then
        local dt = math.max(1, u.now - number_of(s.meta.last_append_ts_ms))
        rate = limits.alpha * 1000 / dt + (1 - limits.alpha) * number_of(s.meta.ema_rate_hz)
    end
    local window = math.max(limits.floor, math.min(limits.ceiling, math.ceil(rate * ttl_s * 2)))
    s.meta.ema_rate_hz, s.meta.last_append_ts_ms, s.meta.maxlen_applied_last = rate, u.now, window
end

local function payload_size(fields)
    for i = 1, #fields, 2 do
        if fields[i] == "payload" then return #fields[i + 1] end
    end
    return 0
end

local function after(id)
    local ms, ordinal = string.match(id, "^(%d+)%-(%d+)$")
    return string.format("%s-%.0f", ms, tonumber(ordinal) + 1)
end

-- Cuts the oldest entries until at most `length` entries and `bytes_max` bytes are left, of `held` bytes
-- now; the newest stays. Returns entries and bytes left.
local function trim(key, length, held, bytes_max)
    local total = call("XLEN", key)
    local drop, from = 0, "-"
    local function is_over()
        return drop < total - 1 and (total - drop > length or held > bytes_max)
    end
    while is_over() do
        local chunk = call("XRANGE", key, from, "+", "COUNT", CHUNK)
        if not chunk[1] then break end
        for _, entry in ipairs(chunk) do
            if not is_over() then break end
            drop = drop + 1
            held = math.max(0, held - payload_size(entry[2]))
        end
        from = after(chunk[#chunk][1])
    end
    if drop > 0 then call("XTRIM", key, "MAXLEN", "=", total - drop) end
    return total - drop, held
end

local function put(list, name, value)
    if not is_set(value) then return end
    list[#list + 1] = name
    list[#list + 1] = value
end

local function entry_of(u, f, mode)
    local entry = {
        "frame_type", f.frame_type, "ts", f.ts or u.now, "payload", f.payload,
        "encoding", f.encoding ~= "" and f.encoding or "utf8", "source", f.source, "mode", mode,
    }
    put(entry, "correlation_id", f.correlation_id)
    put(entry, "summary_version", f.summary_version)
    put(entry, "ttl_ms", f.ttl_ms)
    put(entry, "seq", f.seq)
    return entry
end

-- Reserves the ids of all frames with one HSET, `fields` included, and writes the entries.
local function write_entries(u, s, key, mode, fields, attempt_id)
    put(fields, "frame_count", s.count)
    put(fields, "last_sequence", s.last_id)
    put(fields, "total_bytes", number_of(s.meta.total_bytes) + s.bytes)
    put(fields, "last_frame_at", u.now)
    if s.client_id then
        put(fields, "last_client_epoch", s.meta.last_client_epoch)
        put(fields, "last_client_seq", s.meta.last_client_seq)
        put(fields, "last_client_entry_id", s.client_id)
    end
    if s.exists and not is_set(s.meta.attempt_id) then put(fields, "attempt_id", attempt_id) end
    call("HSET", s.key .. ":meta", unpack(fields))
    for _, one in ipairs(s.added) do
        call("XADD", key, one.id, unpack(entry_of(u, one.frame, mode)))
    end
end

local function write_durable(u, s, limits, attempt_id)
    local count = number_of(s.meta.retained_count) + #s.added
    local held = number_of(s.meta.retained_bytes) + s.bytes
    local fields = {"retained_count", count, "retained_bytes", held}
    if s.meta.has_durable_frame ~= "1" then put(fields, "has_durable_frame", "1") end
    write_entries(u, s, s.key, "durable", fields, attempt_id)
    local length = limits.frames or FRAMES_MAX
    local slack = limits.frames and 0 or FRAMES_SLACK
    if count <= length + slack and held <= limits.bytes then return end
    local cut_to = count > length + slack and length or math.huge
    count, held = trim(s.key, cut_to, held, limits.bytes)
    call("HSET", s.key .. ":meta", "retained_count", count, "retained_bytes", held)
end

-- How long the live key must live, how many entries it keeps, and the fields that say so.
local function live_terms(u, s, mode, limits)
    if mode == "summary" then
        return SUMMARY_LIVE_MS, math.max(SUMMARY_WINDOW, number_of(s.meta.maxlen_applied_last)),
            {"has_durable_frame", "1", "has_summary_frame", "1"}
    end
    for _ = 1, #s.added do
        grow_window(u, s, limits)
    end
    local window = s.meta.maxlen_applied_last
    local fields = {"ema_rate_hz", s.meta.ema_rate_hz, "last_append_ts_ms", u.now, "maxlen_applied_last", window}
    if s.meta.has_summary_frame == "1" then window = math.max(SUMMARY_WINDOW, window) end
    return 2 * limits.ttl_ms, window, fields
end

local function write_live(u, s, mode, limits, attempt_id)
    local live = s.key .. ":live"
    local length = call("XLEN", live)
    local held = (length > 0 and number_of(s.meta.live_bytes) or 0) + s.bytes
    local keep_ms, window, fields = live_terms(u, s, mode, limits)
    local expires_at = math.max(number_of(s.meta.live_expires_at), u.now + keep_ms)
    put(fields, "live_bytes", held)
    put(fields, "live_expires_at", expires_at)
    write_entries(u, s, live, mode, fields, attempt_id)
    length = length + #s.added
    if length > window + LIVE_SLACK or held > LIVE_BYTES_MAX then
        local cut_to = length > window + LIVE_SLACK and window or math.huge
        local _, left = trim(live, cut_to, held, LIVE_BYTES_MAX)
        call("HSET", s.key .. ":meta", "live_bytes", left)
    end
    call("PEXPIREAT", live, expires_at)
end

-- Writes everything frame.add collected; all checks are done. `c` is the core's guard.
function frame.write(u, s, c, mode, limits, attempt_id)
    if not s.exists then frame.create_meta(u, s, c, attempt_id, "append", limits.frames or 0) end
    if mode == "durable" then
        write_durable(u, s, limits, attempt_id)
    else
        write_live(u, s, mode, limits, attempt_id)
    end
end

return frame
