-- A closure is made inside a loop over `next` that stands in another one: loops ended early.
local rows = {{1, 2, 3}, {}, {[-1] = 1}, {4, [-2] = 2, [1.5] = 3}, {nil, nil, 3, [-9] = 1}}
local sizes = {3, 0, 1, 3, 2}
local function return_to_interpreter(...)
    for _ = 1, 100 do end
end
local function visits(round, pair)
    local visited = 0
    for _ in next, pair do
        for _ in pairs(rows[round % 5 + 1]) do
            return_to_interpreter()
            local add = (function() return visited + 1 end)()
            visited = add
        end
    end
    return visited
end
for round = 1, 60000 do
    local visited = visits(round, {round, [-1] = round})
    assert(visited == 2 * sizes[round % 5 + 1], "a loop over next ended early")
end
