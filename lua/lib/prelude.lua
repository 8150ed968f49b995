-- The few names every file of the library sees. The assembly puts this file first and unwrapped; each
-- other file of lib/ becomes one local table named after it, each function file a block of its own.

-- A global costs a walk through the tables that protect it, so those used most are found once: by the
-- first call, because they do not exist yet while the library is being loaded.
local function globals()
    return error, ipairs, next, pairs, pcall, select, tonumber, type, unpack
end
-- `each` is pairs. A loop over `pairs` or `next` by those names becomes an instruction that LuaJIT has compiled
-- wrongly again and again (entries left out; the last such defect was fixed in August 2026). Under another name it
-- is a plain call. `scripts/tidy` refuses the names in loops.
local error, ipairs, next, each, pcall, select, tonumber, type, unpack

-- A host may take a command piece by piece: `add_text`, `add_number`, `add_argument` (by its place in ARGV),
-- `add_entry_id` (of a stream, milliseconds and ordinal), `add_joined` (of three texts), then `run_pieces`,
-- which answers whether it went well; `raise_pieces` raises why not. Its compiler does that much faster than a
-- call. Nil on others, as are `argument_size`, of a place in ARGV, `key_exists`, of three texts, and `value_of`,
-- which stands for what a key of three texts holds in the reply of the call.
local add_text, add_number, add_argument, add_entry_id, add_joined, run_pieces, raise_pieces
local argument_size, key_exists, value_of

-- As `hash` below, of a key in three texts and into a table that only this function fills: first, table, second,
-- third. Nil where the host cannot do that.
local read_into

-- What the host judges leases by instead of the time of the call, while nobody could renew them: milliseconds,
-- nothing otherwise. Nil on hosts whose time is what it is.
local lease_time

-- Functions that hand long arguments on without looking at them (see lib/issue.lua), and ask count_of how
-- many there are.
local HANDS_ON = {"ff_create_execution", "ff_create_batch", "ff_complete_execution", "ff_complete_and_claim"}

-- `argv` are those of the first call.
local function find_globals(argv)
    error, ipairs, next, each, pcall, select, tonumber, type, unpack = globals()
    -- All of them or none.
    if redis.ff_joined then
        add_text, add_number, add_argument = redis.ff_text, redis.ff_number, redis.ff_argument
        add_entry_id, add_joined, key_exists = redis.ff_entry_id, redis.ff_joined, redis.ff_exists
        run_pieces, raise_pieces = redis.ff_run, redis.ff_raise
        argument_size, value_of = redis.ff_argument_size, redis.ff_value_of
        read_into = redis.ff_hash
    end
    lease_time = redis.ff_lease_time
    if argument_size then
        for _, name in ipairs(HANDS_ON) do
            redis.ff_arguments_on_demand(name)
        end
        -- As in all later calls: what is compiled now should fit those.
        argv[0] = #argv
    end
end

-- `redis.call` does not exist yet while the library is being loaded, and finding it costs two table
-- look-ups per command: the first use binds it.
local call, try
call = function(...)
    call = redis.call
    return call(...)
end
-- As `call`, but a failing command answers a table with `err`.
try = function(...)
    try = redis.pcall
    return try(...)
end

local function read_hash(key)
    local flat = try("HGETALL", key)
    local size = #flat
    if size == 0 then return nil end
    local fields = {}
    for i = 1, size, 2 do
        fields[flat[i]] = flat[i + 1]
    end
    return fields
end

-- A hash as a table field -> text; nil when there is none, or another type of value. A host that has a
-- function of its own for it makes the table at once, in its final size.
local hash
hash = function(key)
    hash = redis.ff_hash or read_hash
    return hash(key)
end

-- Ends the function with {0,code,detail...}. Nothing has been written yet: see lib/unit.lua.
local function refuse(code, ...)
    error({0, code, ...}, 0)
end

-- Plain decimal. Lua's own conversion turns large numbers into exponents. Formatting is slow; epochs and
-- counts are mostly small, and a batch asks for the same time again and again: those texts are kept. The
-- small ones lie in one array without gaps, because the compiler knows no other number keys.
local SMALL_BELOW = 100
local small = {}
local last_number, last_text

local function text(number)
    if number == last_number then return last_text end
    if number < SMALL_BELOW and number >= 0 and number % 1 == 0 then
        for i = #small + 1, number + 1 do
            small[i] = string.format("%.0f", i - 1)
        end
        return small[number + 1]
    end
    last_number, last_text = number, string.format("%.0f", number)
    return last_text
end

-- How many ARGV a call was given: some hosts tell it at [0], and then the long ones come when asked for.
local function count_of(given)
    return given[0] or #given
end

-- A stored number; missing and cleared fields are 0.
local function number_of(stored)
    return tonumber(stored) or 0
end

-- Whether a hash field or an argument says anything: missing and empty mean the same.
local function is_set(value)
    return value and value ~= ""
end
