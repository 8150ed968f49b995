-- @function ff_update_quota_policy
-- @keys definition
-- @argv quota_policy_id now_ms actor reason window_seconds max_requests_per_window max_concurrent jitter_ms [name]
-- An empty value stays as it is.
-- @reply {1,"OK",limits_revision}
-- @refuses invalid_input quota_policy_not_found invalid_quota_spec
-- @repeat written again, under the next revision
local REASON_BYTES_MAX = 256
local STORED = {"quota_policy_id", "requests_per_window_seconds", "max_requests_per_window", "limits_revision"}

registry.add("ff_update_quota_policy", 1, 8, function(given, argv)
    local id = args.id(argv, 1, "quota_policy_id")
    if #argv[4] > REASON_BYTES_MAX then args.refuse("reason", "longer than 256 bytes") end
    local changed = {
        requests_per_window_seconds = args.optional_integer(argv, 5, "window_seconds", 0, quota.WINDOW_SECONDS_MAX),
        max_requests_per_window = args.optional_integer(argv, 6, "max_requests_per_window", 0),
        active_concurrency_cap = args.optional_integer(argv, 7, "max_concurrent", 0),
        jitter_ms = args.optional_integer(argv, 8, "jitter_ms", 0, quota.JITTER_MS_MAX),
    }
    local now = admission.now(argv, 2)
    local stored = checked.read(given[1], STORED)
    if not stored.quota_policy_id then refuse("quota_policy_not_found") end
    local window = changed.requests_per_window_seconds or number_of(stored.requests_per_window_seconds)
    local rate = changed.max_requests_per_window or number_of(stored.max_requests_per_window)
    if rate > 0 and window < 1 then refuse("invalid_quota_spec", "window") end
    local revision = text(number_of(stored.limits_revision) + 1)
    local fields = {
        "limits_revision", revision, "last_override_by", argv[3], "last_override_at", text(now),
        "last_override_reason", argv[4],
    }
    for name, value in each(changed) do
        fields[#fields + 1] = name
        fields[#fields + 1] = text(value)
    end
    if is_set(argv[9]) then
        fields[#fields + 1] = "name"
        fields[#fields + 1] = argv[9]
    end
    call("HSET", given[1], unpack(fields))
    admission.publish_freed("quota", id)
    return {1, "OK", revision}
end)
