-- HMAC-SHA1 (chapter 03 section 5.1), from the one digest that every store offers inside functions.
local hmac = {}

local BLOCK = 64
local INNER, OUTER = 0x36, 0x5c

local function byte_of(pair)
    return string.char(tonumber(pair, 16))
end

-- The bytes that hex digits spell; nil for any other text.
function hmac.from_hex(hex)
    if #hex % 2 ~= 0 or string.find(hex, "[^0-9a-fA-F]") then return nil end
    return (string.gsub(hex, "..", byte_of))
end

local function pad(key, with)
    local out = {}
    for i = 1, BLOCK do
        out[i] = string.char(bit.bxor(string.byte(key, i) or 0, with))
    end
    return table.concat(out)
end

-- 40 lower-case hex digits.
function hmac.sha1(key, message)
    if #key > BLOCK then key = hmac.from_hex(redis.sha1hex(key)) end
    local inner = redis.sha1hex(pad(key, INNER) .. message)
    return redis.sha1hex(pad(key, OUTER) .. hmac.from_hex(inner))
end

-- Takes as long wherever two texts of one length differ.
function hmac.equal(a, b)
    if #a ~= #b then return false end
    local difference = 0
    for i = 1, #a do
        difference = bit.bor(difference, bit.bxor(string.byte(a, i), string.byte(b, i)))
    end
    return difference == 0
end

return hmac
