-- Entering a suspension (chapter 03 section 6.1): the request, its waitpoints, the signals that were
-- kept for pending ones, and the records. The function file puts these steps in order.
local suspending = {}

local ADDITIONAL_MAX = 63
local KEYS_BASE, ARGV_BASE = 18, 20
local DEDUP_MAX_MS = 604800000
local DEDUP_SLACK_MS = 60000
local FLAGS = {["0"] = true, ["1"] = true}
local BEHAVIORS = {
    fail = true, cancel = true, expire = true, auto_resume = true, auto_resume_with_timeout_signal = true,
    escalate = true,
}

local function read_key(argv, i)
    local key = args.text(argv, i)
    if not waitpoint.is_key(key) then args.refuse("waitpoint_key", "1 to 256 bytes without control characters") end
    return key
end

local function malformed(why)
    refuse("additional_waitpoint_binding_malformed", why)
end

-- A waitpoint without a key is a pending one; its key is read from its record.
local function read_additional(given, argv, list)
    local count = args.optional_integer(argv, 20, "num_additional", 0) or 0
    if count > ADDITIONAL_MAX then malformed("too many") end
    if count > 0 and #given > 1 and #given < KEYS_BASE + 3 * count then malformed("KEYS missing") end
    for k = 0, count - 1 do
        local at = ARGV_BASE + 1 + 2 * k
        if args.text(argv, at) == "" then malformed("waitpoint_id empty") end
        local key = args.text(argv, at + 1)
        list[#list + 1] = {
            id = waitpoint.id(argv, at, "waitpoint_id"),
            key = key ~= "" and read_key(argv, at + 1) or nil, is_pending = key == "",
        }
    end
    return count
end

local function refuse_twice(list, field)
    local seen = {}
    for _, one in ipairs(list) do
        local value = one[field]
        if value and seen[value] then malformed("waitpoint_" .. field .. " used twice") end
        if value then seen[value] = true end
    end
end

-- Step 1: everything that can be told from the arguments alone.
function suspending.read(u, given, argv)
    local r = {
        attempt_index = args.integer(argv, 2, "attempt_index", 0),
        attempt_id = argv[3], lease_id = argv[4], lease_epoch = argv[5],
        suspension_id = waitpoint.id(argv, 6, "suspension_id"),
        reason_code = argv[9] ~= "" and argv[9] or "waiting_for_signal",
        requested_by = argv[10] ~= "" and argv[10] or "worker",
        timeout_at = args.optional_due(argv, 11, "timeout_at", u.now),
        condition_json = argv[12], policy_json = argv[13], continuation = argv[14],
        behavior = args.optional_word(argv, 16, "timeout_behavior", BEHAVIORS),
        history_max = args.optional_integer(argv, 17, "lease_history_maxlen", 0),
        idempotency_key = args.text(argv, 18),
        dedup_ms = args.optional_integer(argv, 19, "dedup_ttl_ms", 0) or 0,
        lacks_secrets = args.lacks_key(given, 17),
    }
    if r.timeout_at and r.timeout_at < 0 then args.refuse("timeout_at", "not a time") end
    if r.behavior == "" then r.behavior = "fail" end
    local is_pending = args.optional_word(argv, 15, "use_pending_waitpoint", FLAGS) == "1"
    local primary = {id = waitpoint.id(argv, 7, "waitpoint_id"), is_pending = is_pending}
    if not is_pending then primary.key = read_key(argv, 8) end
    r.waitpoints = {primary}
    local count = read_additional(given, argv, r.waitpoints)
    primary.approval = approval.read(argv, ARGV_BASE + 1 + 2 * count, u.now)
    r.steps = steps.read(argv, ARGV_BASE + 1 + 2 * count + approval.ARGUMENTS, 0)
    refuse_twice(r.waitpoints, "id")
    refuse_twice(r.waitpoints, "key")
    r.condition = condition.read(r.condition_json, r.timeout_at ~= nil)
    r.policy = suspension.policy(r.policy_json)
    if not r.policy then args.refuse("resume_policy_json", "malformed") end
    return r
end

