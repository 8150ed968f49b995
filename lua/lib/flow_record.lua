-- The record of a new flow and its tags (chapter 05 sections 5.3.2 and 5.5).
local flow_record = {}

local FAILURE_POLICIES = {isolate_failures = true, fail_fast = true}
local OUTCOME_POLICIES = {strict = true, leaves = true}
local KIND_MAX = 128
local TAG_KEY_MAX, TAG_VALUE_MAX = 128, 4096

local function word(value, words, default, name)
    if not is_set(value) then return default end
    if not words[value] then args.refuse(name, "unknown value") end
    return value
end

-- Checks what describes a flow; `where` stands before the names in details.
function flow_record.read(a, where)
    for _, name in ipairs({"flow_kind", "namespace", "failure_policy", "outcome_policy", "created_by"}) do
        a[name] = a[name] or ""
        if type(a[name]) ~= "string" then args.refuse(where .. name, "not a text") end
    end
    if a.namespace == "" then args.refuse(where .. "namespace", "empty") end
    if #a.flow_kind > KIND_MAX then args.refuse(where .. "flow_kind", "longer than 128 bytes") end
    a.failure_policy = word(a.failure_policy, FAILURE_POLICIES, "isolate_failures", where .. "failure_policy")
    a.outcome_policy = word(a.outcome_policy, OUTCOME_POLICIES, "strict", where .. "outcome_policy")
    return a
end

-- Collects core and indexes; `counts` holds node_count, edge_count, graph_revision and sealed, default 0.
function flow_record.write(u, flow_id, a, counts)
    flow_core.set(u, flow_id, {
        flow_id = flow_id, flow_kind = a.flow_kind, namespace = a.namespace, created_by = a.created_by,
        graph_revision = counts.graph_revision or 0, node_count = counts.node_count or 0,
        edge_count = counts.edge_count or 0, public_flow_state = "open", created_at = u.now,
        last_mutation_at = u.now, sealed = counts.sealed or 0, failure_policy = a.failure_policy,
        outcome_policy = a.outcome_policy, claim_gate = "", cancel_mode = "", reopen_count = 0,
    })
    unit.sadd(u, keys.index(u.tag, "flow_index"), flow_id)
    unit.zadd(u, keys.index(u.tag, "flows_by_time"), u.now, flow_id)
end

function flow_record.is_tag_key(key)
    return string.find(key, "^[a-z][a-z0-9_]*%.[^.]") ~= nil
end

function flow_record.check_tag(key, value)
    if not flow_record.is_tag_key(key) then refuse("invalid_tag_key", args.cut(key, TAG_KEY_MAX)) end
    if #key > TAG_KEY_MAX then args.refuse("key", "longer than 128 bytes") end
    if #value > TAG_VALUE_MAX then args.refuse("value", "longer than 4096 bytes") end
end

return flow_record
