-- Event feeds (chapter 04 section 13.1). Entries are collected in the unit of the call and written by
-- its commit: one HINCRBY reserves the ordinals of all of them.
local feed = {}

feed.TEXT_MAX = 1024
local TRIM_STEP = 128
local EVENTS_MAX = 4000
local SIGNALS_MAX = 10000

-- The common fields, followed by those given; `c` holds namespace, lane_id, flow_id.
local function entry_of(u, family, e, c, ...)
    return {
        "family", family, "execution_id", e, "namespace", c.namespace or "", "lane_id", c.lane_id or "",
        "flow_id", c.flow_id or "", "ts", u.now, ...
    }
end

-- The fields of its own follow `c`, name and value by turns.
function feed.add(u, family, e, c, ...)
    u.events[#u.events + 1] = entry_of(u, family, e, c, ...)
end

-- Into the signal feed; `maxlen` is the caller's cap, nil for the default.
function feed.add_signal(u, e, c, fields, maxlen)
    u.signals = u.signals or {}
    u.signals[#u.signals + 1] = entry_of(u, "signal_delivery", e, c, unpack(fields))
    u.signals_max = maxlen
end

function feed.operator(u, e, c, event, detail)
    feed.add(u, "operator", e, c, "event", event, "detail", cjson.encode(detail))
end

-- The id refused by a clock that stepped back continues from the newest entry's time.
local function append(key, time, ordinal, entry)
    local added = try("XADD", key, time .. "-" .. ordinal, unpack(entry))
    if type(added) ~= "table" or not added.err then return time end
    local newest = try("XREVRANGE", key, "+", "-", "COUNT", 1)
    if newest.err or not newest[1] then return time end
    time = string.match(newest[1][1], "^%d+")
    try("XADD", key, time .. "-" .. ordinal, unpack(entry))
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
        time = append(key, time, text(last - count + i), entries[i])
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
