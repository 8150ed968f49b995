-- @function ff_change_priority
-- @keys exec_core [older...]
-- @argv execution_id new_priority
-- @reply {1,"OK",old_priority,new_priority}
-- @refuses invalid_input execution_not_found execution_not_eligible
-- @repeat the same, with the new priority as the old one
registry.add("ff_change_priority", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local priority = placement.clamp(args.integer(argv, 2, "new_priority"))
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.lifecycle_phase ~= "runnable" or c.eligibility_state ~= "eligible_now" then
        refuse("execution_not_eligible")
    end
    local old = number_of(c.priority)
    local set, score = core.change(u, e, c), placement.score(priority, number_of(c.created_at))
    set.priority = priority
    unit.zadd(u, keys.lane(tag, c.lane_id, "eligible"), score, e)
    kind_queue.enter_eligible(u, e, c, set, score)
    feed.operator(u, e, c, "priority_changed", {old_priority = old, new_priority = priority})
    unit.commit(u)
    return {1, "OK", text(old), text(priority)}
end)
