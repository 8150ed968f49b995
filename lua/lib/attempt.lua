-- Attempt records (chapter 02 sections 5.2 and 7.6).
local attempt = {}

local ENDS = room.new()

-- The pause of an attempt that nobody had begun: it goes on as if the worker had never had it.
attempt.RETURNED = "returned"

-- L9 to L12, and runnable work that was interrupted: known from the vector, without a read.
function attempt.is_open(c)
    local phase = c.lifecycle_phase
    return phase == "active" or phase == "suspended"
        or (phase == "runnable" and c.attempt_state == "attempt_interrupted")
end

-- Ends the open attempt: state, extra fields, and its stream. The caller knows that it is open.
function attempt.finish(u, e, c, state, closed_reason, extra)
    local index = number_of(c.current_attempt_index)
    if extra then
        extra.attempt_state = state
        extra.ended_at = u.now
        unit.hset(u, keys.attempt(u.tag, e, index), extra)
    else
        local command = room.take(ENDS)
            or {"HSET", "", "attempt_state", "", "ended_at", 0, e = "", tail = "", room = ENDS}
        command[2], command.e, command.tail = keys.attempt_head(u.tag), e, keys.attempt_tail(index)
        command[4], command[6] = state, u.now
        unit.record(u, command)
    end
    stream.close(u, e, c, index, closed_reason)
end

-- The same attempt goes on later through a resumed claim; what is left of its timeout is kept.
function attempt.pause(u, e, c, suspension_id)
    local fields = {attempt_state = "suspended", suspended_at = u.now, suspension_id = suspension_id}
    if is_set(c.attempt_timeout_at) then
        fields.attempt_timeout_remaining_ms = math.max(1, number_of(c.attempt_timeout_at) - u.now)
    end
    unit.hset(u, keys.attempt(u.tag, e, c.current_attempt_index or "0"), fields)
end

local function frozen(value)
    if type(value) == "boolean" then return value and "true" or "false" end
    if type(value) == "table" then return cjson.encode(value) end
    return value
end

-- The snapshot of what the attempt runs under. `given` is the caller's object (nil = nothing), `tier`
-- the fallback tier in force (nil = primary); without either there is nothing to freeze.
function attempt.freeze_policy(u, e, c, index, given, tier, timeout_ms, fallback_index)
    if not given and not tier then return end
    local fields = {}
    for name, value in each(given or {}) do
        if value ~= cjson.null then fields[name] = frozen(value) end
    end
    local defaults = {
        timeout_ms = timeout_ms, fallback_index = fallback_index,
        provider = tier and tier.provider, model = tier and tier.model, lane_id = c.lane_id,
    }
    for name, value in each(defaults) do
        if fields[name] == nil and value ~= cjson.null then fields[name] = value end
    end
    unit.early_hset(u, keys.attempt_policy(u.tag, e, index), fields)
end

return attempt
