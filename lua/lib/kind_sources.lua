-- Where a batch claim that asks for kinds looks for work: the queues by kind of the eligible index and of the route
-- sub-queues the worker covers, merged by score (chapter 06 section 12.1).
local kind_sources = {}

-- `required`: of a route sub-queue, the set that it stands for. Pages are members and scores by turns.
local function add_queue(walk, key, kind, required)
    walk.queues[#walk.queues + 1] = {
        key = key, kind = kind, required = required, page = {}, at = 1, read = 0, all_read = false,
    }
end

local function add_routes(walk, u, q)
    local sets = call("HGETALL", keys.lane(u.tag, q.lane, "route_kinds"))
    local count = #sets / 2
    local start = count > claim_sources.ROUTE_SETS_MAX and claim_sources.dice(q) or 0
    for i = 1, math.min(count, claim_sources.ROUTE_SETS_MAX) do
        local requirement = sets[(start + i - 1) % count * 2 + 2]
        local required, kind = string.match(requirement, "^([^\n]*)\n(.*)$")
        if kind and q.kinds[kind] and not capabilities.missing(required, q.capabilities) then
            add_queue(walk, route.queue(u.tag, q.lane, requirement), kind, required)
        end
    end
end

-- `depth`: how many candidates are handed out at most; `depth_max`, once some of them were moved out of the way.
function kind_sources.open(u, q)
    local walk = {
        queues = {}, handed = 0, head = q.max_tasks + 1, depth = q.scan_depth,
        depth_max = math.max(q.scan_depth, claim_sources.EXAMINED_MIN),
    }
    for i = 1, #q.kinds do
        add_queue(walk, kind_queue.eligible(u.tag, q.lane, q.kinds[i]), q.kinds[i], nil)
    end
    add_routes(walk, u, q)
    return walk
end

-- Whether the queue has a member at its place, reading on if need be.
local function has_next(walk, queue)
    if queue.page[queue.at] then return true end
    if queue.all_read then return false end
    local count = queue.read == 0 and walk.head or walk.depth
    queue.page = call("ZRANGE", queue.key, queue.read, queue.read + count - 1, "WITHSCORES")
    queue.at = 1
    queue.read = queue.read + #queue.page / 2
    queue.all_read = #queue.page / 2 < count
    return queue.page[1] ~= nil
end

local function precedes(queue, other)
    local score, other_score = tonumber(queue.page[queue.at + 1]), tonumber(other.page[other.at + 1])
    if score ~= other_score then return score < other_score end
    return bytes.less(queue.page[queue.at], other.page[other.at])
end

-- The next candidate: its id, the set required if it comes from a route sub-queue, and its kind. nil at the end.
function kind_sources.next(walk, moved)
    local first
    for i = 1, #walk.queues do
        local queue = walk.queues[i]
        if has_next(walk, queue) and (not first or precedes(queue, first)) then first = queue end
    end
    if not first then return nil end
    if walk.handed >= (moved > 0 and walk.depth_max or walk.depth) then return nil end
    walk.handed = walk.handed + 1
    local e = first.page[first.at]
    first.at = first.at + 2
    return e, first.required, first.kind
end

-- How many eligible members the kinds asked for have.
function kind_sources.left(u, q)
    local left = 0
    for i = 1, #q.kinds do
        left = left + call("ZCARD", kind_queue.eligible(u.tag, q.lane, q.kinds[i]))
    end
    return left
end

return kind_sources
