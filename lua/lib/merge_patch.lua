-- JSON Merge Patch (RFC 7396; chapter 04 section 4.4) on text. Values that are no objects stay the text
-- they came as, so a merge alters nothing that it does not touch: not 9007199254740993, not 1.0, not [].
-- A node is {raw = text} or {names = {...}, members = {name = node}, quoted = {name = text}}.
local merge_patch = {}

local OBJECTS_MAX = 16
local DEPTH_MAX = 64
local NULL_WORD = "__ff_null__"
local ESCAPES = {
    ['"'] = '"', ["\\"] = "\\", ["/"] = "/", b = "\b", f = "\f", n = "\n", r = "\r", t = "\t",
}

-- Raised as plain text, caught in `merge_patch.parse`.
local function fail(why)
    error(why, 0)
end

local function is_continuation(byte)
    return byte and byte >= 0x80 and byte <= 0xbf
end

-- Length of the sequence at `at`, or nil when it is not UTF-8.
local function sequence_length(source, at)
    local first, second = string.byte(source, at, at + 1)
    if not is_continuation(second) then return nil end
    if first >= 0xc2 and first <= 0xdf then return 2 end
    if not is_continuation(string.byte(source, at + 2)) then return nil end
    if first == 0xe0 then return second >= 0xa0 and 3 or nil end
    if first == 0xed then return second <= 0x9f and 3 or nil end
    if first >= 0xe1 and first <= 0xef then return 3 end
    if not is_continuation(string.byte(source, at + 3)) then return nil end
    if first == 0xf0 then return second >= 0x90 and 4 or nil end
    if first == 0xf4 then return second <= 0x8f and 4 or nil end
    return first >= 0xf1 and first <= 0xf3 and 4 or nil
end

local function is_utf8(source)
    local at = string.find(source, "[\128-\255]")
    while at do
        local length = sequence_length(source, at)
        if not length then return false end
        at = string.find(source, "[\128-\255]", at + length)
    end
    return true
end

local function utf8(code)
    if code < 0x80 then return string.char(code) end
    if code < 0x800 then return string.char(0xc0 + math.floor(code / 64), 0x80 + code % 64) end
    if code < 0x10000 then
        return string.char(0xe0 + math.floor(code / 4096), 0x80 + math.floor(code / 64) % 64, 0x80 + code % 64)
    end
    return string.char(0xf0 + math.floor(code / 262144), 0x80 + math.floor(code / 4096) % 64,
        0x80 + math.floor(code / 64) % 64, 0x80 + code % 64)
end

local function pair(high, low)
    return utf8(0x10000 + (tonumber(high, 16) - 0xd800) * 1024 + tonumber(low, 16) - 0xdc00)
end

-- The text that a quoted name or value spells.
local function unquote(quoted)
    local inner = string.sub(quoted, 2, -2)
    if not string.find(inner, "\\", 1, true) then return inner end
    -- A backslash pair must not make the next letter an escape: it becomes a mark no JSON text holds.
    inner = string.gsub(inner, "\\\\", "\\\1")
    inner = string.gsub(inner, "\\u([dD][89abAB]%x%x)\\u([dD][c-fC-F]%x%x)", pair)
    inner = string.gsub(inner, "\\u(%x%x%x%x)", function(hex)
        -- The spelled backslash waits for the end as well.
        local code = tonumber(hex, 16)
        return code == 92 and "\\\1" or utf8(code)
    end)
    inner = string.gsub(inner, "\\([\"/bfnrt])", ESCAPES)
    return (string.gsub(inner, "\\\1", "\\"))
end

local function skip(source, at)
    return string.find(source, "[^ \t\n\r]", at) or #source + 1
end

-- The position behind the string that begins at `at`.
local function string_end(source, at)
    local from = at + 1
    while true do
        local stop = string.find(source, '["\\%z\1-\31]', from)
        if not stop then fail("patch_not_json") end
        local found = string.byte(source, stop)
        if found == 34 then return stop + 1 end
        if found ~= 92 then fail("patch_not_json") end
        local escaped = string.sub(source, stop + 1, stop + 1)
        if escaped == "u" then
            if not string.find(source, "^%x%x%x%x", stop + 2) then fail("patch_not_json") end
            from = stop + 6
        elseif ESCAPES[escaped] then
            from = stop + 2
        else
            fail("patch_not_json")
        end
    end
end

