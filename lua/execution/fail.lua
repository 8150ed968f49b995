-- @function ff_fail_execution
-- @keys exec_core [terminal] [older...]
-- @argv execution_id lease_id lease_epoch attempt_id failure_reason failure_category retry_policy_json [source] [retry_policy_source] [fallback_to] [step_count] ...
-- After step_count (0..64): so many groups step_name step_value step_encoding, recorded in the same call.
-- @reply {1,"OK","retry_scheduled",delay_until,next_attempt_index}
-- @reply {1,"OK","terminal_failed",why}
-- @refuses invalid_input invalid_policy_json execution_not_found partial_fence_triple fence_required execution_not_active lease_revoked lease_expired stale_lease step_limit_exceeded
-- @repeat execution_not_active, whose details name the caller's own lease
local SOURCES = {stored = true}
local REASON_MAX = 4096

local function read_retry_policy(json)
    if not is_set(json) then return nil end
    local parsed, object = pcall(cjson.decode, json)
    if not parsed then refuse("invalid_policy_json", "retry_policy:malformed") end
    if type(object) ~= "table" or not string.find(json, "^%s*{") then
        refuse("invalid_policy_json", "retry_policy:not_object")
    end
    policy.check_retry(object, "retry_policy.")
    return next(object) ~= nil and object or nil
end

local function read_fallback(argv, i)
    local asked = args.text(argv, i)
    if asked == "" then return nil end
    if asked == "next" then return asked end
    return args.integer(argv, i, "fallback_to", 0)
end

-- Returns delay and fallback tier, or nil and why the failure is final.
local function decide(u, e, c, category, given, asked, from_store)
    local stored
    if asked or from_store then stored = policy.stored(u.tag, e) end
    local tier = retry.fallback(c, stored, asked)
    if tier then return 0, tier end
    local retry_policy = given
    if from_store then
        retry_policy = policy.object(stored, "retry_policy")
        if retry_policy and next(retry_policy) == nil then retry_policy = nil end
    end
    return retry.decide(e, c, retry_policy, category)
end

registry.add("ff_fail_execution", 1, 7, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local retry_policy = read_retry_policy(argv[7])
    local from_store = args.optional_word(argv, 9, "retry_policy_source", SOURCES) == "stored"
    local asked = read_fallback(argv, 10)
    local list = steps.read(argv, 11, 0)
    local u = unit.open(tag)
    local c, fenced = lease.validate(u, e, argv, args.text(argv, 8))
    local reason, category = args.cut(argv[5], REASON_MAX), args.cut(argv[6], REASON_MAX)
    local attempt_fields = not fenced and {terminalized_by_override = "1"} or {}
    steps.bring(u, e, c, list)
    local delay, detail = decide(u, e, c, category, retry_policy, asked, from_store)
    local reply
    if delay then
        local delay_until, next_index = retry.schedule(u, e, c, {
            delay = delay, fallback_index = detail, reason = reason, category = category,
            release_reason = "failed_retry_scheduled", closed_reason = "attempt_failure",
            attempt_fields = attempt_fields,
        })
        reply = {1, "OK", "retry_scheduled", text(delay_until), text(next_index)}
    else
        local set = core.change(u, e, c)
        set.failure_reason = reason
        set.failure_category = category
        attempt_fields.failure_reason = reason
        attempt_fields.failure_category = category
        finish.run(u, e, c, set, {
            outcome = "failed", release_reason = "failed_terminal", attempt = "ended_failure",
            attempt_fields = attempt_fields, closed_reason = "attempt_failure", reason = reason,
        })
        set.last_release_answer = detail
        reply = {1, "OK", "terminal_failed", detail}
    end
    unit.commit(u)
    return reply
end)
