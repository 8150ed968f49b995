-- @function ff_delete_lane
-- @keys lane_config
-- @argv lane_id
-- Forgets the configuration of a disabled lane. The caller has looked that no work is left in it.
-- @reply {1,"OK"}
-- @reply {1,"ALREADY_SATISFIED"}   there is none
-- @refuses invalid_input lane_in_use
-- @repeat ALREADY_SATISFIED
registry.add("ff_delete_lane", 1, 1, function(given, argv)
    lane.of(given, argv)
    local stored = checked.read(given[1], {"lane_id", "state"})
    if not stored.lane_id then return {1, "ALREADY_SATISFIED"} end
    if stored.state ~= "disabled" then refuse("lane_in_use", "state", stored.state or "active") end
    call("DEL", given[1])
    return {1, "OK"}
end)
