-- @function ff_replay_subgraph
-- @keys exec_core [older...]
-- @argv execution_id flow_id [max_nodes] [keep_steps]
-- @reply {1,"OK",count,execution_id...}   in topological order
-- @refuses invalid_input execution_not_found execution_not_in_flow execution_not_terminal flow_not_found flow_already_terminal max_replays_exhausted deps_still_impossible flow_too_large
-- @repeat execution_not_terminal: not safe to send again
local NODES_DEFAULT, NODES_MAX = 200, 1000
local FLAG = {["1"] = true}

-- The member and what was skipped below it, each behind all its upstreams of the list.
local function collect(tag, flow_id, root, most)
    local found, inside, children_of = {root}, {[root] = 0}, {}
    local i = 1
    while found[i] do
        local inner = {}
        for _, child in ipairs(graph.children(tag, flow_id, found[i])) do
            if call("HGET", keys.core(tag, child), "terminal_outcome") == "skipped" then
                inner[#inner + 1] = child
                if not inside[child] then
                    inside[child] = 0
                    found[#found + 1] = child
                end
                inside[child] = inside[child] + 1
                if #found > most then refuse("flow_too_large") end
            end
        end
        children_of[found[i]] = inner
        i = i + 1
    end
    local ordered, at = {root}, 1
    while ordered[at] do
        for _, child in ipairs(children_of[ordered[at]]) do
            inside[child] = inside[child] - 1
            if inside[child] == 0 then ordered[#ordered + 1] = child end
        end
        at = at + 1
    end
    return ordered
end

local function check(tag, e)
    local plan = registry.answer(replaying.check, tag, e)
    if plan[1] == 0 then refuse(plan[2], e) end
    return plan
end

registry.add_growing("ff_replay_subgraph", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local flow_id = args.id(argv, 2, "flow_id")
    local most = args.optional_integer(argv, 3, "max_nodes", 1, NODES_MAX) or NODES_DEFAULT
    local keeps_steps = args.optional_word(argv, 4, "keep_steps", FLAG) ~= ""
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.flow_id ~= flow_id then refuse("execution_not_in_flow") end
    if not flow.load(tag, flow_id) then refuse("flow_not_found") end
    if c.lifecycle_phase ~= "terminal" then refuse("execution_not_terminal", e) end
    local plans = {}
    for i, member in ipairs(collect(tag, flow_id, e, most)) do
        plans[i] = check(tag, member)
    end
    local reply = {1, "OK", text(#plans)}
    for i, plan in ipairs(plans) do
        replaying.write(u, plan, "subgraph", "", keeps_steps)
        reply[i + 3] = plan.e
    end
    unit.commit(u)
    return reply
end)
