-- LuaJIT issue 827: the compiler gives the outer loop up while the inner one stays compiled; from then
-- on the outer loop ended after its first entry.
local list = {1, 2, 3}
local rows = {v = list, w = list, x = list, y = list, z = list}
local function return_to_interpreter(...)
    for _ = 1, 100 do end
end
for _ = 1, 100000 do
    return_to_interpreter()
    local visited = 0
    for _, row in pairs(rows) do
        for _ in pairs(row) do end
        visited = visited + 1
    end
    assert(visited == 5, "a loop over pairs ended early")
end
