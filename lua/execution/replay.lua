-- @function ff_replay_execution
-- @keys exec_core [older...]
-- @argv execution_id now_ms [edge_id]... [reason] [requested_by] [keep_steps]
-- @reply {1,"OK",unsatisfied,public_state}
-- @refuses invalid_input execution_not_found execution_not_terminal flow_already_terminal max_replays_exhausted deps_still_impossible
-- @repeat execution_not_terminal: not safe to send again
local REASON_MAX = 4096
local EDGES_AFTER_KEY = 7
local FLAG = {["1"] = true}

registry.add_growing("ff_replay_execution", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    args.optional_integer(argv, 2, "now_ms")
    local edges = math.max(0, #given - EDGES_AFTER_KEY)
    local reason = args.cut(args.text(argv, 3 + edges), REASON_MAX)
    local requested_by = args.cut(args.text(argv, 4 + edges), REASON_MAX)
    local keeps_steps = args.optional_word(argv, 5 + edges, "keep_steps", FLAG) ~= ""
    local u = unit.open(tag)
    local plan = replaying.check(tag, e)
    local unsatisfied, state = replaying.write(u, plan, reason, requested_by, keeps_steps)
    unit.commit(u)
    return {1, "OK", text(unsatisfied), state}
end)
