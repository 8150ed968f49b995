-- @function ff_move_to_waiting_children
-- @keys exec_core [older...]
-- @argv execution_id lease_id lease_epoch attempt_id [source] [resolve_empty] [step_count] ...
-- After step_count (0..64): so many groups step_name step_value step_encoding, recorded in the same call.
-- @reply {1,"OK","blocked"}
-- @reply {1,"OK","eligible"}
-- @refuses invalid_input execution_not_found partial_fence_triple fence_required execution_not_active lease_revoked lease_expired stale_lease step_limit_exceeded
-- @repeat execution_not_active, whose details name the caller's own lease
local RESOLVE = {["0"] = true, ["1"] = true}

registry.add("ff_move_to_waiting_children", 1, 4, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local resolve_empty = args.optional_word(argv, 6, "resolve_empty", RESOLVE) == "1"
    local list = steps.read(argv, 7, 0)
    local u = unit.open(tag)
    local c = lease.validate(u, e, argv, args.text(argv, 5))
    steps.bring(u, e, c, list)
    local set = core.change(u, e, c)
    local detail = "waiting for child executions to complete"
    attempt.pause(u, e, c, "waiting_children")
    lease.release(u, e, c, set, "waiting_children")
    -- Children that finished just before this call must not leave their parent waiting for ever.
    if resolve_empty and flow.gate(tag, e, c) ~= "closed" then
        local state = placement.place(u, e, c, set, {attempt_state = "attempt_interrupted", delay_until = 0})
        local answer = state == "waiting" and "eligible" or state
        set.last_release_answer = answer
        unit.commit(u)
        return {1, "OK", answer}
    end
    vector.runnable(u, set, "blocked_by_dependencies", "waiting_for_children", detail, "attempt_interrupted")
    unit.zadd(u, keys.lane(tag, c.lane_id, "blocked:dependencies"), number_of(c.created_at), e)
    set.last_release_answer = "blocked"
    unit.commit(u)
    return {1, "OK", "blocked"}
end)
