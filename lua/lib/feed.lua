-- Event feeds (chapter 04 section 13.1). Entries are collected in the unit of the call and written by
-- its commit: one HINCRBY reserves the ordinals of all of them.
local feed = {}

feed.TEXT_MAX = 1024
local TRIM_STEP = 128
local EVENTS_MAX = 4000
local SIGNALS_MAX = 10000

-- The common fields, followed by those of the flat array `fields`; `c` holds namespace, lane_id, flow_id.
local function entry_of(u, family, e, c, fields)
    return {
        "family", family, "execution_id", e, "namespace", c.namespace or "", "lane_id", c.lane_id or "",
        "flow_id", c.flow_id or "", "ts", u.now, unpack(fields),
    }
end

function feed.add(u, family, e, c, fields)
    u.events[#u.events + 1] = entry_of(u, family, e, c, fields)
end

-- Into the signal feed; `maxlen` is the caller's cap, nil for the default.
function feed.add_signal(u, e, c, fields, maxlen)
    u.signals = u.signals or {}
    u.signals[#u.signals + 1] = entry_of(u, "signal_delivery", e, c, fields)
    u.signals_max = maxlen
end

function feed.operator(u, e, c, event, detail)
    feed.add(u, "operator", e, c, {"event", event, "detail", cjson.encode(detail)})
end

-- The id refused by a clock that stepped back continues from the newest entry's time.
local function append(key, now, ordinal, entry)
    local added = try("XADD", key, string.format("%.0f-%.0f", now, ordinal), unpack(entry))
    if type(added) ~= "table" or not added.err then return now end
    local newest = try("XREVRANGE", key, "+", "-", "COUNT", 1)
    if newest.err or not newest[1] then return now end
    now = tonumber(string.match(newest[1][1], "^%d+"))
    try("XADD", key, string.format("%.0f-%.0f", now, ordinal), unpack(entry))
    return now
end

-- A feed that cannot be written is a gap for its readers, never a failed change of state.
local function write(u, name, entries, cap)
    local count = #entries
    local sequence = keys.part(u.tag, "feed_seq")
    local last = try("HINCRBY", sequence, name, count)
    if type(last) ~= "number" then return end
    local key = keys.part(u.tag, name)
    local now = u.now
    for i = 1, count do
        now = append(key, now, last - count + i, entries[i])
    end
    if math.floor(last / TRIM_STEP) > math.floor((last - count) / TRIM_STEP) then
        cap = cap or tonumber(try("HGET", sequence, "maxlen") or "") or EVENTS_MAX
        try("XTRIM", key, "MAXLEN", "~", cap)
    end
end

function feed.flush(u)
    if u.events[1] then
        local entries = u.events
        u.events = {}
        write(u, "events", entries)
    end
    if u.signals then
        local entries = u.signals
        u.signals = false
        write(u, "signal_delivery", entries, u.signals_max or SIGNALS_MAX)
    end
end

return feed
