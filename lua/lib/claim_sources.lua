-- Where a batch claim looks for work: lost leases, and the eligible index merged with the route
-- sub-queues the worker covers (chapter 06 section 12.1).
local claim_sources = {}

local LOST_EXAMINED_MIN = 16
local LOST_EXAMINED_MAX = 128
-- How many are asked for their kind, where kinds are asked for: one field each.
local LOST_OF_KINDS_MAX = 16384
claim_sources.EXAMINED_MIN = 1024
claim_sources.ROUTE_SETS_MAX = 256
local NONE = {}
local none

-- A number nobody chose, without a random generator: the caller's lease ids are fresh for each call.
function claim_sources.dice(q)
    return tonumber(string.sub(redis.sha1hex((claim_request.ids(q, 1))), 1, 12), 16)
end

-- The first `most` of these that are of the kinds asked for, or of no readable one.
local function of_kinds(u, q, ids, most)
    local fitting = {}
    for i = 1, #ids do
        local kind = call("HGET", keys.core(u.tag, ids[i]), "execution_kind")
        if not kind or q.kinds[kind] then
            fitting[#fitting + 1] = ids[i]
            if #fitting == most then break end
        end
    end
    return fitting
end

-- Ids of this lane with an overdue lease, a few from anywhere among all of them, so that members this worker
-- cannot run hide nothing. They have the lowest scores of the lane's active index, so ranks find them.
function claim_sources.lost(u, q)
    local index = keys.lane(u.tag, q.lane, "active")
    local count = call("ZCOUNT", index, "-inf", text(u.now))
    if count == 0 then return NONE end
    local most = math.min(math.max(LOST_EXAMINED_MIN, 2 * q.max_tasks), LOST_EXAMINED_MAX)
    local wanted = math.min(q.kinds and LOST_OF_KINDS_MAX or most, count)
    local start = claim_sources.dice(q) % count
    local chosen = call("ZRANGE", index, start, math.min(start + wanted, count) - 1)
    if start + wanted > count then
        for _, e in ipairs(call("ZRANGE", index, 0, start + wanted - count - 1)) do
            chosen[#chosen + 1] = e
        end
    end
    return q.kinds and of_kinds(u, q, chosen, most) or chosen
end

function claim_sources.comes_first(a, b)
    if a.score ~= b.score then return a.score < b.score end
    return bytes.less(a.e, b.e)
end

-- The queues of the requirement sets the worker covers; their members by score, with their set.
local function covered_members(u, q)
    local sets = call("HGETALL", keys.lane(u.tag, q.lane, "route_sets"))
    local count = #sets / 2
    if count == 0 then return NONE end
    local members = {}
    local start = count > claim_sources.ROUTE_SETS_MAX and claim_sources.dice(q) or 0
    for i = 1, math.min(count, claim_sources.ROUTE_SETS_MAX) do
        local required = sets[(start + i - 1) % count * 2 + 2]
        if not capabilities.missing(required, q.capabilities) then
            local page = call("ZRANGE", route.queue(u.tag, q.lane, required), 0, q.max_tasks - 1, "WITHSCORES")
            for j = 1, #page, 2 do
                members[#members + 1] = {e = page[j], score = tonumber(page[j + 1]), required = required}
            end
        end
    end
    if members[2] then table.sort(members, claim_sources.comes_first) end
    return members
end

-- A walk over eligible and covered route members in score order. `all_read`: the pages read so far
-- hold the whole eligible index; `read` is how many members they have.
function claim_sources.open(u, q)
    local walk = {
        index = keys.lane(u.tag, q.lane, "eligible"), depth = q.scan_depth, head = q.max_tasks + 1,
        depth_max = math.max(q.scan_depth, claim_sources.EXAMINED_MIN), read = 0, page_end = 0, all_read = false,
        page = NONE, at = 1, step = 1, routed = covered_members(u, q), routed_at = 1, moved_before = none,
    }
    -- Scores are needed only where there is something to merge with.
    if walk.routed[1] then walk.step = 2 end
    return walk
end

-- Whether there may be a further page; one follows only while the last one moved work out of the way.
local function begin_page(walk, moved)
    if walk.read >= walk.depth_max or (walk.read > 0 and moved == walk.moved_before) then return false end
    walk.moved_before = moved
    walk.page_end = math.min(walk.read + walk.depth, walk.depth_max)
    return true
end

-- Reads on. Most claims are filled by the head of the queue: it is read alone, with one more to tell
-- whether anything is left, and the rest of the first page only when somebody had to be passed over.
local function turn_page(walk, moved)
    if walk.all_read or (walk.read == walk.page_end and not begin_page(walk, moved)) then return end
    local from, to = walk.read, walk.page_end - 1
    if from == 0 then to = math.min(to, walk.head - 1) end
    if walk.step == 2 then
        walk.page = call("ZRANGE", walk.index, from, to, "WITHSCORES")
    else
        walk.page = call("ZRANGE", walk.index, from, to)
    end
    walk.at = 1
    local count = #walk.page / walk.step
    walk.read = walk.read + count
    walk.all_read = count < to - from + 1
end

-- The next candidate: its id and, if it comes from a route sub-queue, the set required. nil at the
-- end. `moved` counts what this call has moved to blocked:route.
function claim_sources.next(walk, moved)
    if not walk.page[walk.at] then turn_page(walk, moved) end
    local e, routed = walk.page[walk.at], walk.routed[walk.routed_at]
    if routed and (not e or routed.score < tonumber(walk.page[walk.at + 1])) then
        walk.routed_at = walk.routed_at + 1
        return routed.e, routed.required
    end
    if e then walk.at = walk.at + walk.step end
    return e
end

-- Whether every member of the eligible index has been handed out.
function claim_sources.is_exhausted(walk)
    return walk.all_read and not walk.page[walk.at]
end

-- How many members the eligible index has after `removed` were taken out of it.
function claim_sources.left(walk, removed)
    if walk.all_read then return math.max(0, walk.read - removed) end
    return call("ZCARD", walk.index)
end

return claim_sources
