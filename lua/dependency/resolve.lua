-- @function ff_resolve_dependency
-- @keys exec_core [older...]
-- @argv edge_id upstream_outcome now_ms [flow_id] [downstream_execution_id] [verify]
-- @reply {1,"OK",result,effect}
-- result: satisfied, impossible, pending, already_fired, already_resolved or stale_upstream; effect:
-- data_injected, child_skipped or nothing.
-- @refuses invalid_input invalid_dependency invariant_violation
-- @repeat already_resolved
local FLAGS = {["0"] = true, ["1"] = true}

-- The outcome as the upstream's own core tells it; false when it has not ended.
local function verify(u, r, upstream)
    local stored = try("HMGET", keys.core(u.tag, upstream), "lifecycle_phase", "terminal_outcome", "replay_count")
    r.verified = true
    if stored.err or not stored[1] then
        r.outcome, r.replay_count = "failed", args.INTEGER_MAX
        return true
    end
    r.outcome, r.replay_count = stored[2], number_of(stored[3])
    return stored[1] == "terminal"
end

registry.add("ff_resolve_dependency", 1, 3, function(given, argv)
    local tag, child = dependency.child_of(given)
    local verifies = args.optional_word(argv, 6, "verify", FLAGS) == "1"
    args.optional_integer(argv, 3, "now_ms")
    local u = unit.open(tag)
    local r = {child = child, edge = args.id(argv, 1, "edge_id"), outcome = argv[2]}
    if not verifies and not dependency.OUTCOMES[r.outcome] then args.refuse("upstream_outcome", "unknown value") end
    local dep = dependency.load(tag, child, r.edge)
    if not dep then refuse("invalid_dependency") end
    if dep.state ~= "unsatisfied" then return {1, "OK", "already_resolved"} end
    if verifies and not verify(u, r, dep.upstream) then return {1, "OK", "stale_upstream", ""} end
    local word, effect = dependency.resolve(u, r)
    if word == "invariant_violation" then refuse(word, "counters above the number of edges") end
    unit.commit(u)
    return {1, "OK", word, effect or ""}
end)
