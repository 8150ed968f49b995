-- The few names every file of the library sees. The assembly puts this file first and unwrapped; each
-- other file of lib/ becomes one local table named after it, each function file a block of its own.

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

-- Ends the function with {0,code,detail...}. Nothing has been written yet: see lib/unit.lua.
local function refuse(code, ...)
    error({0, code, ...}, 0)
end

-- Plain decimal. Lua's own conversion turns large numbers into exponents. Formatting is slow, and epochs
-- and counts are mostly small: their texts are kept.
local small = {}

local function text(number)
    local known = small[number]
    if known then return known end
    known = string.format("%.0f", number)
    if number < 100 and number >= 0 and number % 1 == 0 then small[number] = known end
    return known
end

-- A stored number; missing and cleared fields are 0.
local function number_of(stored)
    return tonumber(stored) or 0
end

-- Whether a hash field or an argument says anything: missing and empty mean the same.
local function is_set(value)
    return value and value ~= ""
end
