-- Budgets: what their functions share. A definition hash without `budget_id` is no budget.
local budget = {}

budget.DIMENSIONS_MAX = 64
budget.USAGE_FIELDS_MAX = 512
local NAME_BYTES_MAX = 128

-- 1..128 bytes, no blanks or control characters, no leading underscore.
function budget.dimension(argv, i)
    local name = argv[i]
    if #name < 1 or #name > NAME_BYTES_MAX or string.find(name, "^_")
        or string.find(name, "[%z\1-\32\127]") then
        args.refuse("dimension", "bad name")
    end
    return name
end

-- The number N of dimensions at `i`, of which each takes `width` arguments among the `base` others.
function budget.count(argv, i, name, base, width)
    local count = args.integer(argv, i, name, 0, budget.DIMENSIONS_MAX)
    if #argv < base + width * count then
        args.refuse("arity", "fewer than " .. text(count) .. " dimensions")
    end
    return count
end

-- Limits from ARGV: `count` names from `first` on, then as many hard, then as many soft ones.
-- With `keep_empty` an empty limit means "leave it" and is nil in the list of {name, hard, soft}.
function budget.limits(argv, first, count, keep_empty)
    local read = keep_empty and args.optional_integer or args.integer
    local limits, seen = {}, {}
    for i = first, first + count - 1 do
        local name = budget.dimension(argv, i)
        if seen[name] then args.refuse("dimension", "named twice") end
        seen[name] = true
        local hard = read(argv, i + count, "hard", 0)
        local soft = read(argv, i + 2 * count, "soft", 0)
        if hard and soft and hard > 0 and soft > hard then
            args.refuse("soft", "above the hard limit")
        end
        limits[#limits + 1] = {name = name, hard = hard, soft = soft}
    end
    return limits
end

-- The limits as fields and values for one HSET.
function budget.limit_fields(limits)
    local fields = {}
    for _, limit in ipairs(limits) do
        for _, kind in ipairs({"hard", "soft"}) do
            if limit[kind] then
                fields[#fields + 1] = kind .. ":" .. limit.name
                fields[#fields + 1] = text(limit[kind])
            end
        end
    end
    return fields
end

-- A budget that never refuses a report and never holds work back.
function budget.is_advisory(definition)
    local mode = definition.enforcement_mode
    return mode == "advisory" or mode == "warn" or definition.on_hard_limit == "warn"
end

-- Whether some dimension has passed its hard limit.
function budget.is_exceeded(limits_key, usage_key)
    local used = admission.table_of(try("HGETALL", usage_key))
    local limits = try("HGETALL", limits_key)
    for i = 1, #limits, 2 do
        local name = string.match(limits[i], "^hard:(.*)$")
        local hard = name and number_of(limits[i + 1]) or 0
        if hard > 0 and number_of(used[name]) > hard then return true end
    end
    return false
end

return budget
