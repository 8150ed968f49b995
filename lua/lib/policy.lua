-- ExecutionPolicy JSON (chapter 02 section 6): checked at creation, read again where it is used.
local policy = {}

local OBJECTS = {
    "retry_policy", "timeout_policy", "suspension_policy", "fallback_policy", "stream_policy", "routing_requirements",
}

-- Members of each object that are integers >= 0; the first list is that of the policy itself.
local INTEGERS = {
    {nil, {"delay_until", "max_reclaim_count", "max_replay_count", "dedup_window_ms", "max_signals_per_execution", "max_steps_bytes",
        "retention_ms"}},
    {"retry_policy", {"max_retries"}},
    {"timeout_policy", {"attempt_timeout_ms", "execution_deadline_ms", "max_reclaim_count"}},
    {"suspension_policy", {"default_timeout_ms"}},
    {"stream_policy", {"retention_maxlen", "retention_ttl_ms"}},
}

local BACKOFF_INTEGERS = {"delay_ms", "initial_delay_ms", "max_delay_ms"}
local BUDGETS_MAX = 16
local TOKENS_MAX = 256
local CAPABILITY_BYTES_MAX = 4096

-- JSON null equals absent.
function policy.member(object, name)
    local value = object and object[name]
    if value == cjson.null then return nil end
    return value
end

-- An empty list and an empty object cannot be told apart.
local function is_object(value)
    return type(value) == "table" and type(next(value) or "") == "string"
end

local function is_list(value)
    return type(value) == "table" and type(next(value) or 1) == "number"
end

local function is_integer(value, least)
    return type(value) == "number" and value == math.floor(value) and value >= least
        and value <= args.INTEGER_MAX
end

local function refuse_policy(detail)
    refuse("invalid_policy_json", detail)
end

local function check_integers(object, prefix, names)
    for _, name in ipairs(names) do
        local value = policy.member(object, name)
        if value ~= nil and not is_integer(value, 0) then refuse_policy(prefix .. name .. ":not_integer") end
    end
end

-- A retry policy object; `prefix` is its path with a dot.
function policy.check_retry(retry, prefix)
    check_integers(retry, prefix, {"max_retries"})
    local backoff = policy.member(retry, "backoff")
    if backoff == nil then return end
    if not is_object(backoff) then refuse_policy(prefix .. "backoff:not_object") end
    check_integers(backoff, prefix .. "backoff.", BACKOFF_INTEGERS)
    local multiplier = policy.member(backoff, "multiplier")
    if multiplier ~= nil and not (type(multiplier) == "number" and multiplier >= 1 and multiplier < math.huge) then
        refuse_policy(prefix .. "backoff.multiplier:not_integer")
    end
    local kind = policy.member(backoff, "type")
    if kind ~= nil and kind ~= "fixed" and kind ~= "exponential" then refuse_policy("retry_policy:backoff_type") end
end

local function check_tiers(fallback)
    local tiers = policy.member(fallback, "tiers")
    if tiers == nil then return end
    if not is_list(tiers) then refuse_policy("fallback_policy.tiers:not_array") end
    for _, tier in ipairs(tiers) do
        if not is_object(tier) then refuse_policy("fallback_policy.tiers:not_object") end
        check_integers(tier, "fallback_policy.tiers.", {"timeout_ms"})
    end
end

local function check_token(token)
    local fault
    if type(token) ~= "string" then fault = "non_string_token"
    elseif token == "" then fault = "empty_token"
    elseif string.find(token, ",", 1, true) then fault = "comma_in_token"
    elseif string.find(token, "[%z\1-\32\127]") then fault = "control_or_whitespace"
    end
    if fault then refuse("invalid_capabilities", "required:" .. fault) end
end

