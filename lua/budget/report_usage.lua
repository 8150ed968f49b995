-- @function ff_report_usage_and_check
-- @keys usage limits definition
-- @argv dimension_count ... now_ms [dedup_key]
-- After dimension_count (N, 0..64): N names, then N deltas >= 0.
-- @reply {1,"OK"}
-- @reply {1,"ALREADY_APPLIED"}
-- @reply {1,"SOFT_BREACH",dimension,new_total,limit,action}   counted
-- @reply {1,"HARD_BREACH",dimension,usage,limit,action}   nothing was counted, the dedup key is free
-- @refuses invalid_input budget_not_found
-- @repeat ALREADY_APPLIED with a dedup key, otherwise counted again
registry.add("ff_report_usage_and_check", 3, 2, function(given, argv)
    local count = budget.count(argv, 1, "dimension_count", 2, 2)
    local c = {usage = given[1], limits = given[2], definition = given[3], execution_id = ""}
    charge.read_deltas(c, argv, count, 2, 2 + count, 1)
    c.now = admission.now(argv, 2 + 2 * count)
    c.dedup_key = charge.dedup_key(argv, 3 + 2 * count, c.usage)
    return charge.run(c)
end)
