-- Quotas: a sliding window of admissions and a set of concurrency slots. Keys of one policy:
-- definition `ff:quota:<tag>:<id>` and, below it, `:window:<dimension>`, `:concurrency`,
-- `:admitted:<execution_id>` (the guard), `:admitted_set` and `:epochs` (execution id to the epoch of its slot).
--
-- An admission belongs to one admission epoch of its execution (chapter 06 section 4.4). What was admitted under a
-- later epoch is not given back by a release that is late; one without an epoch gives back whatever there is.
local quota = {}

quota.BATCH_MAX = 256
quota.WINDOW_SECONDS_MAX = 4294967295
quota.JITTER_MS_MAX = 86400000
local RELEASE_MODES = {done = true, rollback = true}

-- The policy id inside a key of the policy: what follows the tag, without `suffix`.
function quota.id_of(key, suffix)
    local _, tag_end = string.find(key, "}", 1, true)
    return string.sub(key, (tag_end or 0) + 2, #key - #suffix)
end

-- `count` epochs from `first` on, nil where the caller stops before them. An empty one is false: no epoch.
function quota.epochs(argv, first, count)
    if #argv < first then return nil end
    if #argv ~= first - 1 + count then args.refuse("arity", "not one epoch for each id") end
    local epochs = {}
    for i = 1, count do
        epochs[i] = args.optional_integer(argv, first - 1 + i, "admission_epoch", 1) or false
    end
    return epochs
end

-- `count` execution ids from `first` on.
function quota.ids(argv, first, count)
    if #argv < first - 1 + count then args.refuse("arity", "fewer ids than counted") end
    local ids = {}
    for i = 1, count do
        ids[i] = args.id(argv, first - 1 + i, "execution_id")
    end
    return ids
end

function quota.is_rollback(argv, i)
    return args.optional_word(argv, i, "mode", RELEASE_MODES) == "rollback"
end

function quota.stored_limits(definition)
    local stored = checked.read(definition, {"quota_policy_id", "requests_per_window_seconds",
        "max_requests_per_window", "active_concurrency_cap", "jitter_ms"})
    if not stored.quota_policy_id then refuse("quota_policy_not_found") end
    return {
        window_ms = number_of(stored.requests_per_window_seconds) * 1000,
        rate = number_of(stored.max_requests_per_window),
        cap = number_of(stored.active_concurrency_cap),
        jitter_ms = number_of(stored.jitter_ms),
    }
end

-- Forgets admissions that left the window, the span (now - window, now]; answers how many.
function quota.trim(window, limits, now)
    return checked.call("ZREMRANGEBYSCORE", window, "-inf", text(now - limits.window_ms))
end

-- The keys of a policy; `first` is KEYS[1], whose tag is that of what is derived.
function quota.names(first, window, concurrency, admitted_set)
    local id = quota.id_of(admitted_set, ":admitted_set")
    return {
        window = window, concurrency = concurrency, admitted_set = admitted_set,
        epochs = "ff:quota:" .. args.tag(first) .. ":" .. id .. ":epochs",
    }
end

-- Opens a round of decisions: the window is trimmed and counted once, however many ids follow.
function quota.open(names, limits, now)
    local round = {
        names = names, limits = limits, now = now, entries = 0, held = 0,
        admitted = {}, window_adds = {}, slot_adds = {}, epoch_adds = {},
    }
    if limits.cap > 0 then
        round.held = number_of(checked.call("GET", names.concurrency))
        checked.call("SCARD", names.admitted_set)
    end
    if limits.rate > 0 then
        quota.trim(names.window, limits, now)
        round.entries = call("ZCARD", names.window)
    end
    return round
end

-- Time until the oldest entry leaves, the asker's own not counted, plus a jitter that depends on who
-- asks and when.
local function retry_after(round, id)
    local oldest = call("ZRANGE", round.names.window, 0, 1, "WITHSCORES")
    local score = tonumber(oldest[1] == id and oldest[4] or oldest[2]) or round.now
    local wait = math.max(0, score + round.limits.window_ms - round.now)
    local spread = tonumber(string.sub(redis.sha1hex(id .. text(round.now)), 1, 8), 16)
    return wait + spread % (round.limits.jitter_ms + 1)
end

-- The guard's value: the epoch it was set under, or "1" where the caller named none.
local function guard_value(epoch)
    return epoch and "e" .. text(epoch) or "1"
end

local function guard_epoch(value)
    if not value or string.sub(value, 1, 1) ~= "e" then return 0 end
    return tonumber(string.sub(value, 2)) or 0
end

local function note_epoch(round, id, guard, epoch)
    if not epoch then return end
    local limits = round.limits
    if limits.window_ms > 0 then call("SET", guard, guard_value(epoch), "PX", text(limits.window_ms)) end
    if limits.cap > 0 then
        round.epoch_adds[#round.epoch_adds + 1] = id
        round.epoch_adds[#round.epoch_adds + 1] = text(epoch)
    end
end

-- Whether it holds what it asks for. A slot is handed on to the epoch that asks; a guard of an earlier epoch says
-- nothing, because a release on its way may take the rate slot with it.
local function holds(round, id, guard, epoch)
    local limits, names = round.limits, round.names
    if round.admitted[id] then return true end
    if limits.cap > 0 and call("SISMEMBER", names.admitted_set, id) == 1 then
        if epoch and number_of(checked.call("HGET", names.epochs, id)) < epoch then note_epoch(round, id, guard, epoch) end
        return true
    end
    local value = checked.call("GET", guard)
    return value and (not epoch or guard_epoch(value) >= epoch)
end

-- Decides about one id, for that admission epoch if the caller names one. What it admits is written by `quota.close`.
function quota.decide(round, id, guard, epoch)
    local limits, names = round.limits, round.names
    if holds(round, id, guard, epoch) then return {"ALREADY_ADMITTED"} end
    local entries = round.entries
    if limits.rate > 0 and entries > 0 and call("ZSCORE", names.window, id) then
        entries = entries - 1
    end
    if limits.rate > 0 and entries >= limits.rate then
        return {"RATE_EXCEEDED", text(retry_after(round, id)), text(entries), text(limits.rate)}
    elseif limits.cap > 0 and round.held >= limits.cap then
        return {"CONCURRENCY_EXCEEDED", text(round.held), text(limits.cap)}
    end
    round.admitted[id] = true
    if limits.rate > 0 then
        round.entries = entries + 1
        round.window_adds[#round.window_adds + 1] = text(round.now)
        round.window_adds[#round.window_adds + 1] = id
    end
    if limits.cap > 0 then
        round.held = round.held + 1
        round.slot_adds[#round.slot_adds + 1] = id
    end
    if epoch then
        note_epoch(round, id, guard, epoch)
    elseif limits.window_ms > 0 then
        call("SET", guard, guard_value(), "PX", text(limits.window_ms), "NX")
    end
    return {"ADMITTED"}
end

function quota.close(round)
    local names = round.names
    if round.window_adds[1] then call("ZADD", names.window, unpack(round.window_adds)) end
    if round.slot_adds[1] then
        call("SADD", names.admitted_set, unpack(round.slot_adds))
        call("SET", names.concurrency, text(round.held))
    end
    if round.epoch_adds[1] then call("HSET", names.epochs, unpack(round.epoch_adds)) end
end

-- Whether the slot of `id` belongs to a later epoch than that.
local function is_later(names, id, guard, epoch)
    if not epoch then return false end
    local noted = number_of(checked.call("HGET", names.epochs, id))
    return math.max(noted, guard_epoch(checked.call("GET", guard))) > epoch
end

-- Those of the ids, and their guards, whose slot a caller with these epochs (nil = none) may give back.
function quota.releasable(names, ids, guards, epochs)
    if not epochs then return ids, guards end
    local kept_ids, kept_guards = {}, {}
    for i, e in ipairs(ids) do
        if not is_later(names, e, guards[i], epochs[i]) then
            kept_ids[#kept_ids + 1] = e
            kept_guards[#kept_guards + 1] = guards[i]
        end
    end
    return kept_ids, kept_guards
end

-- Gives slots back; answers how many came free. Only members of the set free one, so a repeated or
-- wrong release frees nothing. A rollback (the run never started) gives the rate slot back as well.
function quota.release(names, id, ids, guards, rollback)
    if not ids[1] then return "0" end
    local held = number_of(checked.call("GET", names.concurrency))
    checked.call("SCARD", names.admitted_set)
    local unused = rollback and names.window and checked.call("ZREM", names.window, unpack(ids)) or 0
    call("DEL", unpack(guards))
    local removed = call("SREM", names.admitted_set, unpack(ids))
    call("HDEL", names.epochs, unpack(ids))
    local freed = math.max(0, math.min(removed, held))
    if freed > 0 then call("SET", names.concurrency, text(held - freed)) end
    if freed + unused > 0 then admission.publish_freed("quota", id) end
    return text(freed)
end

return quota
