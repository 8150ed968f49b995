-- Route sub-queues: one queue per set of required capabilities (chapter 06 section 6), and, of lanes whose claims ask
-- for kinds, one per set and kind. The HASH `route_sets` names the sets, `route_kinds` those with a kind behind LF.
local route = {}

function route.queue(tag, lane, requirement)
    return keys.lane(tag, lane, "route:" .. redis.sha1hex(requirement))
end

function route.with_kind(capabilities, kind)
    return capabilities .. "\n" .. kind
end

-- A call that adds many names each set once.
local function join(u, e, lane, sets, requirement, score)
    local queue = route.queue(u.tag, lane, requirement)
    u.routes_named = u.routes_named or {}
    if not u.routes_named[queue] then
        u.routes_named[queue] = true
        unit.hset(u, keys.lane(u.tag, lane, sets), {[redis.sha1hex(requirement)] = requirement})
    end
    unit.zadd(u, queue, score, e)
end

-- The set is dropped with its last member.
local function quit(u, e, lane, sets_name, requirement)
    local queue = route.queue(u.tag, lane, requirement)
    unit.zrem(u, queue, e)
    u.routes_left = u.routes_left or {}
    if u.routes_left[queue] then return end
    u.routes_left[queue] = true
    local sets = keys.lane(u.tag, lane, sets_name)
    unit.after(u, function()
        u.routes_left[queue] = nil
        if u.routes_named then u.routes_named[queue] = nil end
        if call("EXISTS", queue) == 0 then
            call("HDEL", sets, redis.sha1hex(requirement))
        end
    end)
end

function route.join_kind(u, e, lane, capabilities, kind, score)
    join(u, e, lane, "route_kinds", route.with_kind(capabilities, kind), score)
end

function route.quit_kind(u, e, lane, capabilities, kind)
    quit(u, e, lane, "route_kinds", route.with_kind(capabilities, kind))
end

-- Into the sub-queue of its requirements, in the order of eligible work. `set`: the fields of its core.
function route.enter(u, e, c, set)
    local capabilities = c.required_capabilities or ""
    local score = placement.score(c.priority, number_of(c.created_at))
    join(u, e, c.lane_id, "route_sets", capabilities, score)
    if kind_queue.is_wanted(u, c) then
        route.join_kind(u, e, c.lane_id, capabilities, c.execution_kind, score)
        set.kind_queued = "1"
    end
end

-- Out of the sub-queue.
function route.leave(u, e, c)
    local capabilities = c.required_capabilities or ""
    quit(u, e, c.lane_id, "route_sets", capabilities)
    if is_set(c.kind_queued) then route.quit_kind(u, e, c.lane_id, capabilities, c.execution_kind) end
end

return route
