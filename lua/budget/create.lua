-- @function ff_create_budget
-- @keys definition limits usage budget_resets budget_policies
-- @argv budget_id scope_type scope_id enforcement_mode on_hard_limit on_soft_limit reset_interval_ms now_ms dimension_count ...
-- After dimension_count (N, 0..64): N names, N hard limits, N soft limits, then optionally meta_json.
-- @reply {1,"OK",budget_id}
-- @reply {1,"ALREADY_SATISFIED",budget_id}
-- @refuses invalid_input invalid_budget_scope
-- @repeat ALREADY_SATISFIED; the first call's limits stay, a missing index entry is back
local META = {"name", "created_by", "currency", "cost_unit", "escalation_target"}
local SCOPE_TYPE_BYTES_MAX = 64
local SCOPE_ID_BYTES_MAX = 256

local function check_scope(scope_type, scope_id)
    local function is_bad(value, bytes_max)
        return #value > bytes_max or string.find(value, "[%z\1-\31\127]")
    end
    if scope_type == "" or is_bad(scope_type, SCOPE_TYPE_BYTES_MAX) then
        refuse("invalid_budget_scope", "scope_type")
    elseif is_bad(scope_id, SCOPE_ID_BYTES_MAX) then
        refuse("invalid_budget_scope", "scope_id")
    end
end

local function read_meta(argv, i)
    local given = args.json_object(args.text(argv, i))
    if given == false then args.refuse("meta_json", "not an object") end
    local meta = {currency = "USD", cost_unit = "microdollars"}
    for _, name in ipairs(META) do
        local value = given and given[name]
        if value ~= nil and value ~= cjson.null then
            if type(value) ~= "string" then args.refuse("meta_json", name .. " is not text") end
            meta[name] = value
        end
    end
    return meta
end

local function or_default(value, default)
    return value ~= "" and value or default
end

registry.add_growing("ff_create_budget", 5, 9, function(given, argv)
    local id = args.id(argv, 1, "budget_id")
    if checked.call("HEXISTS", given[1], "budget_id") == 1 then
        checked.call("SADD", given[5], id)
        return {1, "ALREADY_SATISFIED", id}
    end
    check_scope(argv[2], argv[3])
    local interval = args.integer(argv, 7, "reset_interval_ms", 0)
    local now = admission.now(argv, 8)
    local next_reset_at = now + interval
    if next_reset_at > args.INTEGER_MAX then args.refuse("reset_interval_ms", "too large") end
    local count = budget.count(argv, 9, "dimension_count", 9, 3)
    local limits = budget.limit_fields(budget.limits(argv, 10, count))
    local definition = {
        "budget_id", id, "scope_type", argv[2], "scope_id", argv[3],
        "enforcement_mode", or_default(argv[4], "strict"),
        "on_hard_limit", or_default(argv[5], "fail"), "on_soft_limit", or_default(argv[6], "warn"),
        "reset_interval_ms", text(interval), "next_reset_at", interval > 0 and text(next_reset_at) or "",
        "breach_count", "0", "soft_breach_count", "0", "reset_count", "0", "limits_revision", "0",
        "created_at", text(now), "last_updated_at", text(now),
    }
    for name, value in each(read_meta(argv, 10 + 3 * count)) do
        definition[#definition + 1] = name
        definition[#definition + 1] = value
    end
    checked.call("HLEN", given[2])
    if interval > 0 then checked.call("ZSCORE", given[4], id) end
    checked.call("SADD", given[5], id)
    if limits[1] then call("HSET", given[2], unpack(limits)) end
    call("HSET", given[1], unpack(definition))
    if interval > 0 then
        call("ZADD", given[4], next_reset_at, id)
        unit.announce_due(args.tag(given[4]), now, "budget_resets", next_reset_at)
    end
    return {1, "OK", id}
end)
