-- Cancelling what a decided group no longer needs (chapter 05 section 5.7).
local sibling = {}

function sibling.tuple(flow_id, child)
    return flow_id .. "|" .. child
end

function sibling.is_terminal(tag, e)
    local phase = try("HGET", keys.core(tag, e), "lifecycle_phase")
    return type(phase) ~= "string" or phase == "terminal"
end

-- Whether `e` feeds another group that is still undecided and whose member is live: cancelling it
-- would end unrelated work.
local function is_shared(tag, flow_id, e, child)
    for _, edge_id in ipairs(call("SMEMBERS", keys.flow(tag, flow_id, "out:" .. e))) do
        local other = call("HGET", keys.flow(tag, flow_id, "edge:" .. edge_id), "downstream_execution_id")
        if other and other ~= child then
            local state = call("HGET", edge_group.key(tag, flow_id, other), "group_state")
            if (state or "pending") == "pending" and not sibling.is_terminal(tag, other) then return true end
        end
    end
    return false
end

-- The group of `child` was decided by `edge_id`: notes who is to be cancelled in the fields of its record.
function sibling.flag(u, flow_id, child, edge_id, state, fields)
    local members, spared = {}, 0
    for _, other_edge in ipairs(call("SMEMBERS", keys.flow(u.tag, flow_id, "in:" .. child))) do
        local e = other_edge ~= edge_id
            and call("HGET", keys.flow(u.tag, flow_id, "edge:" .. other_edge), "upstream_execution_id")
        if e and not sibling.is_terminal(u.tag, e) then
            if is_shared(u.tag, flow_id, e, child) then
                spared = spared + 1
            else
                members[#members + 1] = e
            end
        end
    end
    fields.cancel_siblings_pending_flag = "true"
    fields.cancel_siblings_pending_members = table.concat(members, "|")
    fields.cancel_siblings_reason = "sibling_quorum_" .. state
    fields.cancel_siblings_spared = spared
    unit.sadd(u, keys.index(u.tag, "pending_cancel_groups"), sibling.tuple(flow_id, child))
    unit.due(u, "pending_cancel_groups", u.now)
end

-- The listed siblings that are not terminal yet.
function sibling.live(tag, members)
    local live = {}
    for e in string.gmatch(members or "", "[^|]+") do
        if not sibling.is_terminal(tag, e) then live[#live + 1] = e end
    end
    return live
end

function sibling.clear(tag, flow_id, child)
    call("SREM", keys.index(tag, "pending_cancel_groups"), sibling.tuple(flow_id, child))
    call("HDEL", edge_group.key(tag, flow_id, child), "cancel_siblings_pending_flag", "cancel_siblings_pending_members")
end

local function cancel_one(tag, now, e, reason)
    local u = unit.open(tag, now)
    local c = core.load(tag, e)
    if not c or is_set(c.purging) then return "not_found" end
    if c.lifecycle_phase == "terminal" then return "already_terminal" end
    cancellation.run(u, e, c, reason, "operator_override")
    unit.commit(u)
    return "cancelled"
end

-- Cancels `e` as one step of many: a failure stops no other. Returns what became of it.
function sibling.cancel(tag, now, e, reason)
    local done, word = pcall(cancel_one, tag, now, e, reason)
    return done and word or "failed"
end

return sibling
