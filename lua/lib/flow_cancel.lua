-- Cancelling a flow (chapter 05 section 5.8): the flow at once, its members as owed work.
local flow_cancel = {}

flow_cancel.GRACE_MS = 30000
flow_cancel.REASON_MAX = 1024
-- Larger flows owe a cancel to every member: looking at each would hold the partition for too long.
local LOOK_MAX = 5000

local MODES = {
    cancel_all = "cancel_all",
    cancel_pending = "cancel_pending", cancel_unscheduled_only = "cancel_pending", let_active_finish = "cancel_pending",
    flow_only = "flow_only", cancel_flow_only = "flow_only", cancel_only_flow = "flow_only",
    coordinator_decides = "flow_only",
}
local GATES = {cancel_all = "closed", cancel_pending = "drain", flow_only = ""}

function flow_cancel.mode(policy_name)
    return MODES[policy_name]
end

local function owe(u, flow_id, members, grace_ms)
    local key = keys.flow(u.tag, flow_id, "pending_cancels")
    local looks, owes = #members <= LOOK_MAX, false
    for i = 1, #members do
        if not looks or not sibling.is_terminal(u.tag, members[i]) then
            unit.sadd(u, key, members[i])
            owes = true
        end
    end
    if owes then unit.zadd(u, keys.index(u.tag, "cancel_backlog"), u.now + grace_ms, flow_id) end
end

-- The cancel procedure, also of a flow that fails fast. `how`: state (final), reason, policy, grace_ms,
-- namespace. Returns the members.
function flow_cancel.run(u, flow_id, how)
    local mode = MODES[how.policy]
    local reason = args.cut(how.reason, flow_cancel.REASON_MAX)
    local members = call("SMEMBERS", keys.flow(u.tag, flow_id, "members"))
    flow_core.set(u, flow_id, {
        public_flow_state = how.state, cancelled_at = u.now, cancel_reason = reason, cancellation_policy = how.policy,
        cancel_mode = mode, claim_gate = GATES[mode], last_mutation_at = u.now,
    })
    -- That of an earlier cancel, if the flow was reopened since.
    unit.record(u, {"HDEL", keys.flow(u.tag, flow_id, "core"), flow_core.name("cancel_completed_at")})
    unit.zadd(u, keys.index(u.tag, "terminal_flows"), u.now, flow_id)
    flow.event(u, flow_id, "cancelled", {"reason", reason, "cancellation_policy", how.policy})
    if mode ~= "flow_only" then owe(u, flow_id, members, how.grace_ms) end
    flow.announce(u, flow_id, how.namespace, how.state, reason)
    return members
end

-- One owed cancel is done; the last one completes the dispatch.
function flow_cancel.settle(u, flow_id, e)
    local owed = keys.flow(u.tag, flow_id, "pending_cancels")
    if call("SREM", owed, e) == 1 and call("EXISTS", owed) == 0 then flow_cancel.settled(u, flow_id) end
end

function flow_cancel.settled(u, flow_id)
    call("ZREM", keys.index(u.tag, "cancel_backlog"), flow_id)
    local key = keys.flow(u.tag, flow_id, "core")
    -- Repeated calls find the dispatch complete and leave its time alone.
    if call("EXISTS", key) == 1 and not flow_core.get(key, "cancel_completed_at") then
        call("HSET", key, flow_core.name("cancel_completed_at"), u.now)
    end
end

return flow_cancel
