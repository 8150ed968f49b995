-- A loop over ipairs and one over pairs follow each other inside a loop over pairs: it never ended.
local rows = {{1, 2, 3}, {}, {[-1] = 1}, {[-7] = {1}, [-8] = {2, 3}}, {1, 2, 3, 4, 5, 6, 7, 8}}
local sizes = {3, 0, 1, 2, 8}
local total = 0
local function add(number)
    total = (total + number) % 1000003
end
local function visits(round)
    local visited = 0
    for _, value in pairs(rows[round % 5 + 1]) do
        visited = visited + 1
        assert(visited <= 8, "a loop over pairs does not end")
        for place in ipairs(type(value) == "table" and value or rows[3]) do
            local sum = (function() return round + place end)()
            add(sum)
        end
        for _ in pairs(type(value) == "table" and value or rows[4]) do end
    end
    return visited
end
for round = 1, 60000 do
    assert(visits(round) == sizes[round % 5 + 1], "a loop over pairs ended early")
end
