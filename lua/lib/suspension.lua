-- Ending a suspension from outside (chapter 02 section 7.11; records in chapter 03 section 3).
local suspension = {}

function suspension.close_waitpoint(u, waitpoint, reason)
    unit.hset(u, keys.waitpoint(u.tag, waitpoint), {state = "closed", closed_at = u.now, close_reason = reason})
    local condition = keys.waitpoint_condition(u.tag, waitpoint)
    if call("EXISTS", condition) == 1 then
        unit.hset(u, condition, {closed = "1", closed_at = u.now, updated_at = u.now, closed_reason = reason})
    end
end

local function additional_waitpoints(json)
    local parsed, list = pcall(cjson.decode, is_set(json) and json or "[]")
    if not parsed or type(list) ~= "table" then return {} end
    return list
end

-- Closes the open suspension with all its waitpoints; `set` receives the cleared core fields.
function suspension.close(u, e, c, set, reason)
    if not is_set(c.current_suspension_id) then return end
    set.current_suspension_id = ""
    set.current_waitpoint_id = ""
    local key = keys.suspension(u.tag, e)
    local record = call("HMGET", key, "suspension_id", "closed_at", "waitpoint_id", "additional_waitpoints_json", "timeout_at")
    if not is_set(record[1]) or is_set(record[2]) then return end
    unit.hset(u, key, {closed_at = u.now, close_reason = reason})
    local primary = is_set(record[3]) and record[3] or c.current_waitpoint_id
    if is_set(primary) then suspension.close_waitpoint(u, primary, reason) end
    for _, other in ipairs(additional_waitpoints(record[4])) do
        if type(other) == "table" and is_set(other.waitpoint_id) then
            suspension.close_waitpoint(u, other.waitpoint_id, reason)
        end
    end
    unit.del(u, keys.satisfied_set(u.tag, e))
    unit.del(u, keys.satisfied_signals(u.tag, e))
    unit.del(u, keys.member_map(u.tag, e))
    unit.zrem(u, keys.lane(u.tag, c.lane_id, "suspended"), e)
    if is_set(record[5]) then unit.zrem(u, keys.index(u.tag, "suspension_timeout"), e) end
end

-- A cancelled execution also closes the waitpoints it created ahead of a suspension. Only a lease
-- holder can have created one.
function suspension.close_pending(u, e, c, reason)
    if number_of(c.total_attempt_count) == 0 then return end
    for _, waitpoint in ipairs(call("SMEMBERS", keys.waitpoints(u.tag, e))) do
        if call("HGET", keys.waitpoint(u.tag, waitpoint), "state") == "pending" then
            unit.hset(u, keys.waitpoint(u.tag, waitpoint),
                {state = "closed", closed_at = u.now, close_reason = reason})
            unit.zrem(u, keys.index(u.tag, "pending_waitpoint_expiry"), waitpoint)
        end
    end
end

return suspension
