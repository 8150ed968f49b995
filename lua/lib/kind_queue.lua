-- Queues by kind (chapter 06 section 7): the members of a lane's eligible index, and of each of its route sub-queues,
-- that are of one kind, with the same scores. A lane has them from the first claim that asks for kinds on, and its
-- executions carry `kind_queued` while they may be in one: work that nobody asks for by kind costs nothing.
local kind_queue = {}

local COMPLETE = "complete"
-- Members that one call sorts in.
local BUILT_MAX = 2048

function kind_queue.eligible(tag, lane, kind)
    return keys.lane(tag, lane, "kind:" .. kind)
end

-- Whether entering work must be queued by its kind.
function kind_queue.is_wanted(u, c)
    return is_set(c.execution_kind) and wake.of(u, c.lane_id).queues
end

function kind_queue.is_complete(u, lane)
    return wake.of(u, lane).queues == COMPLETE
end

-- `set`: the fields of its core.
function kind_queue.enter_eligible(u, e, c, set, score)
    if not kind_queue.is_wanted(u, c) then return end
    unit.zadd(u, kind_queue.eligible(u.tag, c.lane_id, c.execution_kind), score, e)
    set.kind_queued = "1"
end

function kind_queue.leave_eligible(u, e, c)
    if is_set(c.kind_queued) then
        unit.zrem(u, kind_queue.eligible(u.tag, c.lane_id, c.execution_kind), e)
    end
end

-- A member that lies: out of the queue where it was met, `required` naming a route sub-queue.
function kind_queue.drop(u, e, lane, required, kind)
    if required then
        route.quit_kind(u, e, lane, required, kind)
    else
        unit.zrem(u, kind_queue.eligible(u.tag, lane, kind), e)
    end
end

-- Work that entered before anybody asked ---------------------------------------------------------

-- The rank of the first member behind a position. The member there may have left, so its rank is searched.
local function rank_behind(index, score, member)
    local low = call("ZCOUNT", index, "-inf", "(" .. score)
    local high = low + call("ZCOUNT", index, score, score)
    while low < high do
        local middle = math.floor((low + high) / 2)
        if bytes.less(member, call("ZRANGE", index, middle, middle)[1]) then
            high = middle
        else
            low = middle + 1
        end
    end
    return low
end

-- The requirement sets of the lane by the names of their queues, and those names in order.
local function route_queues(u, lane)
    local flat, required = call("HGETALL", keys.lane(u.tag, lane, "route_sets")), {}
    for i = 1, #flat, 2 do
        required["route:" .. flat[i]] = flat[i + 1]
    end
    return required, bytes.sorted(required, #flat)
end

-- The first route queue behind `name`, which may be gone; nil at the end.
local function queue_behind(names, name)
    for i = 1, #names do
        if name == "eligible" or bytes.less(name, names[i]) then return names[i] end
    end
end

local function sort_in(u, lane, e, score, required)
    local kind = call("HGET", keys.core(u.tag, e), "execution_kind")
    if not is_set(kind) then return end
    if required then
        route.join_kind(u, e, lane, required, kind, score)
    else
        unit.zadd(u, kind_queue.eligible(u.tag, lane, kind), score, e)
    end
    unit.record(u, {"HSET", keys.core(u.tag, e), "kind_queued", "1"})
end

-- Sorts in one page of one queue. Returns how many members it had, and where it ended.
local function sort_page(u, lane, position, required, most)
    local index = keys.lane(u.tag, lane, position.queue)
    local from = position.score and rank_behind(index, position.score, position.member) or 0
    local page = call("ZRANGE", index, from, from + most - 1, "WITHSCORES")
    for i = 1, #page, 2 do
        sort_in(u, lane, page[i], page[i + 1], required)
    end
    return #page / 2, page[#page], page[#page - 1]
end

local function read_position(state)
    local queue, score, member = string.match(state or "eligible", "^(%S+) ?(%S*) ?(.*)$")
    return {queue = queue, score = score ~= "" and score, member = member}
end

local function state_of(position)
    if not position.queue then return COMPLETE end
    if not position.score then return position.queue end
    return position.queue .. " " .. position.score .. " " .. position.member
end

-- Goes on sorting in what the lane had before, best first, up to BUILT_MAX members. Answers whether all is done.
function kind_queue.build(u, lane)
    local state = wake.of(u, lane).queues
    if state == COMPLETE then return true end
    local required, names = route_queues(u, lane)
    local position, most = read_position(state), BUILT_MAX
    while position.queue and most > 0 do
        local count, score, member = sort_page(u, lane, position, required[position.queue], most)
        if count < most then
            position = {queue = queue_behind(names, position.queue)}
        else
            position = {queue = position.queue, score = score, member = member}
        end
        -- An empty queue counts too, so that many of them end as well.
        most = most - math.max(count, 1)
    end
    unit.commit(u)
    state = state_of(position)
    call("HSET", keys.wake(u.tag), wake.field(lane, ""), state)
    return state == COMPLETE
end

return kind_queue
