-- @function ff_release_budget
-- @keys usage ledger ledger_index [definition]
-- @argv budget_id execution_id
-- Gives back what one execution spent in the current period. Amounts of an earlier period were zeroed
-- by the reset: they are forgotten, not given back, and not named in the reply.
-- @reply {1,"OK","released",dimension,amount,...}
-- @reply {1,"OK","noop"}
-- @refuses invalid_input
-- @repeat noop

-- The dimensions of a ledger, in bytewise order.
local function dimensions_of(ledger)
    local names = {}
    for name in each(ledger) do
        if name ~= "_period" then names[#names + 1] = name end
    end
    table.sort(names, bytes.less)
    return names
end

-- Subtracts the ledger from the usage, never below 0, and answers what was given back.
local function give_back(usage_key, ledger)
    local names = dimensions_of(ledger)
    local stored = call("HMGET", usage_key, "_period", unpack(names))
    if not names[1] or (stored[1] or "0") ~= (ledger._period or "0") then return {} end
    local usage, released = {}, {}
    for i, name in ipairs(names) do
        local current = number_of(stored[i + 1])
        local amount = math.min(number_of(ledger[name]), current)
        usage[2 * i - 1], usage[2 * i] = name, text(current - amount)
        released[2 * i - 1], released[2 * i] = name, text(amount)
    end
    call("HSET", usage_key, unpack(usage))
    return released
end

local function refresh_definition(definition, usage_key)
    local fields = {"last_updated_at", text(admission.store_now())}
    if not budget.is_exceeded(definition .. ":limits", usage_key) then
        fields[3], fields[4] = "breached_at", ""
    end
    call("HSET", definition, unpack(fields))
end

registry.add("ff_release_budget", 3, 2, function(given, argv)
    local id = args.id(argv, 1, "budget_id")
    local e = args.id(argv, 2, "execution_id")
    local ledger = admission.table_of(checked.call("HGETALL", given[2]))
    if not next(ledger) then
        checked.call("SREM", given[3], e)
        return {1, "OK", "noop"}
    end
    checked.call("HLEN", given[1])
    local definition = given[4] and not admission.is_noop(given[4]) and given[4]
    local is_known = definition and checked.call("HEXISTS", definition, "budget_id") == 1
    checked.call("SREM", given[3], e)
    local released = give_back(given[1], ledger)
    call("DEL", given[2])
    if is_known then refresh_definition(definition, given[1]) end
    admission.publish_freed("budget", id)
    return {1, "OK", "released", unpack(released)}
end)