-- Step 2: the recorded reply of this very call, or nil.
function suspending.replay(u, e, r)
    if r.idempotency_key == "" then return nil end
    local stored = hash(keys.suspend_dedup(u.tag, e, r.idempotency_key))
    if not stored or stored.lease_id ~= r.lease_id or stored.lease_epoch ~= r.lease_epoch
        or stored.attempt_id ~= r.attempt_id then
        return nil
    end
    local count = number_of(stored.n)
    local reply = {1, stored.status, stored.suspension_id}
    for i = 0, count - 1 do
        reply[#reply + 1] = stored["wp:" .. i .. ":id"]
        reply[#reply + 1] = stored["wp:" .. i .. ":key"]
        reply[#reply + 1] = stored["wp:" .. i .. ":token"]
        if i == 0 then reply[#reply + 1] = text(count - 1) end
    end
    return reply
end

-- Step 3: whether `record` is what an earlier call of this lease left. A suspension that paused the execution
-- ended its lease, so the lease can have sent nothing else since; one that was satisfied at once did not, but
-- used up the pending waitpoints it was given.
local function is_own(c, r, record)
    local lease_id = record.lease_id
    -- Records of older libraries do not name their lease.
    if not lease_id and c.last_release_op == "suspend" then lease_id = c.last_release_lease_id end
    if r.lease_id ~= lease_id then return false end
    if record.already_satisfied ~= "1" or record.suspension_id == r.suspension_id then return true end
    local used = {}
    for _, id in ipairs(suspension.waitpoints(record)) do
        used[id] = true
    end
    for _, one in ipairs(r.waitpoints) do
        if one.is_pending and used[one.id] then return true end
    end
    return false
end

-- The reply to a repeated call that was sent without an idempotency key, from the records; nil for any other.
function suspending.first_answer(u, c, r, record)
    if not record or not is_own(c, r, record) then return nil end
    local status = record.already_satisfied == "1" and "ALREADY_SATISFIED" or "DUPLICATE"
    local reply, ids = {1, status, record.suspension_id}, suspension.waitpoints(record)
    for i, id in ipairs(ids) do
        local stored = waitpoint.load(u.tag, id)
        if not stored then return nil end
        reply[#reply + 1] = id
        reply[#reply + 1] = stored.waitpoint_key or ""
        reply[#reply + 1] = stored.waitpoint_token or ""
        if i == 1 then reply[#reply + 1] = text(#ids - 1) end
    end
    return reply
end

local function check_pending(u, e, r, one, record)
    if not record then refuse("waitpoint_not_found") end
    if record.state ~= "pending" then refuse("waitpoint_not_pending") end
    if record.execution_id ~= e or number_of(record.attempt_index) ~= r.attempt_index then
        refuse("invalid_waitpoint_for_execution")
    end
    if number_of(record.expires_at) <= u.now then refuse("pending_waitpoint_expired") end
    if not is_set(record.waitpoint_token) then refuse("waitpoint_not_token_bound") end
    one.key, one.token = record.waitpoint_key, record.waitpoint_token
end

-- Steps 7 to 9: checks and completes the waitpoints; returns the member map of a tree.
function suspending.bind(u, e, r)
    local has_fresh = false
    for _, one in ipairs(r.waitpoints) do
        one.record = waitpoint.load(u.tag, one.id)
        if one.is_pending then
            check_pending(u, e, r, one, one.record)
        else
            waitpoint.check_free(one.record, e)
            has_fresh = true
        end
    end
    refuse_twice(r.waitpoints, "key")
    local member_map = condition.bind(r.condition, r.waitpoints)
    if not has_fresh then return member_map end
    local minter = token.minter(u.tag, r.lacks_secrets)
    for _, one in ipairs(r.waitpoints) do
        if not one.is_pending then one.token = token.mint(minter, one.id, one.key, text(u.now)) end
    end
    return member_map
end

-- Evaluates the signals kept for pending waitpoints as if they came now.
function suspending.evaluate(u, r, state)
    r.summary = suspension.summary("")
    for _, one in ipairs(r.waitpoints) do
        one.matched = 0
        for _, fields in ipairs(one.is_pending and waitpoint.signals(u.tag, one.id) or {}) do
            local effect = condition.apply(state, one.id, fields)
            local contributed = condition.contributed(effect)
            if contributed then one.matched = one.matched + 1 end
            suspension.add_to_summary(r.summary, fields.signal_name, contributed)
            unit.hset(u, keys.signal(u.tag, fields.signal_id), {
                observed_effect = effect, matched_waitpoint_id = contributed and one.id or "",
            })
            if effect == "resume_condition_satisfied" then r.closer_signal_id = fields.signal_id end
            r.last_signal_at = fields.accepted_at
        end
    end
end

local function write_waitpoint(u, e, r, one, state)
    local fields = {matched_signal_count = one.matched}
    if not one.is_pending then
        fields = waitpoint.fields(u, e, r.attempt_index, one.id, one.key, one.token)
    end
    fields.suspension_id = r.suspension_id
    fields.state = state.satisfied and "closed" or "active"
    fields.activated_at = u.now
    fields.expires_at = r.timeout_at or ""
    approval.add_to(fields, one.approval)
    local condition_fields = condition.fields(u, state)
    if state.satisfied then
        fields.close_reason, fields.closed_at, fields.satisfied_at = "resumed", u.now, u.now
        condition_fields.closed, condition_fields.closed_at, condition_fields.closed_reason = "1", u.now, "satisfied"
    end
    unit.hset(u, keys.waitpoint(u.tag, one.id), fields)
    unit.hset(u, keys.waitpoint_condition(u.tag, one.id), condition_fields)
    unit.sadd(u, keys.waitpoints(u.tag, e), one.id)
    if one.is_pending then unit.zrem(u, keys.index(u.tag, "pending_waitpoint_expiry"), one.id) end
end

local function additional_json(list)
    local parts = {}
    for i = 2, #list do
        parts[#parts + 1] = string.format('{"waitpoint_id":%s,"waitpoint_key":%s}',
            cjson.encode(list[i].id), cjson.encode(list[i].key))
    end
    return "[" .. table.concat(parts, ",") .. "]"
end

local function record_fields(u, e, r)
    local primary = r.waitpoints[1]
    return {
        suspension_id = r.suspension_id, execution_id = e, attempt_index = r.attempt_index, lease_id = r.lease_id,
        waitpoint_id = primary.id, waitpoint_key = primary.key,
        additional_waitpoints_json = additional_json(r.waitpoints), reason_code = r.reason_code,
        requested_by = r.requested_by, created_at = u.now, timeout_at = r.timeout_at or "",
        timeout_behavior = r.behavior, resume_condition_json = r.condition_json,
        resume_policy_json = r.policy_json, continuation_metadata_pointer = r.continuation,
        buffered_signal_summary_json = suspension.summary_json(r.summary),
        last_signal_at = r.last_signal_at or "", satisfied_at = "", closed_at = "", close_reason = "",
    }
end

-- One deletion of all that earlier episodes left under the names now used.
local function clear(u, e, r)
    local stale = {
        "DEL", keys.suspension(u.tag, e), keys.satisfied_set(u.tag, e), keys.satisfied_signals(u.tag, e),
        keys.member_map(u.tag, e),
    }
    for _, one in ipairs(r.waitpoints) do
        stale[#stale + 1] = keys.waitpoint_condition(u.tag, one.id)
        if one.record and not one.is_pending then
            stale[#stale + 1] = keys.waitpoint(u.tag, one.id)
            stale[#stale + 1] = keys.waitpoint_signals(u.tag, one.id)
        end
    end
    unit.record(u, stale)
end

-- All records of the episode, whether it begins or was satisfied before it could.
function suspending.write(u, e, r, state, member_map)
    clear(u, e, r)
    for _, one in ipairs(r.waitpoints) do
        write_waitpoint(u, e, r, one, state)
    end
    local fields = record_fields(u, e, r)
    if state.satisfied then
        fields.already_satisfied, fields.satisfied_at, fields.closed_at = "1", u.now, u.now
        fields.close_reason, fields.closer_signal_id = "resumed", r.closer_signal_id
        local satisfiers = state.read and state.contributors or condition.satisfiers(u.tag, e, state)
        fields.all_satisfier_signals = suspension.json_list(satisfiers)
        if r.policy.consumes then suspension.consume(u, satisfiers, r.suspension_id) end
    else
        approval.begin(u, e, r.waitpoints[1], fields)
    end
    unit.hset(u, keys.suspension(u.tag, e), fields)
    if state.satisfied or not member_map then return end
    unit.hset(u, keys.member_map(u.tag, e), member_map)
    condition.save_tree(u, e, state)
end

-- The reply, and the record that repeats it.
function suspending.reply(u, e, r, status)
    local reply = {1, status, r.suspension_id}
    local record = {
        status = status, suspension_id = r.suspension_id, n = #r.waitpoints, lease_id = r.lease_id,
        lease_epoch = r.lease_epoch, attempt_id = r.attempt_id,
    }
    for i, one in ipairs(r.waitpoints) do
        local prefix = "wp:" .. (i - 1)
        record[prefix .. ":id"], record[prefix .. ":key"], record[prefix .. ":token"] = one.id, one.key, one.token
        reply[#reply + 1], reply[#reply + 2], reply[#reply + 3] = one.id, one.key, one.token
        if i == 1 then reply[#reply + 1] = text(#r.waitpoints - 1) end
    end
    if r.idempotency_key == "" then return reply end
    local ttl = r.dedup_ms
    if ttl == 0 then ttl = r.timeout_at and math.max(0, r.timeout_at - u.now) + DEDUP_SLACK_MS or DEDUP_MAX_MS end
    local key = keys.suspend_dedup(u.tag, e, r.idempotency_key)
    unit.record(u, {"DEL", key})
    unit.hset(u, key, record)
    unit.record(u, {"PEXPIRE", key, math.min(ttl, DEDUP_MAX_MS)})
    return reply
end

return suspending
