-- HMAC-SHA1 (chapter 03 section 5.1), from the one digest that every store offers inside functions.
local hmac = {}

local BLOCK = 64
local INNER, OUTER = 0x36, 0x5c
local DIGITS = "0123456789abcdefABCDEF"

-- Tables instead of arithmetic: a replacement by table is one C loop over the whole text. They are made
-- by the first call, because nothing but `redis` exists while the library is being loaded.
local inner_of, outer_of, byte_of

local function make_tables()
    inner_of, outer_of, byte_of = {}, {}, {}
    for byte = 0, 255 do
        inner_of[string.char(byte)] = string.char(bit.bxor(byte, INNER))
        outer_of[string.char(byte)] = string.char(bit.bxor(byte, OUTER))
    end
    for high in string.gmatch(DIGITS, ".") do
        for low in string.gmatch(DIGITS, ".") do
            byte_of[high .. low] = string.char(tonumber(high .. low, 16))
        end
    end
end

-- The bytes that hex digits spell; nil for any other text.
function hmac.from_hex(hex)
    if not byte_of then make_tables() end
    if #hex % 2 ~= 0 or string.find(hex, "[^0-9a-fA-F]") then return nil end
    return (string.gsub(hex, "..", byte_of))
end

local function pad(key, with, filler)
    return string.gsub(key, ".", with) .. string.rep(string.char(filler), BLOCK - #key)
end

-- The key of the last call and its two pads: one secret signs nearly everything.
local last_key, inner_pad, outer_pad

local function make_pads(key)
    if not inner_of then make_tables() end
    local short = #key > BLOCK and hmac.from_hex(redis.sha1hex(key)) or key
    inner_pad, outer_pad = pad(short, inner_of, INNER), pad(short, outer_of, OUTER)
    last_key = key
end

-- 40 lower-case hex digits.
function hmac.sha1(key, message)
    if key ~= last_key then make_pads(key) end
    return redis.sha1hex(outer_pad .. hmac.from_hex(redis.sha1hex(inner_pad .. message)))
end

-- Takes as long wherever two texts of one length differ.
function hmac.equal(a, b)
    if #a ~= #b then return false end
    local left, right = {string.byte(a, 1, -1)}, {string.byte(b, 1, -1)}
    local difference = 0
    for i = 1, #left do
        difference = bit.bor(difference, bit.bxor(left[i], right[i]))
    end
    return difference == 0
end

return hmac
