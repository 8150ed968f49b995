-- @function ff_call_children
-- @keys exec_core [older...]
-- @argv execution_id lease_id lease_epoch attempt_id on_child_failure child_count call_name execution_kind lane_id payload payload_encoding policy_json tags_json priority ...
-- After child_count (1..256): so many groups call_name execution_kind lane_id payload payload_encoding policy_json
-- tags_json priority; then step_count (0..64) and so many groups step_name step_value step_encoding.
-- on_child_failure: fail (also when empty) or continue.
-- @reply {1,"OK",answer,public_state,{call_name,execution_id,...}}   answer: blocked, eligible, or the public state
-- @reply {1,"DUPLICATE",...} with the same fields: this lease was given up by the call that they describe
-- @refuses invalid_input invalid_policy_json invalid_capabilities execution_not_found partial_fence_triple fence_required execution_not_active lease_revoked lease_expired stale_lease step_limit_exceeded call_limit_exceeded
-- @repeat DUPLICATE with the same children
local POLICIES = {fail = true, continue = true}
local GROUP = 8
local NAME_MAX = 256

local function read_child(argv, at, seen)
    local name = args.id(argv, at, "call_name")
    if #name > NAME_MAX or string.find(name, "[%z\1-\31\127]") then
        args.refuse("call_name", "1 to 256 bytes without control characters")
    end
    if seen[name] then args.refuse("call_name", "used twice") end
    seen[name] = true
    return {
        name = name, kind = argv[at + 1], lane_id = args.id(argv, at + 2, "lane_id"), payload = argv[at + 3],
        payload_encoding = argv[at + 4], policy_json = argv[at + 5], tags_json = argv[at + 6], priority = argv[at + 7],
    }
end

local function read_children(argv)
    local count = args.integer(argv, 6, "child_count", 1, calls.PER_CALL_MAX)
    if count_of(argv) < 6 + GROUP * count then args.refuse("arity", "fewer children than counted") end
    local list, seen = {}, {}
    for i = 1, count do
        list[i] = read_child(argv, 7 + GROUP * (i - 1), seen)
    end
    return list
end

-- The reply to a call sent again: its lease has ended by it; nil when it is none.
local function first_answer(u, e, c, argv, list)
    if c.current_lease_id == argv[2] or not is_set(argv[2]) or c.last_release_lease_id ~= argv[2]
        or c.last_release_op ~= "waiting_children" or not is_set(c.called_count) then
        return nil
    end
    local answers = {}
    for i, child in ipairs(list) do
        local id = call("HGET", keys.children(u.tag, e), "c:" .. child.name)
        if not id then return nil end
        answers[2 * i - 1], answers[2 * i] = child.name, id
    end
    return {1, "DUPLICATE", c.last_release_answer or "", c.public_state or "", answers}
end

-- Waits, or goes on at once if all have ended already. Returns the answer.
local function pause(u, e, c, set, plan)
    attempt.pause(u, e, c, "waiting_children")
    lease.release(u, e, c, set, "waiting_children")
    if plan.pending[1] then
        set.calls_open = "1"
        vector.runnable(u, set, "blocked_by_dependencies", "waiting_for_children", "waiting for called children",
            "attempt_interrupted")
        unit.zadd(u, keys.lane(u.tag, c.lane_id, "blocked:dependencies"), number_of(c.created_at), e)
        return "blocked"
    end
    local state = placement.place(u, e, c, set, {attempt_state = "attempt_interrupted", delay_until = 0})
    return state == "waiting" and "eligible" or state
end

local function tell(u, e, c, list)
    local names = {}
    for i = 1, #list do
        names[i] = list[i].name
    end
    feed.add(u, "step", e, c, {
        "event", "called", "attempt_index", c.current_attempt_index or "0", "count", #list,
        "names", args.cut(table.concat(names, ","), feed.TEXT_MAX),
    })
end

registry.add_growing("ff_call_children", 1, 14, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local failure = args.optional_word(argv, 5, "on_child_failure", POLICIES)
    local list = read_children(argv)
    local brought = steps.read(argv, 7 + GROUP * #list, 0)
    local u = unit.open(tag)
    local c = core.require(tag, e)
    local first = first_answer(u, e, c, argv, list)
    if first then return first end
    lease.check(u, e, c, argv, "", 1)
    local plan = calls.plan(u, e, c, list)
    steps.bring(u, e, c, brought)
    local set = core.change(u, e, c)
    set.on_child_failure = failure ~= "" and failure or "fail"
    local answer = pause(u, e, c, set, plan)
    set.last_release_answer = answer
    calls.write(u, e, c, set, plan)
    tell(u, e, c, list)
    local state = set.public_state
    unit.commit(u)
    return {1, "OK", answer, state, plan.answers}
end)
