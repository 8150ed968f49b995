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

-- The keys of a set in order, the first `most` of them.
function bytes.sorted(set, most)
    local list = {}
    for name in each(set) do
        list[#list + 1] = name
    end
    table.sort(list, bytes.less)
    for i = #list, most + 1, -1 do
        list[i] = nil
    end
    return list
end

return bytes
