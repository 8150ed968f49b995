-- @function ff_purge_flow
-- @keys flow_core [older...]
-- @argv flow_id retention_ms [max_deletes]
-- @reply {1,"OK",word}   word: purged, partial, not_due, members_live or not_found_cleaned
-- @refuses invalid_input
-- @repeat goes on where the last slice ended; not_found_cleaned after the last
local DELETES_DEFAULT, DELETES_MAX = 1000, 10000
local KEYS_OF_MEMBER = {"out:", "in:", "edgegroup:", "member:"}
local FIXED = {"names", "tags", "summary", "events", "pending_cancels", "members", "mutations", "grant:submit"}

local function due_since(tag, flow_id, key)
    local stored = call("HMGET", key, "public_flow_state", "last_mutation_at")
    local score = tonumber(call("ZSCORE", keys.index(tag, "terminal_flows"), flow_id) or "") or 0
    if stored[1] == "open" then return math.max(score, number_of(stored[2])) end
    return score > 0 and score or number_of(stored[2])
end

local function has_live_member(tag, flow_id)
    for _, e in ipairs(call("SMEMBERS", keys.flow(tag, flow_id, "members"))) do
        if not sibling.is_terminal(tag, e) then return true end
    end
    return false
end

-- Deletes the edges that leave `e`; false when the slice is used up before the last.
local function delete_edges(slice, flow_id, e)
    local out = keys.flow(slice.tag, flow_id, "out:" .. e)
    local edges = call("SMEMBERS", out)
    for i = 1, #edges do
        if slice.left == 0 then return false end
        slice.left = slice.left - 1
        call("DEL", keys.flow(slice.tag, flow_id, "edge:" .. edges[i]))
        call("SREM", out, edges[i])
    end
    return true
end

local function delete_members(slice, flow_id)
    local tag, members = slice.tag, keys.flow(slice.tag, flow_id, "members")
    for _, e in ipairs(call("SMEMBERS", members)) do
        if slice.left < #KEYS_OF_MEMBER or not delete_edges(slice, flow_id, e) then return false end
        for _, prefix in ipairs(KEYS_OF_MEMBER) do
            call("DEL", keys.flow(tag, flow_id, prefix .. e))
        end
        slice.left = math.max(0, slice.left - #KEYS_OF_MEMBER)
        call("SREM", keys.index(tag, "pending_cancel_groups"), sibling.tuple(flow_id, e))
        call("ZREM", keys.index(tag, "cascade_pending"), e)
        call("SREM", members, e)
    end
    return true
end

local function delete_grants(slice, flow_id)
    local mutations = keys.flow(slice.tag, flow_id, "mutations")
    for _, id in ipairs(call("SMEMBERS", mutations)) do
        if slice.left == 0 then return false end
        slice.left = slice.left - 1
        call("DEL", keys.flow(slice.tag, flow_id, "grant:" .. id))
        call("SREM", mutations, id)
    end
    return true
end

local function leave_indexes(tag, flow_id)
    call("SREM", keys.index(tag, "flow_index"), flow_id)
    for _, name in ipairs({"flows_by_time", "terminal_flows", "cancel_backlog"}) do
        call("ZREM", keys.index(tag, name), flow_id)
    end
end

registry.add("ff_purge_flow", 1, 2, function(given, argv)
    local tag, flow_id = flow.of(given, argv, 1)
    local retention = args.integer(argv, 2, "retention_ms", 0)
    local most = args.optional_integer(argv, 3, "max_deletes", 1, DELETES_MAX) or DELETES_DEFAULT
    local u = unit.open(tag)
    local key = keys.flow(tag, flow_id, "core")
    local stored = try("HGET", key, "flow_id")
    if not stored or stored.err then
        leave_indexes(tag, flow_id)
        return {1, "OK", "not_found_cleaned"}
    end
    if not flow_core.get(key, "purging") then
        if due_since(tag, flow_id, key) + retention > u.now then return {1, "OK", "not_due"} end
        if has_live_member(tag, flow_id) then return {1, "OK", "members_live"} end
        call("HSET", key, flow_core.name("purging"), "1")
    end
    -- A slice must be able to take one member.
    local slice = {tag = tag, left = math.max(most, #KEYS_OF_MEMBER + 1)}
    if not delete_members(slice, flow_id) or not delete_grants(slice, flow_id) then return {1, "OK", "partial"} end
    for _, name in ipairs(FIXED) do
        call("DEL", keys.flow(tag, flow_id, name))
    end
    call("DEL", key)
    leave_indexes(tag, flow_id)
    return {1, "OK", "purged"}
end)
