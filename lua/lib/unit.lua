-- The writes of one call. Procedures only collect them here, so every refusal comes before the first
-- write, and a batch touches each shared index once. `unit.commit` issues them in the order of chapter
-- 00 section 4.4: early records, cores, records, deletions and indexes, lease history, feed, wake, hooks.
-- On Valkey more time goes into Lua than into commands: tables are made late and scratch is shared.
local unit = {}

local VALUES_MAX = 1000
local KEYS_MAX = 500

-- Scanners look at a time index once in its interval. What falls due before they are sure to have looked
-- again is announced; anything later is not, so that a lease of the usual length costs no message.
local NEAR_MS = 10000
local NEAR_OF = {lease_expiry = 4000, delayed = 4000, attempt_timeout = 5000, suspension_timeout = 5000,
    budget_resets = 20000, claim_grant = 300000}

-- Reads the clock, once per call, unless the caller brings a time of its own (chapter 06 section 2).
function unit.open(tag, now)
    if not now then
        local time = call("TIME")
        now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    end
    return {
        tag = tag, now = now,
        -- With room for what a plain call collects.
        early = {nil, nil, nil, nil}, cores = {nil, nil}, records = {nil, nil, nil, nil},
        indexes = {nil, nil, nil, nil, nil, nil, nil, nil}, history = {nil, nil}, events = {nil, nil},
        -- Made when first needed: commands that gather members, by name and key; entries of the signal
        -- feed; lanes to wake; what is due soon; hooks.
        early_by_key = false, by_key = false, signals = false, lanes = false, dues = false, hooks = false,
    }
end

