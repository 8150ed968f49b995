-- @function ff_reset_budget
-- @keys definition usage budget_resets
-- @argv budget_id now_ms [expected_next_reset_at]
-- A scanner passes the score it saw, so that of two only the first resets; an operator passes none.
-- @reply {1,"OK",next_reset_at}
-- @reply {1,"ALREADY_SATISFIED",next_reset_at}
-- @refuses invalid_input budget_not_found
-- @repeat ALREADY_SATISFIED with the expected score, otherwise a second reset

-- Whole intervals from the old time on, so that resets do not drift; 0 without an interval.
local function next_due(old, interval, now)
    if interval <= 0 then return 0 end
    if old > 0 and old <= now then
        return old + (math.floor((now - old) / interval) + 1) * interval
    end
    return now + interval
end

local function zero_usage(usage_key)
    local zeros = {}
    for _, name in ipairs(call("HKEYS", usage_key)) do
        if string.sub(name, 1, 1) ~= "_" then
            zeros[#zeros + 1] = name
            zeros[#zeros + 1] = "0"
        end
    end
    if zeros[1] then call("HSET", usage_key, unpack(zeros)) end
    call("HINCRBY", usage_key, "_period", 1)
end

registry.add("ff_reset_budget", 3, 2, function(given, argv)
    local id = args.id(argv, 1, "budget_id")
    local expected = args.optional_integer(argv, 3, "expected_next_reset_at")
    local now = admission.now(argv, 2)
    local definition = checked.read(given[1], {"budget_id", "next_reset_at", "reset_interval_ms", "reset_count"})
    if not definition.budget_id then
        checked.call("ZREM", given[3], id)
        refuse("budget_not_found")
    end
    local old = number_of(definition.next_reset_at)
    if expected and expected ~= old then return {1, "ALREADY_SATISFIED", text(old)} end
    checked.call("HLEN", given[2])
    checked.call("ZSCORE", given[3], id)
    local due = next_due(old, number_of(definition.reset_interval_ms), now)
    call("HSET", given[1], "reset_count", text(number_of(definition.reset_count) + 1),
        "last_reset_at", text(now), "last_updated_at", text(now), "last_breach_at", "",
        "last_breach_dim", "", "breached_at", "", "next_reset_at", due > 0 and text(due) or "")
    zero_usage(given[2])
    if due > 0 then
        call("ZADD", given[3], due, id)
    else
        call("ZREM", given[3], id)
    end
    admission.publish_freed("budget", id)
    return {1, "OK", text(due)}
end)
