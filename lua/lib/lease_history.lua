-- The lease history of an execution (chapter 04 section 10). A plain task has none: exec_core and the
-- attempt record tell of its one lease. The stream begins with the first event that they do not tell, and
-- what was left out until then goes before it.
local lease_history = {}

local ENTRIES_MAX = 1000

-- Collects an entry; without an id the store numbers it.
local function add(u, key, fields, id)
    local history = u.history
    history.n = history.n + 1
    history[history.n] = {key, fields, id}
end

local function entry(e, event, at, reason, fields)
    if is_set(reason) then
        return {"event", event, "execution_id", e, "ts", at, "reason", reason, unpack(fields)}
    end
    return {"event", event, "execution_id", e, "ts", at, unpack(fields)}
end

-- Whether begin and end of the lease with this epoch need no entry. Only a first lease is told elsewhere,
-- and only while nothing was written.
function lease_history.is_told(c, set, epoch)
    return epoch == 1 and not is_set(c.has_lease_history) and not set.has_lease_history
end

-- The worker of an ended lease is known from its attempt alone.
local function worker_of(u, e, c)
    if is_set(c.current_lease_id) then return {c.current_worker_id, c.current_worker_instance_id} end
    return call("HMGET", keys.attempt(u.tag, e, c.current_attempt_index or "0"), "worker_id", "worker_instance_id")
end

-- With the ids that a reader of exec_core has given them (chapter 04 section 10).
local function append_told(u, e, c, key)
    local is_held, worker = is_set(c.current_lease_id), worker_of(u, e, c)
    local fields = {
        "lease_id", (is_held and c.current_lease_id or c.last_release_lease_id) or "", "lease_epoch", "1",
        "attempt_index", c.current_attempt_index or "", "attempt_id", c.current_attempt_id or "",
        "worker_id", worker[1] or "", "worker_instance_id", worker[2] or "",
    }
    local acquired_at = text(number_of(c.lease_acquired_at))
    add(u, key, entry(e, "acquired", acquired_at, nil, fields), acquired_at .. "-1")
    if is_held then return end
    local released_at = text(number_of(c.last_release_at))
    add(u, key, entry(e, "released", released_at, c.last_release_op, fields), released_at .. "-2")
end

-- Appends an event; `c` is the core before this call, `set` its change, `fields` a flat array.
function lease_history.append(u, e, c, set, event, reason, fields)
    local key = keys.lease_history(u.tag, e)
    if lease_history.is_told(c, set, number_of(c.current_lease_epoch)) then append_told(u, e, c, key) end
    if not is_set(c.has_lease_history) then set.has_lease_history = "1" end
    add(u, key, entry(e, event, u.now, reason, fields))
end

-- An id behind the newest one (the clock stepped back meanwhile) is refused: then the store numbers it.
local function write(key, cap, fields, id)
    if id then
        local added = try("XADD", key, "MAXLEN", "~", cap, id, unpack(fields))
        if type(added) ~= "table" or not added.err then return end
    end
    call("XADD", key, "MAXLEN", "~", cap, "*", unpack(fields))
end

-- Writes what was collected; `u.history_max` may hold the caller's own limit.
function lease_history.flush(u)
    local history = u.history
    for i = 1, history.n do
        local one = history[i]
        write(one[1], u.history_max or ENTRIES_MAX, one[2], one[3])
        history[i] = nil
    end
    history.n = 0
end

return lease_history
