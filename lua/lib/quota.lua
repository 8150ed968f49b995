-- Quotas: a sliding window of admissions and a set of concurrency slots. Keys of one policy:
-- definition `ff:quota:<tag>:<id>` and, below it, `:window:<dimension>`, `:concurrency`,
-- `:admitted:<execution_id>` (the guard) and `:admitted_set`.
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

-- Opens a round of decisions: the window is trimmed and counted once, however many ids follow.
-- `names` has the keys window, concurrency, admitted_set.
function quota.open(names, limits, now)
    local round = {
        names = names, limits = limits, now = now, entries = 0, held = 0,
        admitted = {}, window_adds = {}, slot_adds = {},
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

-- Decides about one id. What it admits is written by `quota.close`.
function quota.decide(round, id, guard)
    local limits, names = round.limits, round.names
    if round.admitted[id] or call("EXISTS", guard) == 1
        or (limits.cap > 0 and call("SISMEMBER", names.admitted_set, id) == 1) then
        return {"ALREADY_ADMITTED"}
    end
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
    if limits.window_ms > 0 then call("SET", guard, "1", "PX", text(limits.window_ms), "NX") end
    return {"ADMITTED"}
end

function quota.close(round)
    local names = round.names
    if round.window_adds[1] then call("ZADD", names.window, unpack(round.window_adds)) end
    if round.slot_adds[1] then
        call("SADD", names.admitted_set, unpack(round.slot_adds))
        call("SET", names.concurrency, text(round.held))
    end
end

-- Gives slots back; answers how many came free. Only members of the set free one, so a repeated or
-- wrong release frees nothing. A rollback (the run never started) gives the rate slot back as well.
function quota.release(names, id, ids, guards, rollback)
    local held = number_of(checked.call("GET", names.concurrency))
    checked.call("SCARD", names.admitted_set)
    local unused = rollback and names.window and checked.call("ZREM", names.window, unpack(ids)) or 0
    call("DEL", unpack(guards))
    local removed = call("SREM", names.admitted_set, unpack(ids))
    local freed = math.max(0, math.min(removed, held))
    if freed > 0 then call("SET", names.concurrency, text(held - freed)) end
    if freed + unused > 0 then admission.publish_freed("quota", id) end
    return text(freed)
end

return quota
