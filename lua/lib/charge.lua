-- Counting usage against a budget: the one routine behind ff_report_usage_and_check and
-- ff_record_spend. A charge has the keys usage, limits, definition; names and deltas (equal length,
-- repeats allowed); now; dedup_key ("" = none); and, to attribute it, execution_id ("" = to nobody)
-- with the keys ledger and index and ledger_ttl_ms. `is_spent`: it has happened, so it is counted whatever the limits
-- say; without it the charge asks first.
local charge = {}

local DEDUP_TTL_MS = 86400000

-- Fills names and deltas: the i-th name stands at `name_at + (i-1)*step`, its delta likewise.
function charge.read_deltas(c, argv, count, name_at, delta_at, step)
    c.names, c.deltas = {}, {}
    for i = 0, count - 1 do
        c.names[i + 1] = budget.dimension(argv, name_at + i * step)
        c.deltas[i + 1] = args.integer(argv, delta_at + i * step, "delta", 0)
    end
end

-- A dedup key of this partition, or "": any other key could be overwritten through it.
function charge.dedup_key(argv, i, usage_key)
    local key = args.text(argv, i)
    local prefix = "ff:usagededup:" .. args.tag(usage_key) .. ":"
    if key ~= "" and (#key == #prefix or string.sub(key, 1, #prefix) ~= prefix) then
        args.refuse("dedup_key", "not one of this partition")
    end
    return key
end

-- Distinct dimensions in the order of their first mention, with stored usage and limits; the usage
-- hash's period; and how many dimensions it does not hold yet.
local function load(c)
    local usage_fields, limit_fields = {"_period"}, {}
    local loaded = {order = {}, by_name = {}, unknown = 0}
    for _, name in ipairs(c.names) do
        if not loaded.by_name[name] then
            loaded.by_name[name] = {name = name}
            loaded.order[#loaded.order + 1] = loaded.by_name[name]
            usage_fields[#usage_fields + 1] = name
            limit_fields[#limit_fields + 1] = "hard:" .. name
            limit_fields[#limit_fields + 1] = "soft:" .. name
        end
    end
    local stored = checked.call("HMGET", c.usage, unpack(usage_fields))
    local limits = limit_fields[1] and checked.call("HMGET", c.limits, unpack(limit_fields))
    loaded.period = stored[1] or "0"
    for i, dimension in ipairs(loaded.order) do
        if not stored[i + 1] then loaded.unknown = loaded.unknown + 1 end
        dimension.before = number_of(stored[i + 1])
        dimension.total = dimension.before
        dimension.hard = number_of(limits[2 * i - 1])
        dimension.soft = number_of(limits[2 * i])
    end
    return loaded
end

-- Adds the deltas up in argument order. Answers the first dimension past its hard limit, unless they are `counted`
-- all the same.
local function add_up(c, loaded, counted)
    for i, name in ipairs(c.names) do
        local dimension = loaded.by_name[name]
        dimension.total = dimension.total + c.deltas[i]
        if dimension.total > args.INTEGER_MAX then args.refuse("delta", "usage above 2^53-1") end
        if not counted and dimension.hard > 0 and dimension.total > dimension.hard then
            return dimension
        end
    end
    if loaded.unknown > 0 and call("HLEN", c.usage) + loaded.unknown > budget.USAGE_FIELDS_MAX then
        args.refuse("dimension", "too many for one budget")
    end
end

local function write_usage(c, loaded)
    local totals = {}
    for _, dimension in ipairs(loaded.order) do
        totals[#totals + 1] = dimension.name
        totals[#totals + 1] = text(dimension.total)
    end
    if totals[1] then call("HSET", c.usage, unpack(totals)) end
end

-- A ledger of an earlier period is void: the reset has zeroed what it speaks of.
local function write_ledger(c, loaded)
    local fields = {"_period"}
    for _, dimension in ipairs(loaded.order) do
        fields[#fields + 1] = dimension.name
    end
    local stored = checked.call("HMGET", c.ledger, unpack(fields))
    checked.call("SADD", c.index, c.execution_id)
    local same_period = stored[1] == loaded.period
    if stored[1] and not same_period then call("DEL", c.ledger) end
    local values = {"_period", loaded.period}
    for i, dimension in ipairs(loaded.order) do
        local spent = same_period and number_of(stored[i + 1]) or 0
        values[#values + 1] = dimension.name
        values[#values + 1] = text(spent + (dimension.total - dimension.before))
    end
    call("HSET", c.ledger, unpack(values))
    call("PEXPIRE", c.ledger, text(c.ledger_ttl_ms))
end

local function first_above(loaded, kind)
    for _, dimension in ipairs(loaded.order) do
        if dimension[kind] > 0 and dimension.total > dimension[kind] then return dimension end
    end
end

local function note_breach(c, definition, dimension)
    local now = text(c.now)
    local breached_at = definition.breached_at or now
    call("HSET", c.definition, "breach_count", text(number_of(definition.breach_count) + 1),
        "last_breach_at", now, "last_breach_dim", dimension.name, "breached_at", breached_at,
        "last_updated_at", now)
end

-- The verdict on usage that has been counted.
local function judge(c, definition, loaded, advisory)
    local dimension = first_above(loaded, "hard")
    if dimension then
        note_breach(c, definition, dimension)
        return {1, advisory and "SOFT_BREACH" or "HARD_BREACH", dimension.name, text(dimension.total),
            text(dimension.hard), definition.on_hard_limit}
    end
    local now = text(c.now)
    dimension = first_above(loaded, "soft")
    if dimension then
        local count = number_of(definition.soft_breach_count) + 1
        call("HSET", c.definition, "soft_breach_count", text(count), "last_updated_at", now)
        return {1, "SOFT_BREACH", dimension.name, text(dimension.total), text(dimension.soft),
            definition.on_soft_limit}
    end
    call("HSET", c.definition, "last_updated_at", now)
    return {1, "OK"}
end

function charge.run(c)
    local definition = checked.read(c.definition, {"budget_id", "enforcement_mode",
        "on_hard_limit", "on_soft_limit", "breach_count", "soft_breach_count", "breached_at"})
    if not definition.budget_id then refuse("budget_not_found") end
    if c.dedup_key ~= "" and call("EXISTS", c.dedup_key) == 1 then return {1, "ALREADY_APPLIED"} end
    local advisory = budget.is_advisory(definition)
    local loaded = load(c)
    local breached = add_up(c, loaded, advisory or c.is_spent)
    if breached then
        note_breach(c, definition, breached)
        return {1, "HARD_BREACH", breached.name, text(breached.before), text(breached.hard),
            definition.on_hard_limit}
    end
    if c.execution_id ~= "" then write_ledger(c, loaded) end
    write_usage(c, loaded)
    if c.dedup_key ~= "" then call("SET", c.dedup_key, "1", "PX", DEDUP_TTL_MS) end
    return judge(c, definition, loaded, advisory)
end

return charge
