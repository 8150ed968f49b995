-- Steps (chapter 02 section 7.14): named results that belong to an execution and outlive its attempts. One hash holds
-- them: `o:<n>` is the name of the n-th in the order of writing, `s:<name>` its attempt index, time, size and encoding,
-- `v:<name>` its value. The core counts them, so that an execution without steps costs no call.
local steps = {}

steps.PER_CALL_MAX = 64
local COUNT_MAX = 10000
local STEP_BYTES_MAX = 1048576
local BYTES_MAX = 16777216
local NAME_MAX = 256
local GROUP = 3
local NONE = {}

local function check_name(name)
    if #name > NAME_MAX then args.refuse("step_name", "longer than 256 bytes") end
    if string.find(name, "[%z\1-\31\127]") then args.refuse("step_name", "control character") end
end

-- The steps that a call brings along, at argv[at]: their number, then name, value and encoding of each. `least`: how
-- many there must be.
function steps.read(argv, at, least)
    local count = args.optional_integer(argv, at, "step_count", least, steps.PER_CALL_MAX) or 0
    if count < least then args.refuse("step_count", "less than " .. text(least)) end
    if count == 0 then return NONE end
    if count_of(argv) < at + GROUP * count then args.refuse("arity", "fewer steps than counted") end
    local list = {}
    for i = 1, count do
        local first = at + 1 + GROUP * (i - 1)
        local step = {
            name = args.id(argv, first, "step_name"), value = argv[first + 1], encoding = argv[first + 2],
        }
        check_name(step.name)
        if #step.encoding > NAME_MAX then args.refuse("step_encoding", "longer than 256 bytes") end
        list[i] = step
    end
    return list
end

-- What is told of those steps of the list that are recorded already; false for the others.
local function known(u, e, c, list)
    if not is_set(c.step_count) then return NONE end
    local fields = {}
    for i = 1, #list do
        fields[i] = "s:" .. list[i].name
    end
    return call("HMGET", keys.steps(u.tag, e), unpack(fields))
end

local function check_limits(c, step, count, bytes)
    if #step.value > STEP_BYTES_MAX then
        refuse("step_limit_exceeded", "bytes_per_step", text(STEP_BYTES_MAX), step.name)
    end
    if count > COUNT_MAX then refuse("step_limit_exceeded", "steps_per_execution", text(COUNT_MAX), step.name) end
    local most = tonumber(c.max_steps_bytes) or BYTES_MAX
    if bytes > most then refuse("step_limit_exceeded", "max_steps_bytes", text(most), step.name) end
end

