-- @function ff_update_budget
-- @keys definition limits usage
-- @argv budget_id now_ms actor reason dimension_count ... [enforcement_mode] [on_hard_limit] [on_soft_limit]
-- After dimension_count (N, 0..64): N names, N hard limits, N soft limits; an empty limit stays as it is.
-- @reply {1,"OK",limits_revision}
-- @refuses invalid_input budget_not_found
-- @repeat written again, under the next revision
local REASON_BYTES_MAX = 256

local function breached_at(definition, given, now)
    if not budget.is_exceeded(given[2], given[3]) then return "" end
    return definition.breached_at or text(now)
end

registry.add("ff_update_budget", 3, 5, function(given, argv)
    local id = args.id(argv, 1, "budget_id")
    if #argv[4] > REASON_BYTES_MAX then args.refuse("reason", "longer than 256 bytes") end
    local count = budget.count(argv, 5, "dimension_count", 5, 3)
    local limits = budget.limit_fields(budget.limits(argv, 6, count, true))
    local now = admission.now(argv, 2)
    local definition = checked.read(given[1], {"budget_id", "limits_revision", "breached_at"})
    if not definition.budget_id then refuse("budget_not_found") end
    if checked.call("HLEN", given[2]) + #limits > 2 * budget.USAGE_FIELDS_MAX then
        args.refuse("dimension_count", "too many limits for one budget")
    end
    checked.call("HLEN", given[3])
    if limits[1] then call("HSET", given[2], unpack(limits)) end
    local revision = text(number_of(definition.limits_revision) + 1)
    local fields = {
        "limits_revision", revision, "last_override_by", argv[3], "last_override_at", text(now),
        "last_override_reason", argv[4], "last_updated_at", text(now),
        "breached_at", breached_at(definition, given, now),
    }
    for i, name in ipairs({"enforcement_mode", "on_hard_limit", "on_soft_limit"}) do
        local value = argv[5 + 3 * count + i]
        if is_set(value) then
            fields[#fields + 1] = name
            fields[#fields + 1] = value
        end
    end
    call("HSET", given[1], unpack(fields))
    admission.publish_freed("budget", id)
    return {1, "OK", revision}
end)
