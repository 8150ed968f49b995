-- Who waits for work of a lane (chapter 06 section 13). In the HASH `ff:wake:{fp:N}` the field of a lane says until
-- when it announces what enters it; the fields of its kinds say the same for claims that ask for kinds, and the one
-- of no kind how far its queues by kind are (lib/kind_queue.lua).
local wake = {}

function wake.field(lane, kind)
    return lane .. "\n" .. kind
end

-- What is known of a lane, read once per call: `armed` and `queues`, false for none. `told`: something entered it;
-- `kinds`, of which kinds, if anybody may ask.
function wake.of(u, lane)
    local lanes = u.lanes
    if not lanes then
        lanes = {}
        u.lanes = lanes
    end
    local known = lanes[lane]
    if known then return known end
    local read = call("HMGET", keys.wake(u.tag), lane, wake.field(lane, ""))
    known = {lane = lane, armed = read[1], queues = read[2], told = false, kinds = false}
    lanes[lane] = known
    lanes[#lanes + 1] = known
    return known
end

-- Whoever waits for work of this lane is told when the call has written, once.
function wake.note(u, lane, kind)
    local known = wake.of(u, lane)
    known.told = true
    if not known.queues or not is_set(kind) then return end
    local kinds = known.kinds or {}
    known.kinds = kinds
    if kinds[kind] then return end
    kinds[kind] = true
    kinds[#kinds + 1] = kind
end

local FIELDS_MAX = 500

local function tell_kinds(u, lane, kinds)
    local key = keys.wake(u.tag)
    for from = 1, #kinds, FIELDS_MAX do
        local fields = {}
        for i = from, math.min(from + FIELDS_MAX - 1, #kinds) do
            fields[#fields + 1] = wake.field(lane, kinds[i])
        end
        local armed = call("HMGET", key, unpack(fields))
        for i = 1, #fields do
            if armed[i] then
                call("HDEL", key, fields[i])
                if number_of(armed[i]) >= u.now then
                    call("PUBLISH", "ff:wake:" .. lane, u.tag .. " " .. kinds[from + i - 1])
                end
            end
        end
    end
end

-- Tells those who wait for one lane.
function wake.tell(u, known)
    if not known.told then return end
    if known.armed then
        call("HDEL", keys.wake(u.tag), known.lane)
        if number_of(known.armed) >= u.now then
            call("PUBLISH", "ff:wake:" .. known.lane, u.tag)
        end
    end
    if known.kinds then tell_kinds(u, known.lane, known.kinds) end
end

-- The lane announces what enters it until then; with a list of kinds, only what is of those.
function wake.arm(u, lane, kinds, armed_until)
    if not kinds then
        call("HSET", keys.wake(u.tag), lane, armed_until)
        return
    end
    local fields = {}
    for i = 1, #kinds do
        fields[2 * i - 1], fields[2 * i] = wake.field(lane, kinds[i]), armed_until
    end
    call("HSET", keys.wake(u.tag), unpack(fields))
end

return wake
