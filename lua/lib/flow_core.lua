-- Names of the fields of a flow's core (chapter 05 section 5.3.2). Other implementations of the contract refuse a
-- core with fields they do not know, but take dotted names for tags. So what is ours has a prefix. Cores of
-- earlier versions have the bare names; they are renamed by the first call that loads such a flow.
local flow_core = {}

local PREFIX = "ff."
local OURS = {
    "created_by", "sealed", "failure_policy", "outcome_policy", "finished_at", "cancel_mode", "claim_gate",
    "cancel_attempts", "cancel_completed_at", "term_success", "term_failed", "term_cancelled", "term_expired",
    "term_skipped", "term_benign", "term_leaf_bad", "reopen_count", "tags_migrated", "purging",
}
local PREFIXED, NAME_OF, IS_OURS = {}, {}, {}
for i = 1, #OURS do
    PREFIXED[i] = PREFIX .. OURS[i]
    NAME_OF[OURS[i]] = PREFIXED[i]
    IS_OURS[PREFIXED[i]] = true
end

-- A bare field of ours that every core of an earlier version has.
flow_core.OLD_MARK = "sealed"

-- The stored name of a field.
function flow_core.name(field)
    return NAME_OF[field] or field
end

function flow_core.is_ours(stored_name)
    return IS_OURS[stored_name] == true
end

-- Collects fields, given by their bare names.
function flow_core.set(u, flow_id, fields)
    local named = {}
    for field, value in each(fields) do
        named[flow_core.name(field)] = value
    end
    unit.hset(u, keys.flow(u.tag, flow_id, "core"), named)
end

-- One field of ours, wherever it stands; nil when it is empty.
function flow_core.get(key, field)
    local stored = call("HMGET", key, flow_core.name(field), field)
    if is_set(stored[1]) then return stored[1] end
    return is_set(stored[2]) and stored[2] or nil
end

-- Renames what an earlier version wrote.
function flow_core.adopt(key)
    local old, new, gone = call("HMGET", key, unpack(OURS)), call("HMGET", key, unpack(PREFIXED)), {}
    for i = 1, #OURS do
        if old[i] then
            if not new[i] then call("HSET", key, PREFIXED[i], old[i]) end
            gone[#gone + 1] = OURS[i]
        end
    end
    if gone[1] then call("HDEL", key, unpack(gone)) end
end

return flow_core
