-- @function ff_cascade_completion
-- @keys exec_core [older...]
-- @argv execution_id flow_id [max_edges] [cursor]
-- @reply {1,"OK",resolved,made_eligible,skipped,cursor,groups_flagged}
-- @reply {1,"OK","0","0","0","0","0","not_terminal"}
-- @refuses invalid_input execution_not_in_flow
-- @repeat resolves what is left; zeros when nothing is
local EDGES_DEFAULT, EDGES_MAX = 500, 2000

registry.add("ff_cascade_completion", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local flow_id = args.id(argv, 2, "flow_id")
    local most = args.optional_integer(argv, 3, "max_edges", 1, EDGES_MAX) or EDGES_DEFAULT
    local cursor = text(args.optional_integer(argv, 4, "cursor", 0) or 0)
    local u = unit.open(tag)
    local c = core.load(tag, e)
    if c and is_set(c.flow_id) and c.flow_id ~= flow_id then refuse("execution_not_in_flow") end
    if not c or c.lifecycle_phase ~= "terminal" then
        call("ZREM", keys.index(tag, "cascade_pending"), e)
        return {1, "OK", "0", "0", "0", "0", "0", "not_terminal"}
    end
    local run = cascade.open(u, most, true)
    cursor = cascade.page(u, e, c, flow_id, cursor)
    if cursor == "0" then unit.zrem(u, keys.index(tag, "cascade_pending"), e) end
    unit.commit(u)
    return {1, "OK", text(run.resolved), text(run.eligible), text(run.skipped), cursor, text(run.flagged)}
end)
