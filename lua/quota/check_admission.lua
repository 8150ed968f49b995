-- @function ff_check_admission_and_record
-- @keys window concurrency definition guard admitted_set
-- @argv now_ms window_seconds rate_limit concurrency_cap execution_id jitter_ms
-- The limits are the caller's; the definition is not read.
-- @reply {"ADMITTED"}
-- @reply {"ALREADY_ADMITTED"}
-- @reply {"RATE_EXCEEDED",retry_after_ms,count,limit}
-- @reply {"CONCURRENCY_EXCEEDED",active,cap}
-- @refuses invalid_input
-- @repeat ALREADY_ADMITTED while the guard or the slot lives
registry.add("ff_check_admission_and_record", 5, 6, function(given, argv)
    local limits = {
        window_ms = args.integer(argv, 2, "window_seconds", 0, quota.WINDOW_SECONDS_MAX) * 1000,
        rate = args.integer(argv, 3, "rate_limit", 0),
        cap = args.integer(argv, 4, "concurrency_cap", 0),
        jitter_ms = args.optional_integer(argv, 6, "jitter_ms", 0, quota.JITTER_MS_MAX) or 0,
    }
    local e = args.id(argv, 5, "execution_id")
    local guard = checked.key(given[4])
    local names = quota.names(given[1], given[1], given[2], given[5])
    local round = quota.open(names, limits, admission.now(argv, 1))
    local verdict = quota.decide(round, e, guard)
    quota.close(round)
    return verdict
end)
