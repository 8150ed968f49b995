-- @function ff_admit_batch
-- @keys window concurrency definition admitted_set
-- @argv now_ms count ...
-- After count (1..256): that many execution ids, decided in order by the stored limits; then, if the caller has them,
-- as many admission epochs.
-- @reply {1,"OK",verdict,retry_after_ms,...}   retry is "0" unless RATE_EXCEEDED
-- @refuses invalid_input quota_policy_not_found
-- @repeat ALREADY_ADMITTED for those admitted before
registry.add("ff_admit_batch", 4, 2, function(given, argv)
    local count = args.integer(argv, 2, "count", 1, quota.BATCH_MAX)
    local ids = quota.ids(argv, 3, count)
    local now = admission.now(argv, 1)
    local epochs = quota.epochs(argv, 3 + count, count)
    local names = quota.names(given[1], given[1], given[2], given[4])
    local round = quota.open(names, quota.stored_limits(given[3]), now)
    local reply = {1, "OK"}
    for i, e in ipairs(ids) do
        local verdict = quota.decide(round, e, given[3] .. ":admitted:" .. e, epochs and epochs[i])
        reply[2 * i + 1] = verdict[1]
        reply[2 * i + 2] = verdict[1] == "RATE_EXCEEDED" and verdict[2] or "0"
    end
    quota.close(round)
    return reply
end)
