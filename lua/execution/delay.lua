-- @function ff_delay_execution
-- @keys exec_core [older...]
-- @argv execution_id lease_id lease_epoch attempt_id delay_until [source] [unbegun] [step_count] ...
-- After step_count (0..64): so many groups step_name step_value step_encoding, recorded in the same call.
-- With unbegun (1), the worker had not begun the attempt: whoever gets it next is told what this worker was.
-- @reply {1,"OK",delay_until}
-- @refuses invalid_input execution_not_found partial_fence_triple fence_required execution_not_active lease_revoked lease_expired stale_lease step_limit_exceeded
-- @repeat execution_not_active, whose details name the caller's own lease and the time
local FLAG = {["1"] = true}

-- A time in the past waits for the next promotion too: the worker gives the work back.
local function delay(u, e, c, set, delay_until)
    vector.runnable(u, set, "not_eligible_until_time", "waiting_for_delay",
        "delayed until " .. text(delay_until), "attempt_interrupted")
    set.delay_until = delay_until
    attempt.pause(u, e, c, "worker_delay")
    lease.release(u, e, c, set, "worker_delay")
    unit.zadd(u, keys.lane(u.tag, c.lane_id, "delayed"), delay_until, e)
    unit.due(u, "delayed", delay_until, c.lane_id)
end

-- What is due can be claimed at once, unless an edge was added while it was held.
local function return_unbegun(u, e, c, set, delay_until)
    local gate = flow.gate(u.tag, e, c)
    if gate == "impossible" then return finish.skip(u, e, c, set) end
    attempt.pause(u, e, c, attempt.RETURNED)
    lease.release(u, e, c, set, attempt.RETURNED)
    placement.place(u, e, c, set, {attempt_state = "attempt_interrupted", delay_until = delay_until, gate = gate})
end

registry.add("ff_delay_execution", 1, 5, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local delay_until = args.due(argv, 5, "delay_until", u.now)
    local unbegun = args.optional_word(argv, 7, "unbegun", FLAG) ~= ""
    local list = steps.read(argv, 8, 0)
    local c = lease.validate(u, e, argv, args.text(argv, 6))
    steps.bring(u, e, c, list)
    local act = unbegun and return_unbegun or delay
    local set = core.change(u, e, c)
    act(u, e, c, set, delay_until)
    set.last_release_answer = delay_until
    unit.commit(u)
    return {1, "OK", text(delay_until)}
end)
