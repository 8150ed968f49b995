-- Event feeds (chapter 04 section 13.1). Entries are collected in the unit of the call and written by
-- its commit: one HINCRBY reserves the ordinals of all of them.
local feed = {}

feed.TEXT_MAX = 1024
local TRIM_STEP = 128
local EVENTS_MAX = 4000
local SIGNALS_MAX = 10000

-- What all entries tell, and `fields`, those of its own, name and value by turns. `c` holds namespace,
-- lane_id, flow_id.
local function entry_of(family, e, c, fields)
    return {family, e, c.namespace or "", c.lane_id or "", c.flow_id or "", fields}
end

function feed.add(u, family, e, c, fields)
    u.events[#u.events + 1] = entry_of(family, e, c, fields)
end

-- Into the signal feed; `maxlen` is the caller's cap, nil for the default.
function feed.add_signal(u, e, c, fields, maxlen)
    u.signals = u.signals or {}
    u.signals[#u.signals + 1] = entry_of("signal_delivery", e, c, fields)
    u.signals_max = maxlen
end

function feed.operator(u, e, c, event, detail)
    feed.add(u, "operator", e, c, {"event", event, "detail", cjson.encode(detail)})
end

-- Answers whether the entry was taken.
local function xadd(key, id, now, entry)
    local fields = entry[6]
    if not run_pieces then
        local added = try("XADD", key, id, "family", entry[1], "execution_id", entry[2], "namespace", entry[3],
            "lane_id", entry[4], "flow_id", entry[5], "ts", now, unpack(fields))
        return type(added) ~= "table" or not added.err
    end
    add_text("XADD") add_text(key) add_text(id)
    add_text("family") add_text(entry[1])
    add_text("execution_id") add_text(entry[2])
    add_text("namespace") add_text(entry[3])
    add_text("lane_id") add_text(entry[4])
    add_text("flow_id") add_text(entry[5])
    add_text("ts") add_number(now)
    for i = 1, #fields do
        issue.add(fields[i])
    end
    return run_pieces()
end

-- The id refused by a clock that stepped back continues from the newest entry's time.
local function append(key, time, ordinal, now, entry)
    if xadd(key, string.format("%s-%d", time, ordinal), now, entry) then return time end
    local newest = try("XREVRANGE", key, "+", "-", "COUNT", 1)
    if newest.err or not newest[1] then return time end
    time = string.match(newest[1][1], "^%d+")
    xadd(key, string.format("%s-%d", time, ordinal), now, entry)
    return time
end

-- A feed that cannot be written is a gap for its readers, never a failed change of state.
local function write(u, name, entries, cap)
    local count = #entries
    local sequence = keys.part(u.tag, "feed_seq")
    local last = try("HINCRBY", sequence, name, count)
    if type(last) ~= "number" then return end
    local key = keys.part(u.tag, name)
    local time = text(u.now)
    for i = 1, count do
        time = append(key, time, last - count + i, u.now, entries[i])
    end
    if math.floor(last / TRIM_STEP) > math.floor((last - count) / TRIM_STEP) then
        cap = cap or tonumber(try("HGET", sequence, "maxlen") or "") or EVENTS_MAX
        try("XTRIM", key, "MAXLEN", "~", cap)
    end
end

function feed.flush(u)
    local events = u.events
    if events[1] then
        write(u, "events", events)
        for i = 1, #events do
            events[i] = nil
        end
    end
    if u.signals then
        local entries = u.signals
        u.signals = false
        write(u, "signal_delivery", entries, u.signals_max or SIGNALS_MAX)
    end
end

return feed
