-- Order of byte strings. `<` on strings follows the locale of the store's process.
local bytes = {}

function bytes.less(a, b)
    local length = math.min(#a, #b)
    for i = 1, length do
        local left, right = string.byte(a, i), string.byte(b, i)
        if left ~= right then return left < right end
    end
    return #a < #b
end

return bytes
