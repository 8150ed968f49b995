-- What an execution must know of its flow (chapter 05 section 5.4). Executions outside a flow take none
-- of these paths and pay no command for them.
local flow = {}

-- Whether dependencies allow the execution to run: open, closed or impossible.
function flow.gate(tag, e, c)
    if not is_set(c.flow_id) then return "open" end
    local meta = call("HMGET", keys.deps_meta(tag, e), "gate", "unsatisfied_required_count")
    if is_set(meta[1]) then return meta[1] end
    return number_of(meta[2]) > 0 and "closed" or "open"
end

-- Whether the flow still lets its members be claimed; if not, callers refuse with `flow_cancelled`.
-- `continues`: the claim goes on with an attempt already started.
function flow.claim_allowed(tag, c, continues)
    if not is_set(c.flow_id) then return true end
    local gate = call("HGET", keys.flow(tag, c.flow_id, "core"), "claim_gate")
    return not (gate == "closed" or (gate == "drain" and not continues))
end

local function count_outcome(flow_key, outcome, has_edges, cancellation_reason)
    local benign = outcome == "cancelled" and string.find(cancellation_reason, "^sibling_quorum_")
    call("HINCRBY", flow_key, benign and "term_benign" or "term_" .. outcome, 1)
    if not has_edges and outcome ~= "success" and not benign then
        call("HINCRBY", flow_key, "term_leaf_bad", 1)
    end
end

local function settle_owed_cancel(u, e, flow_id, flow_key)
    local owed = keys.flow(u.tag, flow_id, "pending_cancels")
    if call("SREM", owed, e) == 1 and call("EXISTS", owed) == 0 then
        call("ZREM", keys.index(u.tag, "cancel_backlog"), flow_id)
        call("HSET", flow_key, "cancel_completed_at", u.now)
    end
end

-- The terminal hook (section 5.4.3), run after the feed entry of the completion. `cause` is the source of
-- a cancel, `cancellation_reason` what it said.
function flow.finished(u, e, c, outcome, cause, cancellation_reason)
    local flow_id = c.flow_id
    local flow_key = keys.flow(u.tag, flow_id, "core")
    local record = call("HMGET", flow_key, "flow_id", "cancel_mode")
    local has_edges = call("EXISTS", keys.flow(u.tag, flow_id, "out:" .. e)) == 1
    if record[1] then count_outcome(flow_key, outcome, has_edges, cancellation_reason) end
    if has_edges then call("ZADD", keys.index(u.tag, "cascade_pending"), u.now, e) end
    if record[1] and is_set(record[2]) then settle_owed_cancel(u, e, flow_id, flow_key) end
    if cause ~= "flow_cascade" then
        call("PUBLISH", "ff:dag:completions",
            cjson.encode({execution_id = e, flow_id = flow_id, outcome = outcome}))
    end
end

-- A cancelled flow, or one that failed fast and still owes cancels, takes no member back.
function flow.check_replay(tag, c)
    if not is_set(c.flow_id) then return end
    local state = call("HGET", keys.flow(tag, c.flow_id, "core"), "public_flow_state")
    if state == "cancelled"
        or (state == "failed" and call("EXISTS", keys.flow(tag, c.flow_id, "pending_cancels")) == 1) then
        refuse("flow_already_terminal")
    end
end

local function uncount_outcome(u, e, c, flow_key)
    local outcome = c.terminal_outcome
    local benign = outcome == "cancelled" and string.find(c.cancellation_reason or "", "^sibling_quorum_")
    call("HINCRBY", flow_key, benign and "term_benign" or "term_" .. outcome, -1)
    if outcome ~= "success" and not benign and call("EXISTS", keys.flow(u.tag, c.flow_id, "out:" .. e)) == 0 then
        call("HINCRBY", flow_key, "term_leaf_bad", -1)
    end
end

-- The revive hook: a replayed member is live again, and so is its flow. `c` is the core before.
function flow.revived(u, e, c)
    unit.after(u, function()
        local flow_id = c.flow_id
        local flow_key = keys.flow(u.tag, flow_id, "core")
        call("ZREM", keys.index(u.tag, "cascade_pending"), e)
        local state = call("HGET", flow_key, "public_flow_state")
        if not state then return end
        uncount_outcome(u, e, c, flow_key)
        call("SADD", keys.index(u.tag, "flow_index"), flow_id)
        if state == "completed" or state == "failed" then
            call("HSET", flow_key, "public_flow_state", "open", "finished_at", "", "cancel_mode", "", "claim_gate", "")
            call("HINCRBY", flow_key, "reopen_count", 1)
            call("ZREM", keys.index(u.tag, "terminal_flows"), flow_id)
        end
    end)
end

return flow