-- Sorted, without repetitions, joined by commas.
local function capabilities(list)
    if list == nil then return "" end
    if not is_list(list) then refuse("invalid_capabilities", "required:not_array") end
    local seen, tokens = {}, {}
    for i = 1, #list do
        local token = list[i]
        check_token(token)
        if not seen[token] then
            seen[token] = true
            tokens[#tokens + 1] = token
        end
    end
    if #tokens > TOKENS_MAX then refuse("invalid_capabilities", "required:too_many_tokens") end
    table.sort(tokens, bytes.less)
    local joined = table.concat(tokens, ",")
    if #joined > CAPABILITY_BYTES_MAX then refuse("invalid_capabilities", "required:too_many_bytes") end
    return joined
end

local function budgets(list)
    if list == nil then return "" end
    if not is_list(list) then refuse_policy("budget_ids:not_array") end
    if #list > BUDGETS_MAX then refuse_policy("budget_ids:too_many") end
    for _, id in ipairs(list) do
        if type(id) ~= "string" then refuse_policy("budget_ids:not_string") end
    end
    return table.concat(list, ",")
end

-- Decodes and checks. nil for no policy; else the object and the copies for exec_core.
function policy.check(json)
    if not is_set(json) or json == "{}" then return nil end
    local parsed, p = pcall(cjson.decode, json)
    if not parsed then refuse_policy("malformed") end
    if type(p) ~= "table" or not string.find(json, "^%s*{") then refuse_policy("not_object") end
    for _, name in ipairs(OBJECTS) do
        local value = policy.member(p, name)
        if value ~= nil and not is_object(value) then refuse_policy(name .. ":not_object") end
    end
    local priority = policy.member(p, "priority")
    if priority ~= nil and not is_integer(priority, -args.INTEGER_MAX) then refuse_policy("priority:not_integer") end
    for _, group in ipairs(INTEGERS) do
        local object = group[1] and policy.member(p, group[1]) or (not group[1] and p)
        check_integers(object or nil, group[1] and group[1] .. "." or "", group[2])
    end
    local retry_policy = policy.member(p, "retry_policy")
    if retry_policy then policy.check_retry(retry_policy, "retry_policy.") end
    check_tiers(policy.member(p, "fallback_policy"))
    local budget_ids = budgets(policy.member(p, "budget_ids"))
    local quota_policy_id = policy.member(p, "quota_policy_id") or ""
    if type(quota_policy_id) ~= "string" then refuse_policy("quota_policy_id:not_string") end
    local timeout_policy = policy.member(p, "timeout_policy")
    return p, {
        budget_ids = budget_ids,
        quota_policy_id = quota_policy_id,
        required_capabilities = capabilities(policy.member(policy.member(p, "routing_requirements"), "required_capabilities")),
        retention_ms = policy.member(p, "retention_ms") or "",
        max_steps_bytes = policy.member(p, "max_steps_bytes") or "",
        -- Tier 0 is the primary: its timeout is the one of an attempt without fallback.
        attempt_timeout_ms = policy.number(policy.tier(p, 0), "timeout_ms")
            or policy.member(timeout_policy, "attempt_timeout_ms") or "",
    }
end

-- The stored policy, or nil when there is none or it cannot be read.
function policy.stored(tag, e)
    local json = try("GET", keys.policy(tag, e))
    if type(json) ~= "string" then return nil end
    return args.json_object(json) or nil
end

-- A member that should be an object, or nil.
function policy.object(p, name)
    local value = policy.member(p, name)
    return type(value) == "table" and value or nil
end

-- A member that should be a number, or nil.
function policy.number(p, name)
    local value = policy.member(p, name)
    return type(value) == "number" and value or nil
end

-- Deadlines below this are durations in ms, the others points in time.
policy.DURATION_BELOW = 100000000000

-- The deadline a policy asks for, from now on; nil for none.
function policy.deadline(p, now)
    local value = policy.number(policy.object(p, "timeout_policy"), "execution_deadline_ms")
    if not value or value == 0 then return nil end
    return value < policy.DURATION_BELOW and now + value or value
end

-- A fallback tier by index (0 is the primary), or nil.
function policy.tier(p, index)
    local tiers = policy.object(policy.object(p, "fallback_policy"), "tiers")
    local tier = tiers and tiers[index + 1]
    return type(tier) == "table" and tier or nil
end

return policy
