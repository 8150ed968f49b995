-- Tables that every task needs for a moment: whoever is done with one gives it back, and the next task
-- fills it anew. Making and collecting them cost more than filling them.
local room = {}

local KEPT_MAX = 256

function room.new()
    return {n = 0}
end

-- nil when there is none.
function room.take(of)
    local n = of.n
    if n == 0 then return nil end
    of.n = n - 1
    return of[n]
end

function room.give(of, used)
    local n = of.n
    if n == KEPT_MAX then return end
    of.n = n + 1
    of[n + 1] = used
end

return room
