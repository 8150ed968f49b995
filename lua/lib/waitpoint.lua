-- Waitpoint records (chapter 03 sections 2.1 and 3.2): what signals are addressed to.
local waitpoint = {}

local KEY_MAX = 256

-- An id of a waitpoint, signal or suspension: it becomes part of key names, where a colon separates.
function waitpoint.id(argv, i, name)
    local value = args.id(argv, i, name)
    if string.find(value, "[:%c]") then args.refuse(name, "not an id") end
    return value
end

function waitpoint.is_key(value)
    return #value >= 1 and #value <= KEY_MAX and not string.find(value, "%c")
end

-- The execution and the waitpoint of the first two arguments, where KEYS[1] must be the record of the latter.
function waitpoint.named(tag, given, argv)
    local e, id = args.id(argv, 1, "execution_id"), waitpoint.id(argv, 2, "waitpoint_id")
    if given[1] ~= keys.waitpoint(tag, id) then args.refuse("waitpoint_id", "not the one of KEYS[1]") end
    return e, id
end

function waitpoint.load(tag, id)
    return hash(keys.waitpoint(tag, id))
end

function waitpoint.is_open(record)
    return record.state == "pending" or record.state == "active"
end

-- A fresh waitpoint may only take the place of one that has ended.
function waitpoint.check_free(record, e)
    if not record then return end
    if record.execution_id ~= e then refuse("invalid_waitpoint_for_execution") end
    if waitpoint.is_open(record) then refuse("waitpoint_already_exists") end
end

-- Deletes what an ended waitpoint of the same id left.
function waitpoint.clear(u, id)
    unit.record(u, {
        "DEL", keys.waitpoint(u.tag, id), keys.waitpoint_signals(u.tag, id), keys.waitpoint_condition(u.tag, id),
    })
end

-- The record of a new waitpoint.
function waitpoint.fields(u, e, attempt_index, id, key, token_text)
    return {
        waitpoint_id = id, execution_id = e, attempt_index = attempt_index, suspension_id = "",
        waitpoint_key = key, waitpoint_token = token_text, state = "pending", close_reason = "",
        created_at = u.now, activated_at = "", satisfied_at = "", closed_at = "", last_signal_at = "",
        expires_at = "", signal_count = "0", matched_signal_count = "0",
    }
end

-- The signals sent to a waitpoint, oldest first, each as a table.
function waitpoint.signals(tag, id)
    local found = {}
    for i, entry in ipairs(call("XRANGE", keys.waitpoint_signals(tag, id), "-", "+")) do
        local fields, flat = {}, entry[2]
        for j = 1, #flat, 2 do
            fields[flat[j]] = flat[j + 1]
        end
        found[i] = fields
    end
    return found
end

-- More fields of a record that the call at work writes to already; else a write of their own.
function waitpoint.add_fields(u, key, fields)
    for i = u.records.n, 1, -1 do
        local command = u.records[i]
        if command[1] == "DEL" then break end
        if command.fields and command[2] == key then
            for field, value in each(fields) do
                command.fields[field] = value
            end
            return
        end
    end
    unit.hset(u, key, fields)
end

-- Closes it and its condition, if they are open. `how`: reason, satisfied (by signal or operator),
-- condition_reason (nil = reason). Of `u.target_waitpoint` the call at work has read that both are.
function waitpoint.close(u, id, how)
    local is_target = u.target_waitpoint == id
    local key = keys.waitpoint(u.tag, id)
    local state = is_target and "active" or call("HGET", key, "state")
    if state == "active" or state == "pending" then
        local write = is_target and waitpoint.add_fields or unit.hset
        write(u, key, {
            state = "closed", closed_at = u.now, close_reason = how.reason,
            satisfied_at = how.satisfied and u.now or nil,
        })
    end
    local condition_key = keys.waitpoint_condition(u.tag, id)
    local closed = is_target and "0" or call("HGET", condition_key, "closed")
    if closed and closed ~= "1" then
        unit.hset(u, condition_key, {
            closed = "1", closed_at = u.now, updated_at = u.now, closed_reason = how.condition_reason or how.reason,
        })
    end
end

-- Ends a pending waitpoint that no suspension will use: its signals were kept for nothing.
function waitpoint.abandon(u, id, state, reason)
    for _, fields in ipairs(waitpoint.signals(u.tag, id)) do
        unit.hset(u, keys.signal(u.tag, fields.signal_id), {observed_effect = "no_op_waitpoint_never_activated"})
    end
    unit.hset(u, keys.waitpoint(u.tag, id), {state = state, closed_at = u.now, close_reason = reason})
    unit.zrem(u, keys.index(u.tag, "pending_waitpoint_expiry"), id)
end

return waitpoint