local function number_end(source, at)
    local stop = string.match(source, "^%-?0()", at) or string.match(source, "^%-?[1-9]%d*()", at)
    if not stop then fail("patch_not_json") end
    stop = string.match(source, "^%.%d+()", stop) or stop
    return string.match(source, "^[eE][+-]?%d+()", stop) or stop
end

local function scalar_end(source, at)
    local first = string.byte(source, at)
    if first == 34 then return string_end(source, at) end
    return string.match(source, "^true()", at) or string.match(source, "^false()", at)
        or string.match(source, "^null()", at) or number_end(source, at)
end

local read_value

-- Reads `open item , item close`; `item(at)` returns the position behind one.
local function read_items(source, at, close, item)
    at = skip(source, at + 1)
    if string.sub(source, at, at) == close then return at + 1 end
    while true do
        at = skip(source, item(at))
        local mark = string.sub(source, at, at)
        if mark == close then return at + 1 end
        if mark ~= "," then fail("patch_not_json") end
        at = skip(source, at + 1)
    end
end

local function read_object(source, at, depth, objects)
    if objects > OBJECTS_MAX then fail("patch_depth_exceeded") end
    local node = {names = {}, members = {}, quoted = {}}
    local stop = read_items(source, at, "}", function(from)
        if string.byte(source, from) ~= 34 then fail("patch_not_json") end
        local name_end = string_end(source, from)
        local quoted = string.sub(source, from, name_end - 1)
        local name = unquote(quoted)
        local colon = skip(source, name_end)
        if string.byte(source, colon) ~= 58 then fail("patch_not_json") end
        local value, value_end = read_value(source, skip(source, colon + 1), depth + 1, objects + 1)
        if not node.members[name] then
            node.names[#node.names + 1] = name
            node.quoted[name] = quoted
        end
        node.members[name] = value
        return value_end
    end)
    return node, stop
end

-- Objects inside a list are data: only their depth counts.
local function list_end(source, at, depth)
    return read_items(source, at, "]", function(from)
        local _, stop = read_value(source, from, depth + 1, -DEPTH_MAX)
        return stop
    end)
end

-- The node at `at` and the position behind it. `objects` counts the objects around it.
read_value = function(source, at, depth, objects)
    if depth > DEPTH_MAX then fail("patch_depth_exceeded") end
    local first = string.byte(source, at)
    if first == 123 then return read_object(source, at, depth, objects) end
    local stop = first == 91 and list_end(source, at, depth) or scalar_end(source, at)
    return {raw = string.sub(source, at, stop - 1)}, stop
end

-- The object that the text spells, or nil and what is wrong with it.
function merge_patch.parse(source)
    if not is_utf8(source) then return nil, "patch_not_json" end
    local parsed, node, stop = pcall(read_value, source, skip(source, 1), 0, 0)
    if not parsed then return nil, node end
    if skip(source, stop) <= #source then return nil, "patch_not_json" end
    if node.raw then return nil, "patch_not_object" end
    return node
end

local function remove(target, name)
    if not target.members[name] then return end
    target.members[name] = nil
    for i, known in ipairs(target.names) do
        if known == name then
            table.remove(target.names, i)
            return
        end
    end
end

local function put(target, name, quoted, value)
    if not target.members[name] then
        target.names[#target.names + 1] = name
        target.quoted[name] = quoted
    end
    target.members[name] = value
end

local function is_null_word(raw)
    return string.byte(raw) == 34 and unquote(raw) == NULL_WORD
end

-- Changes `target` as the patch says.
function merge_patch.apply(target, patch)
    for _, name in ipairs(patch.names) do
        local value, quoted = patch.members[name], patch.quoted[name]
        if value.raw == "null" then
            remove(target, name)
        elseif value.raw then
            put(target, name, quoted, is_null_word(value.raw) and {raw = "null"} or value)
        else
            local inner = target.members[name]
            if not inner or inner.raw then
                inner = {names = {}, members = {}, quoted = {}}
                put(target, name, quoted, inner)
            end
            merge_patch.apply(inner, value)
        end
    end
end

local function write_to(parts, node)
    if node.raw then
        parts[#parts + 1] = node.raw
        return
    end
    parts[#parts + 1] = "{"
    for i, name in ipairs(node.names) do
        parts[#parts + 1] = (i > 1 and "," or "") .. node.quoted[name] .. ":"
        write_to(parts, node.members[name])
    end
    parts[#parts + 1] = "}"
end

function merge_patch.text(node)
    local parts = {}
    write_to(parts, node)
    return table.concat(parts)
end

return merge_patch
