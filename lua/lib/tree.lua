-- Composite resume conditions (chapter 03 sections 4.2 and 4.3): a tree of AllOf, Count, Single and
-- NeverBySignal nodes, read from JSON, bound to waitpoints and evaluated signal by signal.
local tree = {}

local DEPTH_MAX = 4
local COUNT_MAX = 10000
local COUNT_KINDS = {DistinctWaitpoints = true, DistinctSignals = true, DistinctSources = true}
local CONSTRAINTS = {"source_type", "signal_category", "correlation_id"}

local function fault(detail, path)
    refuse("invalid_resume_condition", detail, path)
end

-- Fields a signal must have; an empty table takes every signal.
local function read_matcher(given, path)
    local kind = type(given) == "table" and policy.member(given, "kind")
    local matcher = {}
    if kind == "ByName" then
        local name = policy.member(given, "name")
        if type(name) ~= "string" or name == "" then fault("empty_matcher_name", path) end
        matcher.signal_name = name
    elseif kind ~= "Wildcard" then
        fault("unknown_matcher_kind", path)
    end
    for _, field in ipairs(CONSTRAINTS) do
        local value = policy.member(given, field)
        if value ~= nil and type(value) ~= "string" then fault("unknown_matcher_kind", path) end
        matcher[field] = value
    end
    return matcher
end

local function matches(matcher, signal_fields)
    for field, value in each(matcher) do
        if signal_fields[field] ~= value then return false end
    end
    return true
end

local function read_single(node, given)
    local key = policy.member(given, "waitpoint_key")
    if type(key) ~= "string" then fault("referenced_waitpoint_key_missing_binding", node.path) end
    node.keys = {key}
    node.n = 1
    node.counts = "DistinctWaitpoints"
    node.matcher = read_matcher(policy.member(given, "matcher"), node.path)
end

