-- The writes of one call. Procedures only collect them here, so every refusal comes before the first
-- write, and a batch touches each shared index once. `unit.commit` issues them in the order of chapter
-- 00 section 4.4: early records, cores, records, deletions and indexes, lease history, feed, wake, hooks.
-- Cores are collected in lib/change.lua.
-- On Valkey more time goes into Lua than into commands: tables are made late and scratch is shared.
local unit = {}

local KEYS_MAX = 500

-- Scanners look at a time index once in its interval. What falls due before they are sure to have looked
-- again is announced; anything later is not, so that a lease of the usual length costs no message.
local NEAR_MS = 10000
local NEAR_OF = {lease_expiry = 4000, delayed = 4000, attempt_timeout = 5000, suspension_timeout = 5000,
    budget_resets = 20000, claim_grant = 300000}

-- The lists of a unit are empty again after its commit, and making them costs as much as a small command:
-- `opened` are those of the call at work, `spare` those of one before.
local opened, spare

-- With room for what a plain call collects.
local function new_lists()
    return {
        early = {nil, nil, nil, nil, n = 0}, cores = {nil, nil, nil, nil, n = 0}, records = {nil, nil, nil, nil, n = 0},
        indexes = {nil, nil, nil, nil, nil, nil, nil, nil, n = 0}, history = {nil, nil, n = 0},
        events = {nil, nil, nil, nil, nil, nil, n = 0},
    }
end

-- Lists count themselves, in `n`: finding the end of one that was long before takes a search.
local function push(list, value)
    local n = list.n + 1
    list.n = n
    list[n] = value
end

-- Reads the clock, once per call, unless the caller brings a time of its own (chapter 06 section 2).
function unit.open(tag, now)
    if not now then
        local time = call("TIME")
        now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)
    end
    local lists = spare or new_lists()
    spare = nil
    opened = lists
    return {
        tag = tag, now = now, partition_id = keys.partition(tag),
        early = lists.early, cores = lists.cores, records = lists.records, indexes = lists.indexes,
        history = lists.history, events = lists.events,
        -- Which writing of its lists comes next: see lib/gathering.lua.
        early_round = gathering.next_round(), late_round = gathering.next_round(),
        -- Made when first needed: the deletion; entries of the signal feed; lanes (lib/wake.lua); what is due soon;
        -- hooks.
        deletion = false, signals = false, lanes = false, dues = false, hooks = false,
    }
end

-- At the end of a call that was not refused: the next one may have its lists, unless it left something.
function unit.recycle()
    local lists = opened
    opened = nil
    if lists and lists.early.n + lists.cores.n + lists.records.n + lists.indexes.n + lists.history.n
        + lists.events.n == 0 then
        spare = lists
    end
end

-- A command on a record of one execution, after the cores, or before them (see chapter 02 section 3.3).
function unit.record(u, command)
    push(u.records, command)
end

function unit.early(u, command)
    push(u.early, command)
end

-- As unit.record, with any number of values behind the key.
function unit.many(u, command, values)
    local size = #command
    for i = 1, #values do
        command[size + i] = values[i]
    end
    push(u.records, command)
end

-- A record whose failure must not undo the rest, such as a close marker.
function unit.soft(u, command)
    command.soft = true
    push(u.records, command)
end

function unit.hset(u, key, fields)
    push(u.records, {"HSET", key, fields = fields})
end

function unit.early_hset(u, key, fields)
    push(u.early, {"HSET", key, fields = fields})
end

local function gather_early(u, name, key, first, second)
    gathering.add(u.early, u.early_round, name, key, first, second)
end

local function gather_late(u, name, key, first, second)
    gathering.add(u.indexes, u.late_round, name, key, first, second)
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
    local command = u.deletion
    if command then
        command[#command + 1] = key
    else
        command = {"DEL", key, head = 1, step = KEYS_MAX}
        u.deletion = command
        push(u.indexes, command)
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

-- Issues and forgets.
local function issue_all(list)
    for i = 1, list.n do
        issue.command(list[i])
        list[i] = nil
    end
    list.n = 0
end

-- Writes cores and records collected so far, leaving shared indexes, history and feed for the commit.
-- A batch calls it after each item, so that a repeated id meets what the earlier item did.
function unit.commit_records(u)
    u.early_round = gathering.next_round()
    issue_all(u.early)
    change.issue(u)
    issue_all(u.records)
end

function unit.commit(u)
    repeat
        unit.commit_records(u)
        u.late_round, u.deletion = gathering.next_round(), false
        issue_all(u.indexes)
        lease_history.flush(u)
        feed.flush(u)
        local lanes, dues, hooks = u.lanes, u.dues, u.hooks
        u.lanes, u.dues, u.hooks = false, false, false
        for i = 1, lanes and #lanes or 0 do
            wake.tell(u, lanes[i])
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
