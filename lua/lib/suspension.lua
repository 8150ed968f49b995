-- The suspension record and the ends of a suspension (chapter 02 section 7.11, chapter 03 section 6).
local suspension = {}

function suspension.load(tag, e)
    return hash(keys.suspension(tag, e))
end

function suspension.is_open(record)
    return record and is_set(record.suspension_id) and not is_set(record.closed_at)
end

-- Ids of all its waitpoints, the primary first.
function suspension.waitpoints(record)
    local ids = {}
    if is_set(record.waitpoint_id) then ids[1] = record.waitpoint_id end
    local json = record.additional_waitpoints_json
    local parsed, list = pcall(cjson.decode, is_set(json) and json or "[]")
    if not parsed or type(list) ~= "table" then return ids end
    for _, other in ipairs(list) do
        if type(other) == "table" and is_set(other.waitpoint_id) then ids[#ids + 1] = other.waitpoint_id end
    end
    return ids
end

-- The resume policy: delay and whether satisfiers are stamped. A malformed one is refused by suspend.
function suspension.policy(json)
    local given = args.json_object(json)
    if given == false then return nil end
    local delay = policy.member(given, "resume_delay_ms") or 0
    local target = policy.member(given, "resume_target")
    local closes = policy.member(given, "close_waitpoint_on_resume")
    local consumes = policy.member(given, "consume_matched_signals")
    local retains = policy.member(given, "retain_signal_buffer_until_closed")
    if type(delay) ~= "number" or delay < 0 or delay ~= math.floor(delay) or delay > args.INTEGER_MAX then return nil end
    if (target ~= nil and target ~= "runnable") or (closes ~= nil and closes ~= true) then return nil end
    if consumes ~= nil and type(consumes) ~= "boolean" then return nil end
    if retains ~= nil and type(retains) ~= "boolean" then return nil end
    return {delay_ms = delay, consumes = consumes ~= false}
end

local function stored_policy(record)
    return suspension.policy(record.resume_policy_json or "") or {delay_ms = 0, consumes = true}
end

-- A JSON list of texts; the library's encoder would write an empty one as an object.
function suspension.json_list(values)
    local parts = {}
    for i, value in ipairs(values) do
        parts[i] = cjson.encode(value)
    end
    return "[" .. table.concat(parts, ",") .. "]"
end

-- The satisfiers counted so far: by the call at work, or as they are stored.
function suspension.satisfiers(u, e, record)
    if u.satisfiers then return u.satisfiers end
    local stored = is_set(record.waitpoint_id) and hash(keys.waitpoint_condition(u.tag, record.waitpoint_id))
    if not stored then return {} end
    if stored.composite == "1" then return call("LRANGE", keys.satisfied_signals(u.tag, e), 0, -1) end
    return condition.satisfiers(u.tag, e, condition.load(u.tag, e, stored, record))
end

function suspension.consume(u, ids, suspension_id)
    for _, id in ipairs(ids) do
        local write = id == u.closer_signal_id and waitpoint.add_fields or unit.hset
        write(u, keys.signal(u.tag, id), {consumed_at = u.now, consumed_by_suspension_id = suspension_id})
    end
end

function suspension.delete_working_keys(u, e)
    unit.del(u, keys.satisfied_set(u.tag, e))
    unit.del(u, keys.satisfied_signals(u.tag, e))
    unit.del(u, keys.member_map(u.tag, e))
end

-- Closes an open record with all its waitpoints. `how`: as waitpoint.close, plus fields (more of the
-- record) and timeout_signal_id (the last satisfier). `u.is_flat`: the condition is known to be no tree.
local function shut(u, e, record, how)
    local fields = how.fields or {}
    fields.closed_at = u.now
    fields.close_reason = how.reason
    if how.satisfied then fields.satisfied_at = u.now end
    if u.closer_signal_id then fields.closer_signal_id = u.closer_signal_id end
    local satisfiers = suspension.satisfiers(u, e, record)
    if how.consumes then suspension.consume(u, satisfiers, record.suspension_id) end
    if how.timeout_signal_id then
        fields.timeout_signal_id = how.timeout_signal_id
        satisfiers[#satisfiers + 1] = how.timeout_signal_id
    end
    if satisfiers[1] then fields.all_satisfier_signals = suspension.json_list(satisfiers) end
    for _, id in ipairs(suspension.waitpoints(record)) do
        waitpoint.close(u, id, how)
    end
    waitpoint.add_fields(u, keys.suspension(u.tag, e), fields)
    approval.finish(u, e, record)
    if not u.is_flat then suspension.delete_working_keys(u, e) end
end

-- Section 7.11: closes what is open; `set` receives the cleared core fields.
function suspension.close(u, e, c, set, reason)
    if not is_set(c.current_suspension_id) then return end
    set.current_suspension_id = ""
    set.current_waitpoint_id = ""
    local record = suspension.load(u.tag, e)
    if not suspension.is_open(record) then return end
    shut(u, e, record, {reason = reason})
    unit.zrem(u, keys.lane(u.tag, c.lane_id, "suspended"), e)
    if is_set(record.timeout_at) then unit.zrem(u, keys.index(u.tag, "suspension_timeout"), e) end
end

-- A satisfied condition whose execution is not suspended, as after a torn write: only records close.
function suspension.close_records(u, e, record)
    shut(u, e, record, {reason = "resumed", satisfied = true, condition_reason = "satisfied"})
end

-- T2 or T3 by placement. `record` is the open one, nil to repair a core without one. `how`: as `shut`,
-- plus delay_ms, after (words behind the delay) and at_once (no delay). Returns the public state.
function suspension.resume(u, e, c, record, how)
    local set = core.change(u, e, c)
    local terms = record and stored_policy(record) or {delay_ms = 0, consumes = false}
    local delay = how.at_once and 0 or math.max(terms.delay_ms, how.delay_ms or 0)
    local state = placement.place(u, e, c, set, {
        attempt_state = "attempt_interrupted", delay_until = delay > 0 and u.now + delay or 0,
        delay_reason = "waiting_for_resume_delay",
        delay_detail = "resume delay " .. text(delay) .. "ms" .. (how.after or ""),
    })
    -- A member that can no longer run was skipped, which closed its suspension.
    if state == "skipped" then return state end
    set.current_suspension_id = ""
    set.current_waitpoint_id = ""
    unit.zrem(u, keys.lane(u.tag, c.lane_id, "suspended"), e)
    if not record or is_set(record.timeout_at) then unit.zrem(u, keys.index(u.tag, "suspension_timeout"), e) end
    how.consumes = terms.consumes
    if record then shut(u, e, record, how) end
    return state
end

-- A cancelled execution also closes the waitpoints it created ahead of a suspension. Only a lease
-- holder can have created one.
function suspension.close_pending(u, e, c, reason)
    if number_of(c.total_attempt_count) == 0 then return end
    for _, id in ipairs(call("SMEMBERS", keys.waitpoints(u.tag, e))) do
        if call("HGET", keys.waitpoint(u.tag, id), "state") == "pending" then
            waitpoint.abandon(u, id, "closed", reason)
        end
    end
end

local NAMES_MAX = 32

-- The stored summary of signals (section 3.1); unreadable text starts afresh.
function suspension.summary(json)
    local parsed, given = pcall(cjson.decode, is_set(json) and json or "{}")
    if not parsed or type(given) ~= "table" then given = {} end
    local summary = {total = number_of(given.total_count), matched = number_of(given.matched_count), names = {}, seen = {}}
    if type(given.signal_names) ~= "table" then return summary end
    for _, name in ipairs(given.signal_names) do
        summary.names[#summary.names + 1] = name
        summary.seen[name] = true
    end
    return summary
end

function suspension.add_to_summary(summary, signal_name, contributed)
    summary.total = summary.total + 1
    if contributed then summary.matched = summary.matched + 1 end
    if summary.seen[signal_name] or #summary.names >= NAMES_MAX then return end
    summary.seen[signal_name] = true
    summary.names[#summary.names + 1] = signal_name
end

function suspension.summary_json(summary)
    return string.format('{"total_count":%.0f,"matched_count":%.0f,"signal_names":%s}', summary.total,
        summary.matched, suspension.json_list(summary.names))
end

return suspension
