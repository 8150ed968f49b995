-- The counters of a child's edges, counted again from its own records (chapter 05 sections 5.6 and 5.9).
local edge_tally = {}

local function count(tally, dep, outcome)
    if dep.state == "unsatisfied" then
        tally.unsatisfied = tally.unsatisfied + 1
        return
    end
    local satisfied, bucket = dep.state == "satisfied", "succeeded"
    if not satisfied then bucket = outcome == "skipped" and "skipped" or "failed" end
    tally[bucket] = tally[bucket] + 1
    if not satisfied then tally.impossible = tally.impossible + 1 end
end

-- Counts the edges and evaluates their group. `changed` (edge id -> state) stands for records that are
-- about to be written.
function edge_tally.of(tag, flow_id, child, changed)
    local tally = {unsatisfied = 0, impossible = 0, succeeded = 0, failed = 0, skipped = 0, n = 0}
    for _, edge_id in ipairs(call("SMEMBERS", keys.deps_all_edges(tag, child))) do
        local dep = dependency.load(tag, child, edge_id)
        if dep then
            local outcome = call("HGET", keys.dep(tag, child, edge_id), "upstream_outcome")
            if changed and changed[edge_id] then dep.state = changed[edge_id] end
            tally.n = tally.n + 1
            count(tally, dep, outcome)
        end
    end
    local group = edge_group.load(tag, flow_id, child)
    tally.group_exists = group ~= nil
    tally.state = edge_group.evaluate({
        variant = group and group.variant or "all_of", k = group and group.k or 0, n = tally.n,
        expected_n = group and group.expected_n or 0, succeeded = tally.succeeded, failed = tally.failed,
        skipped = tally.skipped,
    })
    return tally
end

local GATES = {satisfied = "open", pending = "closed", impossible = "impossible"}

function edge_tally.write(u, flow_id, child, tally)
    unit.hset(u, keys.deps_meta(u.tag, child), {
        unsatisfied_required_count = tally.unsatisfied, impossible_required_count = tally.impossible,
        gate = GATES[tally.state], last_dependency_update_at = u.now,
    })
    if not tally.group_exists then return end
    unit.hset(u, edge_group.key(u.tag, flow_id, child), {
        n = tally.n, succeeded = tally.succeeded, failed = tally.failed, skipped = tally.skipped,
        group_state = tally.state, satisfied_at = tally.state == "satisfied" and u.now or "",
    })
end

return edge_tally