-- The fields to set on a core, written with one HSET that also stamps last_mutation_at.
-- `loaded` is the record as it was read: what it says already is not written again, because every field
-- of an HSET costs the store a walk through the record. A second change cannot rely on it: the first
-- leaves its mark at [1]. Nor may `loaded` be altered before the commit. Without it everything is written.
function unit.core(u, key, loaded, fields)
    local set = fields or {}
    set.last_mutation_at = u.now
    u.cores[#u.cores + 1] = {"HSET", key, fields = set, known = loaded and not loaded[1] and loaded}
    if loaded then loaded[1] = true end
    return set
end

-- A command on a record of one execution, after the cores, or before them (see chapter 02 section 3.3).
function unit.record(u, command)
    u.records[#u.records + 1] = command
end

function unit.early(u, command)
    u.early[#u.early + 1] = command
end

-- As unit.record, with any number of values behind the key.
function unit.many(u, command, values)
    local size = #command
    for i = 1, #values do
        command[size + i] = values[i]
    end
    u.records[#u.records + 1] = command
end

-- A record whose failure must not undo the rest, such as a close marker.
function unit.soft(u, command)
    command.soft = true
    u.records[#u.records + 1] = command
end

function unit.hset(u, key, fields)
    u.records[#u.records + 1] = {"HSET", key, fields = fields}
end

function unit.early_hset(u, key, fields)
    u.early[#u.early + 1] = {"HSET", key, fields = fields}
end

-- Commands with the same name and key become one with many members.
local function gather(list, by_key, name, key, first, second)
    local known = by_key[name]
    if not known then
        known = {}
        by_key[name] = known
    end
    local command = known[key]
    if command then
        local size = #command
        command[size + 1] = first
        command[size + 2] = second
    else
        command = {name, key, first, second}
        known[key] = command
        list[#list + 1] = command
    end
end

local function gather_early(u, name, key, first, second)
    u.early_by_key = u.early_by_key or {}
    gather(u.early, u.early_by_key, name, key, first, second)
end

local function gather_late(u, name, key, first, second)
    u.by_key = u.by_key or {}
    gather(u.indexes, u.by_key, name, key, first, second)
end

function unit.zadd(u, key, score, member)
    gather_late(u, "ZADD", key, score, member)
end

function unit.zadd_early(u, key, score, member)
    gather_early(u, "ZADD", key, score, member)
end

function unit.zrem(u, key, member)
    gather_late(u, "ZREM", key, member)
end

function unit.sadd(u, key, member)
    gather_late(u, "SADD", key, member)
end

function unit.sadd_early(u, key, member)
    gather_early(u, "SADD", key, member)
end

function unit.srem(u, key, member)
    gather_late(u, "SREM", key, member)
end

-- All deletions of a call are one command.
function unit.del(u, key)
    u.by_key = u.by_key or {}
    local command = u.by_key.DEL
    if command then
        command[#command + 1] = key
    else
        command = {"DEL", key, head = 1, step = KEYS_MAX}
        u.by_key.DEL = command
        u.indexes[#u.indexes + 1] = command
    end
end

-- Whoever waits for work of this lane is told, once per call (chapter 06 section 13).
function unit.wake(u, lane)
    local lanes = u.lanes
    if not lanes then
        u.lanes = {lane, [lane .. ":named"] = true}
    elseif not lanes[lane .. ":named"] then
        lanes[lane .. ":named"] = true
        lanes[#lanes + 1] = lane
    end
end

local function is_near(now, index, at)
    return at - now <= (NEAR_OF[index] or NEAR_MS)
end

local function publish_due(tag, index, at, lane)
    local message = index .. " " .. tag .. " " .. text(at)
    if lane then message = message .. " " .. lane end
    call("PUBLISH", "ff:due", message)
end

-- An entry of a time index is due at this time; servers are told if that is soon, once per index (and
-- lane, where each has its own) and call (chapter 07 section 6). The announcement is a hint.
function unit.due(u, index, at, lane)
    if not is_near(u.now, index, at) then return end
    local dues, name = u.dues or {}, lane and index .. " " .. lane or index
    u.dues = dues
    local known = dues[name]
    if not known then
        known = {index, at, lane}
        dues[name] = known
        dues[#dues + 1] = known
    elseif at < known[2] then
        known[2] = at
    end
end

-- The same for a function that collects nothing.
function unit.announce_due(tag, now, index, at)
    if is_near(now, index, at) then publish_due(tag, index, at) end
end

-- Runs `hook(u)` after everything else was written; what it collects is committed then.
function unit.after(u, hook)
    u.hooks = u.hooks or {}
    u.hooks[#u.hooks + 1] = hook
end

-- Splits what is longer than one command may be; the first `head` elements repeat.
local function issue_in_parts(command, head, step, size)
    for from = head + 1, size, step do
        local to = math.min(from + step - 1, size)
        if head == 1 then
            call(command[1], unpack(command, from, to))
        else
            call(command[1], command[2], unpack(command, from, to))
        end
    end
end

-- One array for the arguments of every HSET: growing a new one each time costs more than filling it.
local scratch = {"HSET"}

local function issue_fields(command)
    local known, size = command.known, 2
    for field, value in pairs(command.fields) do
        if not known or (known[field] or "") ~= value then
            scratch[size + 1] = field
            scratch[size + 2] = value
            size = size + 2
        end
    end
    scratch[2] = command[2]
    if size <= VALUES_MAX then
        call(unpack(scratch, 1, size))
    else
        issue_in_parts(scratch, 2, VALUES_MAX, size)
    end
end

local function issue(command)
    if command.fields then
        issue_fields(command)
    elseif command.soft then
        try(unpack(command))
    elseif #command <= (command.step or VALUES_MAX) then
        call(unpack(command))
    else
        issue_in_parts(command, command.head or 2, command.step or VALUES_MAX, #command)
    end
end

-- Issues and forgets.
local function issue_all(list)
    for i = 1, #list do
        issue(list[i])
        list[i] = nil
    end
end

-- Writes cores and records collected so far, leaving shared indexes, history and feed for the commit.
-- A batch calls it after each item, so that a repeated id meets what the earlier item did.
function unit.commit_records(u)
    u.early_by_key = false
    issue_all(u.early)
    issue_all(u.cores)
    issue_all(u.records)
end

local function wake(u, lane)
    local key = keys.wake(u.tag)
    local armed_until = call("HGET", key, lane)
    if not armed_until then return end
    call("HDEL", key, lane)
    if number_of(armed_until) >= u.now then
        call("PUBLISH", "ff:wake:" .. lane, u.tag)
    end
end

function unit.commit(u)
    repeat
        unit.commit_records(u)
        u.by_key = false
        issue_all(u.indexes)
        lease_history.flush(u)
        feed.flush(u)
        local lanes, dues, hooks = u.lanes, u.dues, u.hooks
        u.lanes, u.dues, u.hooks = false, false, false
        for i = 1, lanes and #lanes or 0 do
            wake(u, lanes[i])
        end
        for i = 1, dues and #dues or 0 do
            publish_due(u.tag, unpack(dues[i], 1, 3))
        end
        for i = 1, hooks and #hooks or 0 do
            hooks[i](u)
        end
    until not hooks
end

return unit
