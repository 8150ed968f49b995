-- The configuration of one lane, `ff:lane:<lane>:config`: the one record without a hash tag that
-- functions write. It is the only key of its calls, so it may lie in any slot.
local lane = {}

lane.STATES = {active = true, paused = true, draining = true, disabled = true}
lane.WEIGHT_MAX = 1000
lane.PRIORITY_MAX = 9000

-- The lane whose configuration KEYS[1] is.
function lane.of(given, argv)
    local id = args.id(argv, 1, "lane_id")
    if given[1] ~= "ff:lane:" .. id .. ":config" then args.refuse("lane_id", "not the one of KEYS[1]") end
    return id
end

return lane
