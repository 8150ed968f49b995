-- The end of attempt streams: closing them (chapter 04 section 9.1), and telling an end that nobody
-- wrote down (section 7.3).
local stream = {}

local LIVE_AFTER_CLOSE_MS = 60000

-- Reasons that say less than the one that follows them.
local PROVISIONAL = {lease_expired = true, lease_revoked = true}

local function close_marker(u, e, index, ms, ordinal, reason)
    unit.soft(u, {
        "XADD", keys.stream_live(u.tag, e, index), string.format("%.0f-%.0f", ms, ordinal),
        "mode", "control", "frame_type", "stream_closed", "closed_reason", reason, "ts", u.now,
        "source", "system", "payload", "",
    })
end

local function last_ms(meta_sequence)
    return tonumber(string.match(meta_sequence or "", "^%d+") or "") or 0
end

-- `index` is a number. Without the guard, or without metadata, readers derive the end themselves.
function stream.close(u, e, c, index, reason)
    local highest = tonumber(c.stream_meta_max)
    if not highest or highest < index then return end
    local key = keys.stream_meta(u.tag, e, index)
    local meta = call("HMGET", key, "created_at", "closed_at", "closed_reason", "frame_count", "last_sequence", "live_expires_at")
    if not meta[1] then return end
    if is_set(meta[2]) then
        if PROVISIONAL[meta[3]] then unit.hset(u, key, {closed_reason = reason}) end
        return
    end
    close_marker(u, e, index, math.max(u.now, last_ms(meta[5])), number_of(meta[4]) + 1, reason)
    local expires_at = math.max(number_of(meta[6]), u.now + LIVE_AFTER_CLOSE_MS)
    unit.record(u, {"PEXPIREAT", keys.stream_live(u.tag, e, index), expires_at})
    unit.hset(u, key, {closed_at = u.now, closed_reason = reason, live_expires_at = expires_at})
end

-- Somebody may watch the attempt after the last one, which will not happen now.
function stream.close_unstarted(u, e, c)
    local next_index = number_of(c.total_attempt_count)
    local highest = tonumber(c.stream_meta_max)
    if not highest or highest < next_index then return end
    local key = keys.stream_meta(u.tag, e, next_index)
    if call("EXISTS", key) == 0 then return end
    close_marker(u, e, next_index, u.now, 1, "attempt_never_started")
    unit.record(u, {"PEXPIREAT", keys.stream_live(u.tag, e, next_index), u.now + LIVE_AFTER_CLOSE_MS})
    unit.record(u, {"DEL", key})
end

local REASONS = {
    ended_success = "attempt_success", ended_failure = "attempt_failure", ended_cancelled = "attempt_cancelled",
    interrupted_reclaimed = "reclaimed",
}

-- Why the stream of an attempt in this state is closed; nil while the attempt goes on.
function stream.reason_of_attempt(state)
    return REASONS[state]
end

-- Time and reason of an end that only the attempt (its state, ended_at and failure_reason) or the execution tells.
function stream.derived_end(c, record)
    local reason = REASONS[record[1]]
    if reason == "reclaimed" and record[3] == "max_reclaims_exceeded" then reason = record[3] end
    if reason then return record[2] or "", reason end
    if c.lifecycle_phase == "terminal" and not record[1] then return c.completed_at or "", "attempt_never_started" end
    return nil, nil
end

return stream
