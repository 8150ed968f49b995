-- A loop over a fresh list inside a loop over `next`, compiled early: entries of the outer one were
-- left out.
jit.opt.start("hotloop=3", "hotexit=2")
local function visits(round, pair)
    local visited = 0
    for _ in next, pair, nil do
        for _ in ipairs({round, round + 1, [-5] = round}) do end
        visited = visited + 1
    end
    local sum = (function() return round + visited end)()
    return sum - round
end
for round = 1, 60000 do
    assert(visits(round, {round, [-1] = round}) == 2, "a loop over next ended early")
end