local function distinct_keys(list, path)
    local seen, found = {}, {}
    for i = 1, #list do
        local key = list[i]
        if type(key) ~= "string" then fault("referenced_waitpoint_key_missing_binding", path) end
        if not seen[key] then
            seen[key] = true
            found[#found + 1] = key
        end
    end
    return found
end

local function read_count(node, given)
    local n = policy.member(given, "n")
    if type(n) ~= "number" or n < 1 or n ~= math.floor(n) then fault("count_n_zero", node.path) end
    if n > COUNT_MAX then fault("count_n_too_large", node.path) end
    local counts = policy.member(given, "count_kind")
    if not COUNT_KINDS[counts] then fault("unknown_count_kind", node.path) end
    local list = policy.member(given, "waitpoints")
    if type(list) ~= "table" or #list == 0 then fault("count_waitpoints_empty", node.path) end
    node.n, node.counts = n, counts
    node.keys = distinct_keys(list, node.path)
    if counts == "DistinctWaitpoints" and n > #node.keys then fault("count_exceeds_waitpoint_set", node.path) end
    local matcher = policy.member(given, "matcher")
    node.matcher = matcher == nil and {} or read_matcher(matcher, node.path)
end

local read_node

local function read_members(read, node, given, depth)
    local list = policy.member(given, "members")
    if type(list) ~= "table" or #list == 0 then fault("allof_empty_members", node.path) end
    local prefix = node.path == "" and "" or node.path .. "."
    node.members = {}
    for i = 1, #list do
        node.members[i] = read_node(read, list[i], prefix .. "members[" .. (i - 1) .. "]", depth)
    end
end

-- `read.leaves` gathers what signals can reach, depth first.
read_node = function(read, given, path, depth)
    local kind = type(given) == "table" and policy.member(given, "kind")
    local node = {path = path, kind = kind}
    if kind == "AllOf" or kind == "Count" then
        depth = depth + 1
        if depth > DEPTH_MAX then fault("condition_depth_exceeded", path) end
    end
    if kind == "AllOf" then
        read_members(read, node, given, depth)
    elseif kind == "Single" then
        read_single(node, given)
    elseif kind == "Count" then
        read_count(node, given)
    elseif kind ~= "NeverBySignal" then
        fault("unknown_node_kind", path)
    end
    if node.keys then
        read.leaves[#read.leaves + 1] = node
        read.by_path[path] = node
    end
    return node
end

-- The condition of a decoded JSON object; refuses what is malformed.
function tree.read(given)
    local read = {leaves = {}, by_path = {}}
    read.root = read_node(read, policy.member(given, "tree"), "", 0)
    return read
end

-- Paths per waitpoint id, as member_map stores them. `bound` is a list of waitpoints with id and key:
-- every key of the tree must be there, and every one of them in the tree.
function tree.bind(read, bound)
    local id_of, map = {}, {}
    for _, one in ipairs(bound) do
        id_of[one.key] = one.id
    end
    for _, leaf in ipairs(read.leaves) do
        for _, key in ipairs(leaf.keys) do
            local id = id_of[key]
            if not id then fault("referenced_waitpoint_key_missing_binding", leaf.path) end
            map[id] = map[id] and map[id] .. "," .. leaf.path or leaf.path
        end
    end
    for _, one in ipairs(bound) do
        if not map[one.id] then fault("extra_binding_not_referenced_by_condition", "") end
    end
    return map
end

-- Evaluation of one call. `counts` holds the stored counters by path, `paths_of(id)` the entry of the
-- member map, `is_known(token)` whether a satisfier was counted before this call.
function tree.evaluation(read, counts, paths_of, is_known)
    return {
        read = read, counts = counts, paths_of = paths_of, is_known = is_known,
        counted = {}, tokens = {}, contributors = {},
    }
end

local function is_satisfied(state, node)
    if node.n then return (state.counts[node.path] or 0) >= node.n end
    if not node.members then return false end
    for _, member in ipairs(node.members) do
        if not is_satisfied(state, member) then return false end
    end
    return true
end

local function satisfier(leaf, waitpoint_id, signal_fields)
    if leaf.counts == "DistinctSignals" then return leaf.path .. "#sig:" .. signal_fields.signal_id end
    if leaf.counts == "DistinctSources" then
        local source_type = string.gsub(string.gsub(signal_fields.source_type, "%%", "%%25"), ":", "%%3A")
        return leaf.path .. "#src:" .. source_type .. ":" .. signal_fields.source_identity
    end
    return leaf.path .. "#wp:" .. waitpoint_id
end

local function add_token(state, token_text)
    state.tokens[token_text] = true
    state.tokens[#state.tokens + 1] = token_text
end

-- Counts the satisfier; false when it was counted before.
local function count(state, leaf, waitpoint_id, signal_fields)
    local token_text = satisfier(leaf, waitpoint_id, signal_fields)
    if state.tokens[token_text] or state.is_known(token_text) then return false end
    add_token(state, token_text)
    state.counts[leaf.path] = (state.counts[leaf.path] or 0) + 1
    state.counted[leaf.path] = state.counts[leaf.path]
    return true
end

-- Adds the marker of every node that became satisfied, from the leaves up.
local function mark(state, node)
    for _, member in ipairs(node.members or {}) do
        mark(state, member)
    end
    local marker = "node:" .. node.path
    if not state.tokens[marker] and is_satisfied(state, node) then add_token(state, marker) end
end

-- The effect of one signal; `state.satisfied` says whether the condition is met now.
function tree.apply(state, waitpoint_id, signal_fields)
    local paths = state.paths_of(waitpoint_id)
    if not paths then return "signal_ignored_not_in_condition" end
    local is_new, all_refused = false, true
    for path in string.gmatch(paths == "" and "," or paths .. ",", "([^,]*),") do
        local leaf = state.read.by_path[path]
        if leaf and is_satisfied(state, leaf) then
            all_refused = false
        elseif leaf and matches(leaf.matcher, signal_fields) then
            all_refused = false
            if count(state, leaf, waitpoint_id, signal_fields) then is_new = true end
        end
    end
    if not is_new then
        return all_refused and "signal_ignored_matcher_failed" or "appended_to_waitpoint_duplicate"
    end
    state.contributors[#state.contributors + 1] = signal_fields.signal_id
    mark(state, state.read.root)
    state.satisfied = is_satisfied(state, state.read.root)
    return state.satisfied and "resume_condition_satisfied" or "appended_to_waitpoint"
end

return tree
