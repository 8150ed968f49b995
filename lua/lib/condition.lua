-- Resume conditions (chapter 03 section 4): read from JSON when an execution suspends, stored in one
-- record per waitpoint, evaluated by every signal. Trees are in lib/tree.lua.
local condition = {}

local BYTES_MAX = 8192
local MATCHERS_MAX = 256
local TYPES = {signal_set = true, single_signal = true, operator_only = true, timeout_only = true, composite = true}
local MODES = {any = true, all = true, count = true}
local TYPE_OF_NAME = {__operator_only__ = "operator_only", __timeout_only__ = "timeout_only"}

local function fault(detail)
    refuse("invalid_resume_condition", detail, "")
end

local function decode(json)
    if #json > BYTES_MAX then fault("condition_size_exceeded") end
    local parsed, given = pcall(cjson.decode, json)
    if not parsed or type(given) ~= "table" or not string.find(json, "^%s*{") then fault("bad_json") end
    return given
end

local function names_of(given)
    local list = policy.member(given, "required_signal_names") or {}
    if type(list) ~= "table" or (next(list) ~= nil and #list == 0) then fault("bad_json") end
    if #list > MATCHERS_MAX then fault("too_many_matchers") end
    for i = 1, #list do
        if type(list[i]) ~= "string" then fault("bad_json") end
    end
    return list
end

-- A list that names nothing but one of the two old words means that type.
local function type_by_names(names)
    local word = TYPE_OF_NAME[names[1]]
    for i = 2, #names do
        if TYPE_OF_NAME[names[i]] ~= word then return nil end
    end
    return word
end

local function minimum_of(given)
    local minimum = policy.member(given, "minimum_signal_count")
    if minimum == nil then return 1 end
    if type(minimum) ~= "number" or minimum ~= math.floor(minimum) then fault("bad_json") end
    if minimum < 1 then fault("count_n_zero") end
    return minimum
end

-- One matcher may stand for several equal ones: "two approvals".
local function matchers_of(names, mode, minimum)
    if #names == 0 then names = {""} end
    if minimum <= #names then return names end
    if #names > 1 then
        if mode ~= "all" then fault("count_exceeds_matchers") end
        return names
    end
    if minimum > MATCHERS_MAX then fault("too_many_matchers") end
    local repeated = {}
    for i = 1, minimum do
        repeated[i] = names[1]
    end
    return repeated
end

local function read_flat(given, has_timeout)
    local kind = policy.member(given, "condition_type") or "signal_set"
    if not TYPES[kind] then fault("unknown_condition_type") end
    local mode = policy.member(given, "signal_match_mode") or "any"
    if not MODES[mode] then fault("bad_match_mode") end
    local names = names_of(given)
    kind = type_by_names(names) or kind
    if kind == "single_signal" and #names > 1 then fault("too_many_matchers") end
    if kind == "timeout_only" and not has_timeout then fault("timeout_only_without_deadline") end
    local minimum = minimum_of(given)
    local matchers = {}
    if kind ~= "operator_only" and kind ~= "timeout_only" then
        matchers = matchers_of(names, mode, minimum)
    end
    return {kind = kind, mode = mode, minimum = minimum, matchers = matchers}
end

-- Reads and checks the condition of a suspension, all but its keys (see condition.bind).
function condition.read(json, has_timeout)
    if json == "" then fault("bad_json") end
    local given = decode(json)
    local version = policy.member(given, "v")
    local composite = policy.member(given, "composite") == true or policy.member(given, "condition_type") == "composite"
    if version ~= 1 and (composite or version ~= nil) then fault("unsupported_version") end
    local read = composite and {kind = "composite", tree = tree.read(given)} or read_flat(given, has_timeout)
    read.waitpoint_id = policy.member(given, "required_waitpoint_id")
    read.waitpoint_key = policy.member(given, "required_waitpoint_key")
    return read
end

-- Binds it to the waitpoints of the suspension, the primary first; a tree yields its member map.
function condition.bind(read, bound)
    local primary = bound[1]
    if (read.waitpoint_id ~= nil and read.waitpoint_id ~= primary.id)
        or (read.waitpoint_key ~= nil and read.waitpoint_key ~= primary.key) then
        fault("waitpoint_key_mismatch")
    end
    if read.tree then return tree.bind(read.tree, bound) end
    if bound[2] then fault("extra_binding_not_referenced_by_condition") end
    return nil
end

-- Whether an operator may end the suspension. What cannot be read does not stop one.
function condition.allows_operator(json)
    local parsed, given = pcall(cjson.decode, json or "")
    if not parsed or type(given) ~= "table" then return true end
    return given.allow_operator_override ~= false
end

-- Evaluation of a condition just read; nothing was counted yet.
function condition.start(read, member_map)
    if read.tree then
        return tree.evaluation(read.tree, {}, function(id) return member_map[id] end, function() return false end)
    end
    local matchers = {}
    for i, name in ipairs(read.matchers) do
        matchers[i] = {name = name}
    end
    return {
        kind = read.kind, mode = read.mode, minimum = read.minimum, matchers = matchers,
        satisfied_count = 0, changed = {},
    }
end

local function counts_of(record)
    local counts = {}
    for field, value in each(record) do
        local path = string.match(field, "^satisfied_count:(.*)$")
        if path then counts[path] = number_of(value) end
    end
    return counts
end

local function load_tree(tag, e, record)
    local parsed, read = pcall(function() return tree.read(decode(record.resume_condition_json or "")) end)
    if not parsed then refuse("corruption", "resume_condition_json") end
    return tree.evaluation(read, counts_of(record),
        function(id) return call("HGET", keys.member_map(tag, e), id) end,
        function(token_text) return call("SISMEMBER", keys.satisfied_set(tag, e), token_text) == 1 end)
end

-- Evaluation of a stored condition: its record, and the suspension's for a tree.
function condition.load(tag, e, stored, record)
    if stored.composite == "1" then return load_tree(tag, e, record) end
    local matchers = {}
    for i = 1, number_of(stored.total_matchers) do
        local prefix = "matcher:" .. (i - 1)
        matchers[i] = {
            name = stored[prefix .. ":name"] or "",
            signal_id = stored[prefix .. ":satisfied"] == "1" and (stored[prefix .. ":signal_id"] or "") or nil,
        }
    end
    return {
        kind = stored.condition_type, mode = stored.match_mode, minimum = number_of(stored.minimum_signal_count),
        matchers = matchers, satisfied_count = number_of(stored.satisfied_count), changed = {},
    }
end

local function is_met(state)
    if state.mode == "all" then return state.satisfied_count == #state.matchers end
    return state.satisfied_count >= state.minimum
end

-- The effect of one signal on the condition. What comes after satisfaction changes nothing.
function condition.apply(state, waitpoint_id, signal_fields)
    if state.read then return tree.apply(state, waitpoint_id, signal_fields) end
    if state.satisfied then return "no_op" end
    for i, matcher in ipairs(state.matchers) do
        if not matcher.signal_id and (matcher.name == "" or matcher.name == signal_fields.signal_name) then
            matcher.signal_id = signal_fields.signal_id
            state.changed[#state.changed + 1] = i
            state.satisfied_count = state.satisfied_count + 1
            state.satisfied = is_met(state)
            return state.satisfied and "resume_condition_satisfied" or "appended_to_waitpoint"
        end
    end
    return "no_op"
end

function condition.contributed(effect)
    return effect == "resume_condition_satisfied" or effect == "appended_to_waitpoint"
end

-- Ids of the signals that count: by matcher, or for a tree in the order in which they came.
function condition.satisfiers(tag, e, state)
    local found = {}
    if state.read then
        found = call("LRANGE", keys.satisfied_signals(tag, e), 0, -1)
        for _, id in ipairs(state.contributors) do
            found[#found + 1] = id
        end
        return found
    end
    for _, matcher in ipairs(state.matchers) do
        if matcher.signal_id then found[#found + 1] = matcher.signal_id end
    end
    return found
end

-- Collects what one signal changed in a condition that goes on.
function condition.save(u, e, waitpoint_id, state)
    if state.read then
        condition.save_tree(u, e, state)
        return
    end
    if not state.changed[1] then return end
    local fields = {satisfied_count = state.satisfied_count, updated_at = u.now}
    for _, i in ipairs(state.changed) do
        fields["matcher:" .. (i - 1) .. ":satisfied"] = "1"
        fields["matcher:" .. (i - 1) .. ":signal_id"] = state.matchers[i].signal_id
    end
    unit.hset(u, keys.waitpoint_condition(u.tag, waitpoint_id), fields)
end

-- Tokens, contributors and counters of a tree.
function condition.save_tree(u, e, state)
    if not state.tokens[1] then return end
    local fields = {}
    for path, number in each(state.counted) do
        fields["satisfied_count:" .. path] = number
    end
    unit.hset(u, keys.suspension(u.tag, e), fields)
    unit.many(u, {"SADD", keys.satisfied_set(u.tag, e)}, state.tokens)
    unit.many(u, {"RPUSH", keys.satisfied_signals(u.tag, e)}, state.contributors)
end

-- The whole record of a waitpoint's condition.
function condition.fields(u, state)
    local fields = {composite = "0", closed = "0", closed_at = "", closed_reason = "", updated_at = u.now}
    if state.read then
        fields.composite, fields.condition_type, fields.match_mode = "1", "composite", "composite"
        fields.minimum_signal_count, fields.total_matchers, fields.satisfied_count = "1", "0", "0"
        return fields
    end
    fields.condition_type, fields.match_mode = state.kind, state.mode
    fields.minimum_signal_count = state.minimum
    fields.total_matchers, fields.satisfied_count = #state.matchers, state.satisfied_count
    for i, matcher in ipairs(state.matchers) do
        local prefix = "matcher:" .. (i - 1)
        fields[prefix .. ":name"] = matcher.name
        fields[prefix .. ":satisfied"] = matcher.signal_id and "1" or "0"
        fields[prefix .. ":signal_id"] = matcher.signal_id or ""
    end
    return fields
end

-- What an escalated suspension waits for: an operator.
function condition.operator_only(u)
    return condition.fields(u, {kind = "operator_only", mode = "any", minimum = 1, matchers = {}, satisfied_count = 0})
end

return condition
