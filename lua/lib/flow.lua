-- What an execution must know of its flow (chapter 05 section 5.4). Executions outside a flow take none
-- of these paths and pay no command for them.
local flow = {}

local EVENTS_MAX = 1000
local COUNTERS = {"term_success", "term_failed", "term_cancelled", "term_expired", "term_skipped", "term_benign"}
local RECORD = {
    "flow_id", "namespace", "public_flow_state", "cancel_mode", "failure_policy", "outcome_policy", "sealed",
    "node_count", "edge_count", "graph_revision", "term_leaf_bad", "purging", "term_success", "term_failed",
    "term_cancelled", "term_expired", "term_skipped", "term_benign",
}
-- The stored names of RECORD, and the mark of an earlier version behind them.
local STORED = {}
for i = 1, #RECORD do
    STORED[i] = flow_core.name(RECORD[i])
end
STORED[#RECORD + 1] = flow_core.OLD_MARK

-- Whether dependencies allow the execution to run: open, closed or impossible. Called children that it waits for
-- close it as well.
function flow.gate(tag, e, c)
    if is_set(c.calls_open) then return "closed" end
    return flow.edge_gate(tag, e, c)
end

-- The same by its edges alone.
function flow.edge_gate(tag, e, c)
    if not is_set(c.flow_id) then return "open" end
    local meta = call("HMGET", keys.deps_meta(tag, e), "gate", "unsatisfied_required_count")
    if is_set(meta[1]) then return meta[1] end
    return number_of(meta[2]) > 0 and "closed" or "open"
end

-- Whether the flow still lets its members be claimed; if not, callers refuse with `flow_cancelled`.
-- `continues`: the claim goes on with an attempt already started.
function flow.claim_allowed(tag, c, continues)
    if not is_set(c.flow_id) then return true end
    local gate = flow_core.get(keys.flow(tag, c.flow_id, "core"), "claim_gate")
    return not (gate == "closed" or (gate == "drain" and not continues))
end

-- The fields the rules need, by name; nil when there is no such flow, or it is being purged.
function flow.load(tag, flow_id)
    local key = keys.flow(tag, flow_id, "core")
    local stored = try("HMGET", key, unpack(STORED))
    if stored.err or not stored[1] then return nil end
    if stored[#RECORD + 1] then
        flow_core.adopt(key)
        stored = call("HMGET", key, unpack(STORED))
    end
    local f = {}
    for i = 1, #RECORD do
        f[RECORD[i]] = stored[i] or ""
    end
    if f.purging ~= "" then return nil end
    return f
end

-- The tag and id of the flow whose core is KEYS[1]; the id argument must say the same.
function flow.of(given, argv, i)
    local flow_id = args.id(argv, i, "flow_id")
    local tag = args.tag(given[1])
    if given[1] ~= keys.flow(tag, flow_id, "core") then args.refuse("flow_id", "not the one of KEYS[1]") end
    return tag, flow_id
end

-- A flow that may still change; refuses otherwise.
function flow.require_open(tag, flow_id)
    local f = flow.load(tag, flow_id)
    if not f then refuse("flow_not_found") end
    if f.public_flow_state ~= "open" then refuse("flow_already_terminal") end
    return f
end

function flow.is_id_of(tag, e)
    return string.sub(e, 1, #tag + 1) == tag .. ":"
end

-- An entry of the flow's history; `fields` is a flat array.
function flow.event(u, flow_id, event, fields)
    unit.record(u, {
        "XADD", keys.flow(u.tag, flow_id, "events"), "MAXLEN", "~", EVENTS_MAX, "*",
        "event", event, "ts", u.now, unpack(fields),
    })
end

-- Tells of the final state: feed, then publish.
function flow.announce(u, flow_id, namespace, state, reason)
    feed.add(u, "completion", "", {namespace = namespace, flow_id = flow_id}, {
        "kind", "flow", "outcome", state, "attempt_index", "", "reason", args.cut(reason or "", feed.TEXT_MAX),
        "cause", "",
    })
    unit.after(u, function()
        call("PUBLISH", "ff:flow:completions",
            cjson.encode({flow_id = flow_id, namespace = namespace, public_flow_state = state}))
    end)
end

function flow.is_benign(outcome, cancellation_reason)
    return outcome == "cancelled" and string.find(cancellation_reason or "", "^sibling_quorum_") ~= nil
end

-- The counter of an outcome, and whether it spoils a leaf.
function flow.counter(outcome, cancellation_reason)
    local benign = flow.is_benign(outcome, cancellation_reason)
    return benign and "term_benign" or "term_" .. outcome, outcome ~= "success" and not benign
end

local function count(key, f, outcome, cancellation_reason, is_leaf)
    local counter, is_bad = flow.counter(outcome, cancellation_reason)
    f[counter] = call("HINCRBY", key, flow_core.name(counter), 1)
    if is_bad and is_leaf then
        f.term_leaf_bad = call("HINCRBY", key, flow_core.name("term_leaf_bad"), 1)
    end
end

function flow.terminal_count(f)
    local sum = 0
    for i = 1, #COUNTERS do
        sum = sum + number_of(f[COUNTERS[i]])
    end
    return sum
end

-- Section 5.10, when every member is terminal.
function flow.final_state(f)
    if f.outcome_policy == "leaves" then return number_of(f.term_leaf_bad) > 0 and "failed" or "completed" end
    local bad = number_of(f.term_failed) + number_of(f.term_expired) + number_of(f.term_cancelled)
    return bad > 0 and "failed" or "completed"
end

-- Hook step 6: a sealed flow ends with its last member. Returns the flow's state.
function flow.finish_if_done(u, flow_id, f)
    local nodes = number_of(f.node_count)
    if f.sealed ~= "1" or f.public_flow_state ~= "open" or nodes == 0 or flow.terminal_count(f) ~= nodes then
        return f.public_flow_state
    end
    local state = flow.final_state(f)
    flow_core.set(u, flow_id, {public_flow_state = state, finished_at = u.now})
    flow.event(u, flow_id, "finished", {"public_flow_state", state})
    unit.zadd(u, keys.index(u.tag, "terminal_flows"), u.now, flow_id)
    flow.announce(u, flow_id, f.namespace, state)
    return state
end

-- Hook step 5.
local function fail_fast(u, flow_id, f, outcome)
    if f.failure_policy ~= "fail_fast" or f.public_flow_state ~= "open" then return end
    if outcome ~= "failed" and outcome ~= "expired" then return end
    flow_cancel.run(u, flow_id, {
        state = "failed", reason = "fail_fast", policy = "cancel_all", grace_ms = flow_cancel.GRACE_MS,
        namespace = f.namespace,
    })
    f.public_flow_state, f.cancel_mode = "failed", "cancel_all"
    -- What follows in this call must meet a flow that has failed.
    unit.commit_records(u)
end

-- The terminal hook (section 5.4.3), run after the feed entry of the completion. `cause` is the source of
-- a cancel, `cancellation_reason` what it said. Failing fast comes before the edges: members of a
-- cancelled flow end cancelled, never skipped.
function flow.finished(u, e, c, outcome, cause, cancellation_reason)
    local flow_id = c.flow_id
    local f = flow.load(u.tag, flow_id)
    local edges = call("SCARD", keys.flow(u.tag, flow_id, "out:" .. e))
    if f then
        count(keys.flow(u.tag, flow_id, "core"), f, outcome, cancellation_reason, edges == 0)
        if is_set(f.cancel_mode) then flow_cancel.settle(u, flow_id, e) end
        fail_fast(u, flow_id, f, outcome)
    end
    if edges > 0 then
        local at_once = f and (f.cancel_mode == "" or f.cancel_mode == "flow_only")
        cascade.begin(u, e, {terminal_outcome = outcome, replay_count = c.replay_count}, flow_id, edges, at_once)
    end
    if cause ~= "flow_cascade" then cascade.publish(e, flow_id, outcome) end
    if f then flow.finish_if_done(u, flow_id, f) end
end

-- Step 1 of the hook alone: an execution that had ended joins the flow.
function flow.count_member(u, flow_id, c)
    count(keys.flow(u.tag, flow_id, "core"), {}, c.terminal_outcome, c.cancellation_reason, true)
end

-- `e` gets its first outgoing edge: it is no leaf any more.
function flow.leave_leaves(u, flow_id, c)
    if c.lifecycle_phase ~= "terminal" then return end
    local _, is_bad = flow.counter(c.terminal_outcome, c.cancellation_reason)
    if is_bad then call("HINCRBY", keys.flow(u.tag, flow_id, "core"), flow_core.name("term_leaf_bad"), -1) end
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

local function uncount(u, e, c, flow_key)
    local counter, is_bad = flow.counter(c.terminal_outcome, c.cancellation_reason)
    call("HINCRBY", flow_key, flow_core.name(counter), -1)
    if is_bad and call("EXISTS", keys.flow(u.tag, c.flow_id, "out:" .. e)) == 0 then
        call("HINCRBY", flow_key, flow_core.name("term_leaf_bad"), -1)
    end
end

-- The revive hook: a replayed member is live again, and so is its flow. `c` is the core before.
function flow.revived(u, e, c)
    unit.after(u, function()
        local flow_id = c.flow_id
        local flow_key = keys.flow(u.tag, flow_id, "core")
        call("ZREM", keys.index(u.tag, "cascade_pending"), e)
        local f = flow.load(u.tag, flow_id)
        if not f then return end
        local state = f.public_flow_state
        uncount(u, e, c, flow_key)
        call("SADD", keys.index(u.tag, "flow_index"), flow_id)
        if state == "completed" or state == "failed" then
            call("HSET", flow_key, "public_flow_state", "open", flow_core.name("finished_at"), "",
                flow_core.name("cancel_mode"), "", flow_core.name("claim_gate"), "")
            call("HINCRBY", flow_key, flow_core.name("reopen_count"), 1)
            call("ZREM", keys.index(u.tag, "terminal_flows"), flow_id)
        end
    end)
end

return flow
