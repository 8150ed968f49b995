-- Arguments of one call. Each reader refuses with `invalid_input`, whose detail begins with the name.
local args = {}

args.INTEGER_MAX = 9007199254740991

function args.refuse(name, why)
    refuse("invalid_input", name .. ": " .. why)
end

-- What texts spell: matching a pattern is slow, and calls repeat the same counts, limits and epochs.
-- Times do not repeat, so all is forgotten when there are too many.
local KEPT_MAX = 1000
local kept, kept_count = {}, 0

-- The whole number a text spells, or nil.
function args.to_integer(value)
    local number = kept[value]
    if number then return number end
    if not string.find(value, "^%-?%d+$") then return nil end
    number = tonumber(value)
    if number > args.INTEGER_MAX or number < -args.INTEGER_MAX then return nil end
    if kept_count == KEPT_MAX then
        kept, kept_count = {}, 0
    end
    kept[value] = number
    kept_count = kept_count + 1
    return number
end

-- Missing equals empty.
function args.text(argv, i)
    return argv[i] or ""
end

-- An argument that is only handed on, for issue.store, and its size: false where ARGV come on demand.
function args.passed(argv, i)
    if argv[0] then return false, argument_size(i) end
    return argv[i], #argv[i]
end

-- Text that may not be empty: ids, names of workers, lanes and namespaces.
function args.id(argv, i, name)
    local value = argv[i]
    if not is_set(value) then args.refuse(name, "empty") end
    return value
end

-- nil when empty. `least` and `most` are inclusive and optional.
function args.optional_integer(argv, i, name, least, most)
    local value = argv[i]
    if not is_set(value) then return nil end
    local number = args.to_integer(value)
    if not number then args.refuse(name, "not an integer") end
    if least and number < least then args.refuse(name, "less than " .. text(least)) end
    if most and number > most then args.refuse(name, "more than " .. text(most)) end
    return number
end

function args.integer(argv, i, name, least, most)
    local number = args.optional_integer(argv, i, name, least, most)
    if not number then args.refuse(name, "not an integer") end
    return number
end

-- How long a lease may last: a year.
local LEASE_TTL_MS_MAX = 31536000000

function args.lease_ttl(argv, i)
    return args.integer(argv, i, "lease_ttl_ms", 1, LEASE_TTL_MS_MAX)
end

function args.renew_before(argv, i)
    return args.optional_integer(argv, i, "renew_before_ms", 0, LEASE_TTL_MS_MAX)
end

-- A time in ms, or `+<ms>` from now; nil when empty.
function args.optional_due(argv, i, name, now)
    local value = argv[i]
    if not is_set(value) then return nil end
    local number
    if string.byte(value) == 43 then
        number = args.to_integer(string.sub(value, 2))
        number = number and number >= 0 and string.byte(value, 2) ~= 45 and now + number
    else
        number = args.to_integer(value)
    end
    if not number or number > args.INTEGER_MAX then args.refuse(name, "not a time") end
    return number
end

function args.due(argv, i, name, now)
    local number = args.optional_due(argv, i, name, now)
    if not number then args.refuse(name, "empty") end
    return number
end

-- Empty, or one of the words of `words` (a set).
function args.optional_word(argv, i, name, words)
    local value = argv[i] or ""
    if value ~= "" and not words[value] then args.refuse(name, "unknown value") end
    return value
end

-- The hash tag of a key: its first {...}.
function args.tag(key)
    -- Plain searches: the compiler knows no patterns.
    local open = string.find(key, "{", 1, true)
    local close = open and string.find(key, "}", open, true)
    if not close then args.refuse("KEYS[1]", "no hash tag") end
    return string.sub(key, open, close)
end

-- The tag and id of the execution whose core is KEYS[1]; the id argument must say the same.
function args.execution(keys, argv, i)
    local e = args.id(argv, i or 1, "execution_id")
    local tag = args.tag(keys[1])
    if keys[1] ~= "ff:exec:" .. tag .. ":" .. e .. ":core" or string.sub(e, 1, #tag + 1) ~= tag .. ":" then
        args.refuse("execution_id", "not the one of KEYS[1]")
    end
    return tag, e
end

-- An id of a batch: it must be of the partition that all items share.
function args.check_partition(tag, e)
    if string.sub(e, 1, #tag) ~= tag or string.byte(e, #tag + 1) ~= 58 then
        args.refuse("execution_id", "another partition")
    end
end

-- Whether a caller of the longer lists left out, or denied with a placeholder, the key of this position. Callers that
-- name one key leave all others to us.
function args.lacks_key(given, position)
    local key = given[position]
    return #given > 1 and (not is_set(key) or string.sub(key, 1, 8) == "ff:noop:")
end

-- A passed lane index, where no record tells the lane: its name must be that of an index of this tag. Nil when
-- none was passed.
function args.lane_index(key, tag, name)
    if not key then return nil end
    local prefix, suffix = "ff:idx:" .. tag .. ":lane:", ":" .. name
    if string.sub(key, 1, #prefix) ~= prefix or string.sub(key, -#suffix) ~= suffix then return nil end
    return key
end

-- Free text is cut, never refused.
function args.cut(value, bytes)
    if #value > bytes then return string.sub(value, 1, bytes) end
    return value
end

-- An optional JSON object as a table; nil when empty or `{}`, false when it is something else.
function args.json_object(value)
    if not is_set(value) or value == "{}" then return nil end
    local parsed, object = pcall(cjson.decode, value)
    if not parsed or type(object) ~= "table" or not string.find(value, "^%s*{") then return false end
    if next(object) == nil then return nil end
    return object
end

return args
