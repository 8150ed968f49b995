-- Resolving the outgoing edges of a member that ended (chapter 05 sections 5.4.3 and 5.6). The terminal
-- hook and ff_cascade_completion share it: the hook follows a few edges in the call that ends the member,
-- and what is left waits, durably, for the cascade.
local cascade = {}

local EDGES_AT_ONCE = 128
local EDGE = {"downstream_execution_id", "edge_state", "dependency_kind", "data_passing_ref"}

-- `edges` bounds what the call follows; `reports`: its reply tells of flagged groups.
function cascade.open(u, edges, reports)
    u.cascade = {left = edges, reports = reports, resolved = 0, eligible = 0, skipped = 0, flagged = 0}
    return u.cascade
end

-- The durable trace: `e` has edges to resolve.
function cascade.mark(u, e)
    call("ZADD", keys.index(u.tag, "cascade_pending"), u.now, e)
end

function cascade.publish(e, flow_id, outcome)
    call("PUBLISH", "ff:dag:completions", cjson.encode({execution_id = e, flow_id = flow_id, outcome = outcome}))
end

local COUNTS = {satisfied = true, impossible = true, pending = true, already_fired = true}

local function tell(run, r, word)
    if not COUNTS[word] then return end
    run.resolved = run.resolved + 1
    if r.placed == "waiting" then run.eligible = run.eligible + 1 end
    if r.skipped then run.skipped = run.skipped + 1 end
    if r.flagged then run.flagged = run.flagged + 1 end
end

-- Resolves one outgoing edge of `e`, whose ended core is `c`. False when it must wait for the cascade.
function cascade.edge(u, e, c, flow_id, edge_id)
    local run = u.cascade
    local edge = call("HMGET", keys.flow(u.tag, flow_id, "edge:" .. edge_id), unpack(EDGE))
    if not edge[1] or edge[2] ~= "pending" then return true end
    local r = {
        child = edge[1], edge = edge_id, outcome = c.terminal_outcome, verified = true, edge_exists = true,
        replay_count = number_of(c.replay_count), defers = not run.reports,
    }
    local word = dependency.resolve(u, r)
    if word == "invalid_dependency" then
        -- Staged, but never applied: the caller died between its two calls.
        local child = core.load(u.tag, r.child)
        if not child then return true end
        graph.apply(u, r.child, child, {
            id = edge_id, flow_id = flow_id, upstream = e, kind = edge[3], ref = edge[4] or "",
        })
        unit.commit_records(u)
        word = dependency.resolve(u, r)
    end
    if word == "deferred" then return false end
    unit.commit_records(u)
    tell(run, r, word)
    return true
end

-- Step 2 of the terminal hook: `e` has `edges` outgoing edges. `c` is its core, ended. `at_once`: whether
-- the flow still follows them in this call.
function cascade.begin(u, e, c, flow_id, edges, at_once)
    local run = u.cascade or cascade.open(u, EDGES_AT_ONCE, false)
    if not at_once or edges > run.left then return cascade.mark(u, e) end
    run.left = run.left - edges
    local ids = call("SMEMBERS", keys.flow(u.tag, flow_id, "out:" .. e))
    local complete = true
    for i = 1, #ids do
        complete = cascade.edge(u, e, c, flow_id, ids[i]) and complete
    end
    if not complete then cascade.mark(u, e) end
end

-- One page of the edges of `e`; returns the cursor to go on with.
function cascade.page(u, e, c, flow_id, cursor)
    local run = u.cascade
    local page = call("SSCAN", keys.flow(u.tag, flow_id, "out:" .. e), cursor, "COUNT", run.left)
    local ids = page[2]
    run.left = math.max(0, run.left - #ids)
    for i = 1, #ids do
        cascade.edge(u, e, c, flow_id, ids[i])
    end
    return page[1]
end

return cascade
