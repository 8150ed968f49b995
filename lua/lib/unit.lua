-- The writes of one call. Procedures only collect them here, so every refusal comes before the first
-- write, and a batch touches each shared index once. `unit.commit` issues them in the order of chapter
-- 00 section 4.4: early records, cores, records, deletions and indexes, lease history, feed, wake, hooks.
local unit = {}

local VALUES_MAX = 1000
local KEYS_MAX = 500
local HISTORY_MAX = 1000

-- Reads the clock, once per call, unless the caller brings a time of its own (chapter 06 section 2).
function unit.open(tag, now)
    if not now then
        local time = call("TIME")
        now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    end
    return {
        tag = tag, now = now,
        early = {}, cores = {}, records = {}, indexes = {}, history = {},
        events = {}, signals = {}, lanes = {}, hooks = {},
        by_key = {}, by_key_early = {}, routes_named = {}, routes_left = {},
    }
end

-- The fields to set on a core, written with one HSET that also stamps last_mutation_at.
function unit.core(u, key)
    local set = {last_mutation_at = u.now}
    u.cores[#u.cores + 1] = {key, set}
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
local function gather(list, by_key, name, key)
    local of_name = by_key[name]
    if not of_name then
        of_name = {}
        by_key[name] = of_name
    end
    local command = of_name[key]
    if not command then
        command = {name, key}
        of_name[key] = command
        list[#list + 1] = command
    end
    return command
end

function unit.zadd(u, key, score, member)
    local command = gather(u.indexes, u.by_key, "ZADD", key)
    local size = #command
    command[size + 1] = score
    command[size + 2] = member
end

function unit.zadd_early(u, key, score, member)
    local command = gather(u.early, u.by_key_early, "ZADD", key)
    local size = #command
    command[size + 1] = score
    command[size + 2] = member
end

function unit.zrem(u, key, member)
    local command = gather(u.indexes, u.by_key, "ZREM", key)
    command[#command + 1] = member
end

function unit.sadd(u, key, member)
    local command = gather(u.indexes, u.by_key, "SADD", key)
    command[#command + 1] = member
end

function unit.sadd_early(u, key, member)
    local command = gather(u.early, u.by_key_early, "SADD", key)
    command[#command + 1] = member
end

function unit.srem(u, key, member)
    local command = gather(u.indexes, u.by_key, "SREM", key)
    command[#command + 1] = member
end

-- All deletions of a call are one command.
function unit.del(u, key)
    local command = u.by_key.DEL
    if not command then
        command = {"DEL", head = 1, step = KEYS_MAX}
        u.by_key.DEL = command
        u.indexes[#u.indexes + 1] = command
    end
    command[#command + 1] = key
end

-- An entry of a lease history: a flat array of fields. `u.history_max` may hold the caller's own limit.
function unit.history(u, key, fields)
    u.history[#u.history + 1] = {key, fields}
end

-- Whoever waits for work of this lane is told, once per call (chapter 06 section 13).
function unit.wake(u, lane)
    if u.lanes[lane] then return end
    u.lanes[lane] = true
    u.lanes[#u.lanes + 1] = lane
end

-- Runs `hook(u, ...)` after everything else was written; what it collects is committed then.
function unit.after(u, hook)
    u.hooks[#u.hooks + 1] = hook
end

local function flatten(command)
    local size = #command
    for field, value in pairs(command.fields) do
        command[size + 1] = field
        command[size + 2] = value
        size = size + 2
    end
    command.fields = nil
end

-- Splits what is longer than one command may be; name and key repeat.
local function issue_in_parts(command, head, step)
    for from = head + 1, #command, step do
        local to = math.min(from + step - 1, #command)
        if head == 1 then
            call(command[1], unpack(command, from, to))
        else
            call(command[1], command[2], unpack(command, from, to))
        end
    end
end

local function issue(command)
    if command.fields then flatten(command) end
    local step = command.step or VALUES_MAX
    if command.soft then
        try(unpack(command))
    elseif #command <= step then
        call(unpack(command))
    else
        issue_in_parts(command, command.head or 2, step)
    end
end

local function issue_all(list)
    for i = 1, #list do
        issue(list[i])
    end
end

-- Writes cores and records collected so far, leaving shared indexes, history and feed for the commit.
-- A batch calls it after each item, so that a repeated id meets what the earlier item did.
function unit.commit_records(u)
    local early, cores, records = u.early, u.cores, u.records
    u.early, u.cores, u.records, u.by_key_early = {}, {}, {}, {}
    issue_all(early)
    for i = 1, #cores do
        local core = cores[i]
        issue({"HSET", core[1], fields = core[2]})
    end
    issue_all(records)
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
        local indexes, history, lanes, hooks = u.indexes, u.history, u.lanes, u.hooks
        u.indexes, u.by_key, u.history, u.lanes, u.hooks = {}, {}, {}, {}, {}
        issue_all(indexes)
        for i = 1, #history do
            local entry = history[i]
            call("XADD", entry[1], "MAXLEN", "~", u.history_max or HISTORY_MAX, "*", unpack(entry[2]))
        end
        feed.flush(u)
        for i = 1, #lanes do
            wake(u, lanes[i])
        end
        for i = 1, #hooks do
            hooks[i](u)
        end
    until not hooks[1]
end

return unit
