-- @function ff_promote_delayed
-- @keys exec_core [delayed] [older...]
-- @argv execution_id now_ms
-- @reply {1,"OK","promoted"}
-- @reply {1,"OK","blocked"}
-- @reply {1,"OK","not_yet_due"}
-- @reply {1,"OK","not_found_cleaned"}
-- @reply {1,"OK","not_runnable_cleaned"}
-- @reply {1,"OK","not_delayed_cleaned"}
-- @refuses invalid_input
-- @repeat not_delayed_cleaned; nothing happens twice
local WORDS = {waiting = "promoted", waiting_children = "blocked", skipped = "skipped"}

-- Without a record the lane is not known: the passed index is the one the entry was found in.
local function clean(u, e, delayed, word)
    unit.zrem(u, delayed, e)
    unit.commit(u)
    return {1, "OK", word}
end

registry.add("ff_promote_delayed", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    args.optional_integer(argv, 2, "now_ms")
    local u = unit.open(tag)
    local c = core.load(tag, e)
    if not c or is_set(c.purging) then
        local delayed = args.lane_index(given[2], tag, "delayed")
        if not delayed then return {1, "OK", "not_found_cleaned"} end
        return clean(u, e, delayed, "not_found_cleaned")
    end
    local delayed = keys.lane(tag, c.lane_id, "delayed")
    if c.lifecycle_phase ~= "runnable" then return clean(u, e, delayed, "not_runnable_cleaned") end
    if c.eligibility_state ~= "not_eligible_until_time" then return clean(u, e, delayed, "not_delayed_cleaned") end
    if number_of(c.delay_until) > u.now then
        unit.zadd(u, delayed, number_of(c.delay_until), e)
        unit.commit(u)
        return {1, "OK", "not_yet_due"}
    end
    local set = core.change(u, e, c)
    unit.zrem(u, delayed, e)
    local state = placement.place(u, e, c, set, {delay_until = 0})
    unit.commit(u)
    return {1, "OK", WORDS[state]}
end)