-- What recording the list would do; refuses if that passes a limit. The first of a name wins, of the list as of those
-- before it.
function steps.plan(u, e, c, list)
    if list == NONE then return NONE end
    local told, seen = known(u, e, c, list), {}
    local count, bytes = number_of(c.step_count), number_of(c.step_bytes)
    local plan = {count = count, fresh = {}, list = list, told = told, first = seen}
    for i = 1, #list do
        local step = list[i]
        if not told[i] and not seen[step.name] then
            seen[step.name] = step
            count, bytes = count + 1, bytes + #step.name + #step.value + #step.encoding
            check_limits(c, step, count, bytes)
            plan.fresh[#plan.fresh + 1] = step
        end
    end
    plan.bytes = bytes
    return plan
end

-- One entry of the event feed, with the names only.
local function tell(u, e, c, index, fresh)
    local names = {}
    for i = 1, #fresh do
        names[i] = fresh[i].name
    end
    feed.add(u, "step", e, c, {
        "event", "recorded", "attempt_index", index, "count", #fresh,
        "names", args.cut(table.concat(names, ","), feed.TEXT_MAX),
    })
end

-- Collects the writes of a plan; `set` is the change of the core.
function steps.write(u, e, c, set, plan)
    if plan == NONE or not plan.fresh[1] then return end
    local values, index = {}, c.current_attempt_index or "0"
    for i, step in ipairs(plan.fresh) do
        local size = #values
        values[size + 1], values[size + 2] = "o:" .. text(plan.count + i - 1), step.name
        values[size + 3] = "s:" .. step.name
        values[size + 4] = index .. " " .. text(u.now) .. " " .. text(#step.value) .. " " .. step.encoding
        values[size + 5], values[size + 6] = "v:" .. step.name, step.value
    end
    unit.many(u, {"HSET", keys.steps(u.tag, e)}, values)
    tell(u, e, c, index, plan.fresh)
    set.step_count = plan.count + #plan.fresh
    set.step_bytes = plan.bytes
end

-- Records the list in the call at work, which has made all other checks and may still be refused by a limit.
function steps.bring(u, e, c, list)
    local plan = steps.plan(u, e, c, list)
    if plan == NONE or not plan.fresh[1] then return end
    steps.write(u, e, c, core.change(u, e, c), plan)
end

-- One answer for each step of a plan: {name,"recorded"} or {name,"duplicate",value,encoding}.
function steps.answers(u, e, plan)
    local answers, named = {}, {}
    for i, step in ipairs(plan.list) do
        local first = plan.first[step.name]
        if plan.told[i] then
            local value = call("HGET", keys.steps(u.tag, e), "v:" .. step.name)
            local encoding = string.match(plan.told[i], "^%d+ %d+ %d+ (.*)$")
            answers[i] = {step.name, "duplicate", value or "", encoding or ""}
        elseif named[step.name] then
            answers[i] = {step.name, "duplicate", first.value, first.encoding}
        else
            named[step.name] = true
            answers[i] = {step.name, "recorded"}
        end
    end
    return answers
end

-- Names and what is told of the steps from the n-th on, at most `limit` of them.
local function page(key, first, limit)
    local fields = {}
    for i = 1, limit do
        fields[i] = "o:" .. text(first + i - 1)
    end
    local names = call("HMGET", key, unpack(fields))
    fields = {}
    for i = 1, #names do
        if not names[i] then break end
        fields[i] = "s:" .. names[i]
    end
    if not fields[1] then return names, NONE end
    return names, call("HMGET", key, unpack(fields))
end

-- Steps from the n-th on as {name,value,encoding,attempt_index,recorded_at}, at most `limit`; after the first as many
-- as fit into `bytes`.
function steps.from(tag, e, first, limit, bytes)
    local key, found = keys.steps(tag, e), {}
    local names, told = page(key, first, limit)
    for i = 1, #told do
        local index, at, size, encoding = string.match(told[i] or "", "^(%d+) (%d+) (%d+) (.*)$")
        if not index then break end
        bytes = bytes - tonumber(size) - #names[i]
        if bytes < 0 and i > 1 then break end
        found[i] = {names[i], call("HGET", key, "v:" .. names[i]) or "", encoding, index, at}
    end
    return found
end

local INLINE_PAGE = 500

-- All steps of an execution for its worker, flat: name, value and encoding by turns.
function steps.all(u, e, c)
    local key, count, list = keys.steps(u.tag, e), number_of(c.step_count), {}
    for first = 0, count - 1, INLINE_PAGE do
        local names, told = page(key, first, math.min(INLINE_PAGE, count - first))
        local fields = {}
        for i = 1, #told do
            fields[i] = "v:" .. names[i]
        end
        local values = fields[1] and call("HMGET", key, unpack(fields)) or NONE
        for i = 1, #values do
            local size = #list
            list[size + 1], list[size + 2] = names[i], values[i] or ""
            list[size + 3] = string.match(told[i] or "", "^%d+ %d+ %d+ (.*)$") or ""
        end
    end
    return list
end

-- A new run begins without those of the one before.
function steps.drop(u, e, c, set)
    if not is_set(c.step_count) then return end
    unit.record(u, {"DEL", keys.steps(u.tag, e)})
    set.step_count, set.step_bytes = "", ""
end

return steps
