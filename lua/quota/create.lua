-- @function ff_create_quota_policy
-- @keys definition window concurrency admitted_set quota_policies
-- @argv quota_policy_id window_seconds max_requests_per_window max_concurrent now_ms [jitter_ms] [scope_type] [scope_id] [name]
-- @reply {1,"OK",quota_policy_id}
-- @reply {1,"ALREADY_SATISFIED",quota_policy_id}
-- @refuses invalid_input invalid_quota_spec
-- @repeat ALREADY_SATISFIED; the first call's limits stay, a missing index entry is back
registry.add_growing("ff_create_quota_policy", 5, 5, function(given, argv)
    local id = args.id(argv, 1, "quota_policy_id")
    if checked.call("HEXISTS", given[1], "quota_policy_id") == 1 then
        checked.call("SADD", given[5], id)
        return {1, "ALREADY_SATISFIED", id}
    end
    local window = args.integer(argv, 2, "window_seconds", 0, quota.WINDOW_SECONDS_MAX)
    local rate = args.integer(argv, 3, "max_requests_per_window", 0)
    local cap = args.integer(argv, 4, "max_concurrent", 0)
    local jitter = args.optional_integer(argv, 6, "jitter_ms", 0, quota.JITTER_MS_MAX) or 0
    local now = admission.now(argv, 5)
    if rate > 0 and window < 1 then refuse("invalid_quota_spec", "window") end
    checked.key(given[3])
    checked.call("SADD", given[5], id)
    call("HSET", given[1], "quota_policy_id", id, "requests_per_window_seconds", text(window),
        "max_requests_per_window", text(rate), "active_concurrency_cap", text(cap),
        "jitter_ms", text(jitter), "scope_type", args.text(argv, 7), "scope_id", args.text(argv, 8),
        "name", args.text(argv, 9), "created_at", text(now))
    call("SET", given[3], "0")
    return {1, "OK", id}
end)
