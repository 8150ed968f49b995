-- @function ff_reconcile_dependencies
-- @keys exec_core
-- @argv execution_id [max_edges]
-- @reply {1,"OK",resolved,word}
-- resolved: edges, and called children whose end it had not been told of.
-- word: blocked, held, promoted, skipped, not_blocked or not_found.
-- @refuses invalid_input
-- @repeat 0, and what the first call made of the child
local EDGES_DEFAULT = 200
local EDGES_MAX = 2000

local function is_blocked(c)
    return c.lifecycle_phase == "runnable" and c.eligibility_state == "blocked_by_dependencies"
end

local function resolve_ended(u, child, most)
    local resolved = 0
    local edges = call("SMEMBERS", keys.deps_unresolved(u.tag, child))
    for i = 1, math.min(#edges, most) do
        local dep = dependency.load(u.tag, child, edges[i])
        local up = dep and core.load(u.tag, dep.upstream)
        if dep and (not up or up.lifecycle_phase == "terminal") then
            local word = dependency.resolve(u, {
                child = child, edge = edges[i], verified = true,
                outcome = up and up.terminal_outcome or "failed",
                replay_count = up and number_of(up.replay_count) or args.INTEGER_MAX,
            })
            if word ~= "already_resolved" and word ~= "stale_upstream" and word ~= "invariant_violation" then
                resolved = resolved + 1
            end
            unit.commit_records(u)
        end
    end
    return resolved
end

-- What the edges say now: the child may wait for a gate that has long been open.
local function place(u, child, c)
    local tally = edge_tally.of(u.tag, c.flow_id, child)
    edge_tally.write(u, c.flow_id, child, tally)
    if tally.state == "satisfied" then
        if is_set(c.calls_open) then return "blocked" end
        local state = dependency.release(u, child, c, core.change(u, child, c))
        return state == "waiting" and "promoted" or state
    elseif tally.state == "impossible" then
        finish.skip(u, child, c, core.change(u, child, c))
        return "skipped"
    end
    return "blocked"
end

local function word_after(c)
    if c.lifecycle_phase == "terminal" then return "skipped" end
    return "promoted"
end

registry.add("ff_reconcile_dependencies", 1, 1, function(given, argv)
    local tag, child = args.execution(given, argv, 1)
    local most = args.optional_integer(argv, 2, "max_edges", 1, EDGES_MAX) or EDGES_DEFAULT
    local u = unit.open(tag)
    local c = core.load(tag, child)
    if not c or is_set(c.purging) then return {1, "OK", "0", "not_found"} end
    if not is_blocked(c) then
        call("ZREM", keys.lane(tag, c.lane_id or "", "blocked:dependencies"), child)
        return {1, "OK", "0", "not_blocked"}
    end
    cascade.open(u, most, false)
    local told = is_set(c.calls_open) and calls.catch_up(u, child, c, most) or 0
    local has_edges = call("EXISTS", keys.deps_meta(tag, child)) == 1
    local resolved = has_edges and resolve_ended(u, child, most) or 0
    c = core.load(tag, child)
    local word = "held"
    if not is_blocked(c) then
        word = word_after(c)
    elseif has_edges then
        word = place(u, child, c)
    end
    unit.commit(u)
    return {1, "OK", text(told + resolved), word}
end)
