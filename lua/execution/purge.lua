-- @function ff_purge_execution
-- @keys exec_core [terminal] [older...]
-- @argv execution_id default_retention_ms [max_keys]
-- @reply {1,"OK","purged",n}
-- @reply {1,"OK","partial",n}
-- @reply {1,"OK","not_due",due_at}
-- @reply {1,"OK","not_found_cleaned"}
-- @reply {1,"OK","not_terminal_cleaned"}
-- @refuses invalid_input
-- @repeat goes on where the last slice ended; not_found_cleaned after the last
local KEYS_PER_SLICE = 500
local KEYS_MOST = 5000
local CASCADE_WAIT_MS = 60000

local FIXED = {
    "payload", "result", "tags", "steps", "children", "children_pending",
    "lease_current", "lease_history", "claim_grant", "attempts", "suspension",
    "satisfied_set", "satisfied_signals", "member_map", "deps_meta", "deps_unresolved",
}
local OF_ATTEMPT = {
    "attempt", "attempt_usage", "attempt_policy", "attempt_summary", "stream", "stream_live", "stream_meta",
}

-- A slice takes names while it has room; each source says whether it is used up.
local function take(slice, name)
    slice.names[#slice.names + 1] = name
end

local function room(slice)
    return slice.max - #slice.names
end

local function take_attempts(slice, c)
    local index = number_of(c.purged_attempts)
    local total = number_of(c.total_attempt_count)
    while index <= total do
        if room(slice) < #OF_ATTEMPT then break end
        for _, kind in ipairs(OF_ATTEMPT) do
            take(slice, keys[kind](slice.tag, slice.e, index))
        end
        index = index + 1
    end
    slice.purged_attempts = index
    return index > total
end

-- Members of a set, each owning `width` keys; taken ones leave the set. A page may be empty although
-- there are members, and a small set comes whole, whatever was asked for.
local function take_members(slice, key, width, names_of)
    local cursor, members, last = "0", nil, nil
    repeat
        local count = math.floor(room(slice) / width)
        if count == 0 then return false end
        cursor, members = unpack(call("SSCAN", key, cursor, "COUNT", count))
        last = math.min(#members, count)
        for i = 1, last do
            names_of(members[i])
        end
        if last > 0 then call("SREM", key, unpack(members, 1, last)) end
    until cursor == "0" and last == #members
    return true
end

local function take_signals(slice)
    local key = keys.signals(slice.tag, slice.e)
    repeat
        local count = math.floor(room(slice) / 2)
        if count == 0 then return false end
        local signals = call("ZRANGE", key, 0, count - 1)
        for _, signal in ipairs(signals) do
            take(slice, keys.signal(slice.tag, signal))
            take(slice, keys.signal_payload(slice.tag, signal))
        end
        if signals[1] then call("ZREM", key, unpack(signals)) end
    until not signals[1]
    return true
end

local function take_inputs(slice)
    local key = keys.inputs(slice.tag, slice.e)
    local names = call("HKEYS", key)
    local last = math.min(#names, room(slice))
    for i = 1, last do
        take(slice, keys.input(slice.tag, slice.e, names[i]))
    end
    if last > 0 then call("HDEL", key, unpack(names, 1, last)) end
    return last == #names
end

local function take_fixed(slice, c)
    if room(slice) < #FIXED + 1 then return false end
    for _, name in ipairs(FIXED) do
        take(slice, keys[name](slice.tag, slice.e))
    end
    if is_set(c.idem_key) and try("GET", c.idem_key) == slice.e then take(slice, c.idem_key) end
    return true
end

-- Fills the slice; true when nothing but policy and core is left after it.
local function fill(slice, c)
    local tag, e = slice.tag, slice.e
    return take_attempts(slice, c)
        and take_members(slice, keys.waitpoints(tag, e), 3, function(waitpoint)
            take(slice, keys.waitpoint(tag, waitpoint))
            take(slice, keys.waitpoint_signals(tag, waitpoint))
            take(slice, keys.waitpoint_condition(tag, waitpoint))
        end)
        and take_signals(slice)
        and take_members(slice, keys.deps_all_edges(tag, e), 1, function(edge)
            take(slice, keys.dep(tag, e, edge))
        end)
        and take_inputs(slice)
        and take_fixed(slice, c)
end

local function delete(names)
    local count = 0
    for from = 1, #names, 500 do
        count = count + call("DEL", unpack(names, from, math.min(from + 499, #names)))
    end
    return count
end

-- When the execution may go; nil when it is due.
local function due_at(u, e, c, default_ms)
    local keep = tonumber(c.retention_ms)
    if not keep then
        local stream_policy = policy.object(policy.stored(u.tag, e), "stream_policy")
        keep = math.max(default_ms, policy.number(stream_policy, "retention_ttl_ms") or 0)
    end
    local due = number_of(c.completed_at) + keep
    if due > u.now then return due end
    if is_set(c.flow_id) and call("ZSCORE", keys.index(u.tag, "cascade_pending"), e) then
        return u.now + CASCADE_WAIT_MS
    end
    -- A parent that has not ended may still want the result.
    if is_set(c.called_by) then
        local phase = call("HGET", keys.core(u.tag, c.called_by), "lifecycle_phase")
        if phase and phase ~= "terminal" then return u.now + CASCADE_WAIT_MS end
    end
    return nil
end

-- Without a record the lane is not known: the passed index is the one the entry was found in.
local function clean(u, e, terminal, word)
    if terminal then unit.zrem(u, terminal, e) end
    unit.srem(u, keys.index(u.tag, "all_executions"), e)
    unit.zrem(u, keys.index(u.tag, "retention_due"), e)
    unit.commit(u)
    return {1, "OK", word}
end

registry.add("ff_purge_execution", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local default_ms = args.integer(argv, 2, "default_retention_ms", 0)
    local max = args.optional_integer(argv, 3, "max_keys", 1) or KEYS_PER_SLICE
    local u = unit.open(tag)
    local c = core.load(tag, e)
    if not c then return clean(u, e, args.lane_index(given[2], tag, "terminal"), "not_found_cleaned") end
    local terminal = keys.lane(tag, c.lane_id or "", "terminal")
    if c.lifecycle_phase ~= "terminal" then
        unit.zrem(u, terminal, e)
        unit.commit(u)
        return {1, "OK", "not_terminal_cleaned"}
    end
    if not is_set(c.purging) then
        local due = due_at(u, e, c, default_ms)
        if due then
            unit.zadd(u, keys.index(tag, "retention_due"), due, e)
            unit.commit(u)
            return {1, "OK", "not_due", text(due)}
        end
    end
    call("HSET", keys.core(tag, e), "purging", "1")
    -- A slice must be able to take one attempt, and the fixed keys together.
    local slice = {tag = tag, e = e, names = {}, max = math.max(#FIXED + 1, math.min(max, KEYS_MOST))}
    local last = fill(slice, c)
    local count = delete(slice.names)
    if not last then
        call("HSET", keys.core(tag, e), "purged_attempts", slice.purged_attempts)
        return {1, "OK", "partial", text(count)}
    end
    count = count + call("DEL", keys.policy(tag, e), keys.core(tag, e))
    clean(u, e, terminal, "purged")
    return {1, "OK", "purged", text(count)}
end)
