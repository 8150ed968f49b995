-- Event feeds (chapter 04 section 13.1). Entries are collected in the unit of the call and written by
-- its commit: one HINCRBY reserves the ordinals of all of them.
local feed = {}

feed.TEXT_MAX = 1024
local TRIM_STEP = 128
local EVENTS_MAX = 4000
local SIGNALS_MAX = 10000

-- An entry is so many values in its list: family, execution, namespace, lane, flow, and the fields of its
-- own, name and value by turns. `c` holds namespace, lane_id, flow_id. `fields.room`: where the fields go when
-- they are written, if they are used again.
local ENTRY = 6

local function append_entry(list, family, e, c, fields)
    local size = list.n
    list.n = size + ENTRY
    list[size + 1] = family
    list[size + 2] = e
    list[size + 3] = c.namespace or ""
    list[size + 4] = c.lane_id or ""
    list[size + 5] = c.flow_id or ""
    list[size + 6] = fields
end

function feed.add(u, family, e, c, fields)
    append_entry(u.events, family, e, c, fields)
end

-- Into the signal feed; `maxlen` is the caller's cap, nil for the default.
function feed.add_signal(u, e, c, fields, maxlen)
    u.signals = u.signals or {n = 0}
    append_entry(u.signals, "signal_delivery", e, c, fields)
    u.signals_max = maxlen
end

function feed.operator(u, e, c, event, detail)
    feed.add(u, "operator", e, c, {"event", event, "detail", cjson.encode(detail)})
end

-- Answers whether the entry that begins at `at` was taken.
local function xadd(key, time, ordinal, now, list, at)
    local fields = list[at + 5]
    if not run_pieces then
        local id = string.format("%.0f-%.0f", time, ordinal)
        local added = try("XADD", key, id, "family", list[at], "execution_id", list[at + 1],
            "namespace", list[at + 2], "lane_id", list[at + 3], "flow_id", list[at + 4], "ts", now, unpack(fields))
        return type(added) ~= "table" or not added.err
    end
    add_text("XADD") add_text(key) add_entry_id(time, ordinal)
    add_text("family") add_text(list[at])
    add_text("execution_id") add_text(list[at + 1])
    add_text("namespace") add_text(list[at + 2])
    add_text("lane_id") add_text(list[at + 3])
    add_text("flow_id") add_text(list[at + 4])
    add_text("ts") add_number(now)
    for i = 1, #fields do
        issue.add(fields[i])
    end
    return run_pieces()
end

-- The id refused by a clock that stepped back continues from the newest entry's time.
local function append(key, time, ordinal, now, list, at)
    if xadd(key, time, ordinal, now, list, at) then return time end
    local newest = try("XREVRANGE", key, "+", "-", "COUNT", 1)
    if newest.err or not newest[1] then return time end
    time = tonumber(string.match(newest[1][1], "^%d+"))
    xadd(key, time, ordinal, now, list, at)
    return time
end

-- A feed that cannot be written is a gap for its readers, never a failed change of state.
local function write(u, name, entries, cap)
    local count = entries.n / ENTRY
    local sequence = keys.part(u.tag, "feed_seq")
    local last = try("HINCRBY", sequence, name, count)
    if type(last) ~= "number" then return end
    local key = keys.part(u.tag, name)
    local time = u.now
    for i = 1, count do
        time = append(key, time, last - count + i, u.now, entries, ENTRY * (i - 1) + 1)
        local fields = entries[ENTRY * i]
        if fields.room then room.give(fields.room, fields) end
    end
    if math.floor(last / TRIM_STEP) > math.floor((last - count) / TRIM_STEP) then
        cap = cap or tonumber(try("HGET", sequence, "maxlen") or "") or EVENTS_MAX
        try("XTRIM", key, "MAXLEN", "~", cap)
    end
end

function feed.flush(u)
    local events = u.events
    if events.n > 0 then
        write(u, "events", events)
        for i = 1, events.n do
            events[i] = nil
        end
        events.n = 0
    end
    if u.signals then
        local entries = u.signals
        u.signals = false
        write(u, "signal_delivery", entries, u.signals_max or SIGNALS_MAX)
    end
end

return feed
