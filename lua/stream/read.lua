-- @function ff_read_attempt_stream
-- @keys stream_data stream_meta [exec_core] [attempt_hash]
-- @argv from_id to_id count_limit [visibility] [frame_types] [max_bytes]
-- @reply {1,"OK",entries,closed_at,closed_reason,next_id,more,last_sequence,frame_count}
-- @refuses invalid_input invalid_offset execution_not_found
-- @repeat reads only
local COUNT_MAX = 10000
local EXAMINED_MAX = 10000
local CHUNK_MAX = 256
local PART_MAX = "18446744073709551615"
local VISIBILITIES = {all = true, exclude_best_effort = true}

-- One part of an id without leading zeros, or nil when it is none.
local function part(digits)
    local plain = string.match(digits, "^0*(%d+)$")
    if not plain or #plain > #PART_MAX or (#plain == #PART_MAX and bytes.less(PART_MAX, plain)) then return nil end
    return plain
end

-- A bound: its id, and whether that id itself is left out. `rest` completes a bare time.
local function bound(argv, i, name, rest, open_end)
    local given = args.text(argv, i)
    if given == "" then given = open_end end
    if given == "-" or given == "+" then return given, false end
    local mark, ms, ordinal = string.match(given, "^(%(?)(%d+)%-?(%d*)$")
    local has_ordinal = ms and string.find(given, "-", 1, true)
    if not ms or (has_ordinal and ordinal == "") then refuse("invalid_offset", name) end
    ms = part(ms)
    ordinal = has_ordinal and part(ordinal) or (not has_ordinal and rest)
    if not ms or not ordinal then refuse("invalid_offset", name) end
    return ms .. "-" .. ordinal, mark == "("
end

local function count_limit(argv)
    local count = args.to_integer(argv[3])
    if not count or count < 1 then refuse("invalid_input", "count_limit must be >= 1") end
    if count > COUNT_MAX then refuse("invalid_input", "count_limit_exceeds_hard_cap") end
    return count
end

local function wanted_types(csv)
    if csv == "" then return nil end
    local wanted = {}
    for name in string.gmatch(csv, "[^,]+") do
        wanted[name] = true
    end
    return wanted
end

local function as_table(flat)
    local fields = {}
    for i = 1, #flat, 2 do
        fields[flat[i]] = flat[i + 1]
    end
    return fields
end

-- Reads a key in chunks. The id where a chunk ended comes again and is passed over, as is an excluded bound.
local function source(key, query)
    return {key = key, from = query.from, skip = query.skips_from and query.from, to = query.to,
        skip_to = query.skips_to and query.to, chunk = query.chunk, entries = {}, at = 1}
end

local function fill(src)
    while not src.is_drained and not src.entries[src.at] do
        local chunk = call("XRANGE", src.key, src.from, src.to, "COUNT", src.chunk)
        src.is_drained = #chunk < src.chunk
        src.entries, src.at = {}, 1
        for _, entry in ipairs(chunk) do
            local id = entry[1]
            if id ~= src.skip and id ~= src.skip_to then
                local fields = as_table(entry[2])
                -- The close marker wakes readers; it is no frame.
                if fields.mode ~= "control" then
                    src.entries[#src.entries + 1] = {id = id, flat = entry[2], fields = fields}
                end
            end
        end
        if chunk[1] then
            src.from = chunk[#chunk][1]
            src.skip = src.from
        end
    end
    return src.entries[src.at]
end

local function ordinal_of(entry)
    return tonumber(string.match(entry.id, "%-(%d+)$"))
end

-- The source whose next frame comes first; nil at the end of both.
local function earlier(a, b)
    local left, right = fill(a), fill(b)
    if not left then return right and b end
    if not right or ordinal_of(left) < ordinal_of(right) then return a end
    return b
end

local function is_wanted(query, fields)
    if query.visibility == "exclude_best_effort" and fields.mode == "best_effort" then return false end
    return not query.types or query.types[fields.frame_type] == true
end

-- The page: entries, the last id examined, and whether more is left.
local function read_page(key, query)
    local data, live = source(key, query), source(key .. ":live", query)
    local page, next_id, examined, size = {}, "", 0, 0
    while true do
        local src = earlier(data, live)
        if not src then return page, next_id, "0" end
        local entry = src.entries[src.at]
        local wanted = is_wanted(query, entry.fields)
        local payload = wanted and #(entry.fields.payload or "") or 0
        local is_full = #page >= query.count or examined >= EXAMINED_MAX
            or (wanted and page[1] and query.max_bytes and size + payload > query.max_bytes)
        if is_full then return page, next_id, "1" end
        src.at = src.at + 1
        examined = examined + 1
        next_id = entry.id
        if wanted then
            page[#page + 1] = {entry.id, entry.flat}
            size = size + payload
        end
    end
end

-- Section 7.3: what the metadata does not say, core and attempt tell.
local function derive_end(given, tag, e, index, closed_at, reason)
    if not is_set(given[3]) or string.find(given[3], "^ff:noop:") then return closed_at, reason end
    local c = core.require(tag, e)
    if closed_at ~= "" then return closed_at, reason end
    local derived_at, derived = stream.derived_end(c, call("HMGET", keys.attempt(tag, e, index), "attempt_state", "ended_at",
        "failure_reason"))
    return derived_at or "", derived or ""
end

registry.add_read_only("ff_read_attempt_stream", 2, 3, function(given, argv)
    local tag, e, index = string.match(given[1], "^ff:stream:({[^}]*}):(.+):(%d+)$")
    if not tag then args.refuse("KEYS[1]", "not a stream") end
    local query = {count = count_limit(argv), types = wanted_types(args.text(argv, 5))}
    query.visibility = args.optional_word(argv, 4, "visibility", VISIBILITIES)
    query.max_bytes = args.optional_integer(argv, 6, "max_bytes", 0)
    query.from, query.skips_from = bound(argv, 1, "from_id", "0", "-")
    query.to, query.skips_to = bound(argv, 2, "to_id", PART_MAX, "+")
    query.chunk = math.min(CHUNK_MAX, query.count + 2)
    local meta = call("HMGET", given[1] .. ":meta", "closed_at", "closed_reason", "last_sequence", "frame_count")
    local closed_at, reason = derive_end(given, tag, e, index, meta[1] or "", meta[2] or "")
    local entries, next_id, more = read_page(given[1], query)
    return {1, "OK", entries, closed_at, reason, next_id, more, meta[3] or "", meta[4] or ""}
end)
