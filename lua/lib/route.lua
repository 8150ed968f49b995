-- Route sub-queues: one queue per set of required capabilities (chapter 06 section 6).
local route = {}

function route.queue(tag, lane, capabilities)
    return keys.lane(tag, lane, "route:" .. redis.sha1hex(capabilities))
end

-- Into the sub-queue of its requirements, in the order of eligible work. A call that adds many names
-- each set once.
function route.enter(u, e, c)
    local capabilities = c.required_capabilities or ""
    local queue = route.queue(u.tag, c.lane_id, capabilities)
    u.routes_named = u.routes_named or {}
    if not u.routes_named[queue] then
        u.routes_named[queue] = true
        unit.hset(u, keys.lane(u.tag, c.lane_id, "route_sets"), {[redis.sha1hex(capabilities)] = capabilities})
    end
    unit.zadd(u, queue, placement.score(c.priority, number_of(c.created_at)), e)
end

-- Out of the sub-queue; the set is dropped with its last member.
function route.leave(u, e, c)
    local capabilities = c.required_capabilities or ""
    local queue = route.queue(u.tag, c.lane_id, capabilities)
    unit.zrem(u, queue, e)
    u.routes_left = u.routes_left or {}
    if u.routes_left[queue] then return end
    u.routes_left[queue] = true
    local sets = keys.lane(u.tag, c.lane_id, "route_sets")
    unit.after(u, function()
        u.routes_left[queue] = nil
        if u.routes_named then u.routes_named[queue] = nil end
        if call("EXISTS", queue) == 0 then
            call("HDEL", sets, redis.sha1hex(capabilities))
        end
    end)
end

return route
