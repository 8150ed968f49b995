-- Creating one execution (chapter 02 section 8.1), shared by the single function, the batch and flow
-- submission: `creation.check` refuses or answers a duplicate, `creation.write` collects the writes.
local creation = {}

local DEDUP_WINDOW_MS = 86400000
local HOLDS = {dependencies = true}
local TAGS_PER_EVENT = 400

-- For calls that need one after the other.
creation.ROOM = {}

-- The 16 arguments from position `at` on, numbers converted; `a` is the table for them, whose every field
-- is set anew, to false where there is nothing.
function creation.read(argv, at, now, a)
    local priority = args.optional_integer(argv, at + 4, "priority") or 0
    args.optional_integer(argv, at + 12, "partition_id")
    a.execution_id = args.id(argv, at, "execution_id")
    a.namespace = args.id(argv, at + 1, "namespace")
    a.lane_id = args.id(argv, at + 2, "lane_id")
    a.execution_kind = argv[at + 3]
    a.priority = placement.clamp(priority)
    a.creator_identity = argv[at + 5]
    a.policy_json = argv[at + 6]
    a.payload_at = at + 7
    a.payload, a.payload_len = args.passed(argv, at + 7)
    a.delay_until = args.optional_due(argv, at + 8, "delay_until", now) or false
    a.dedup_ttl_ms = args.optional_integer(argv, at + 9, "dedup_ttl_ms") or false
    a.tags_json = argv[at + 10]
    a.execution_deadline_at = args.optional_due(argv, at + 11, "execution_deadline_at", now) or false
    a.payload_encoding = args.text(argv, at + 13)
    a.hold = args.text(argv, at + 14)
    a.idempotency_key = args.text(argv, at + 15)
    -- What the checks find out follows.
    a.idem_key, a.policy, a.copies, a.tags, a.flow_id = false, false, false, false, false
    a.called_by, a.called_as, a.call_root = false, false, false
    return a
end

local function tag_value(value)
    local kind = type(value)
    if kind == "string" then return value end
    if kind == "boolean" then return value and "true" or "false" end
    if kind == "number" then
        return value == math.floor(value) and math.abs(value) <= args.INTEGER_MAX and text(value)
            or string.format("%.14g", value)
    end
    return nil
end

-- nil for none, else a table key -> text.
local function read_tags(json)
    local object = args.json_object(json)
    if object == false then args.refuse("tags_json", "not an object") end
    if not object then return nil end
    local tags
    for key, value in each(object) do
        if type(key) ~= "string" then args.refuse("tags_json", "not an object") end
        if key == "" then args.refuse("tags_json", "empty key") end
        if value ~= cjson.null then
            local stored = tag_value(value)
            if not stored then args.refuse("tags_json", "nested value") end
            tags = tags or {}
            tags[key] = stored
        end
    end
    return tags
end

-- The public state of an execution that is there, or nil.
local function existing_state(tag, e)
    if key_exists and not key_exists(keys.execution_head(tag), e, ":core") then return nil end
    local state = try("HGET", keys.core(tag, e), "public_state")
    if type(state) == "table" then args.refuse("KEYS[1]", "wrong type") end
    return state or nil
end

-- An idempotency key that outlived its execution does not count.
local function existing_by_key(tag, key)
    local existing = try("GET", key)
    if type(existing) == "table" then args.refuse("idempotency_key", "wrong type") end
    if not existing then return nil end
    local found = try("HMGET", keys.core(tag, existing), "public_state", "purging")
    if found.err or not found[1] or is_set(found[2]) then return nil end
    return existing, found[1]
end

-- `a` comes from creation.read; a.idem_key is the full idempotency key, or nil. Returns nil and the
-- DUPLICATE reply when it exists already, else true: `a` is then ready for creation.write.
function creation.check(u, a)
    if a.idem_key then
        local existing, state = existing_by_key(u.tag, a.idem_key)
        if existing then return nil, {1, "DUPLICATE", existing, state} end
    end
    local state = existing_state(u.tag, a.execution_id)
    if state then return nil, {1, "DUPLICATE", a.execution_id, state} end
    local checked_policy, copies = policy.check(a.policy_json)
    a.policy, a.copies = checked_policy or false, copies or false
    a.tags = read_tags(a.tags_json) or false
    if a.hold ~= "" and not HOLDS[a.hold] then args.refuse("initial_hold", "unknown value") end
    a.delay_until = a.delay_until or policy.number(a.policy, "delay_until") or false
    a.dedup_ttl_ms = a.dedup_ttl_ms or policy.number(a.policy, "dedup_window_ms") or DEDUP_WINDOW_MS
    a.execution_deadline_at = a.execution_deadline_at or policy.deadline(a.policy, u.now) or 0
    return true
end

local function announce_tags(u, e, c, tags)
    local fields = {}
    for key, value in each(tags) do
        fields[#fields + 1] = "+" .. key
        fields[#fields + 1] = value
        if #fields >= 2 * TAGS_PER_EVENT then
            feed.add(u, "instance_tags", e, c, fields)
            fields = {}
        end
    end
    if fields[1] then feed.add(u, "instance_tags", e, c, fields) end
end
creation.announce_tags = announce_tags

local function write_parts(u, e, a, set)
    unit.sadd_early(u, keys.index(u.tag, "all_executions"), e)
    if a.payload_len > 0 then
        unit.early(u, issue.store(keys.execution_head(u.tag), e, ":payload", a.payload, a.payload_at))
    end
    if a.policy then
        unit.early(u, {"SET", keys.policy(u.tag, e), a.policy_json})
        for field, value in each(a.copies) do
            if value ~= "" then set[field] = value end
        end
    end
    if a.tags then
        unit.early_hset(u, keys.tags(u.tag, e), a.tags)
        set.has_tags = "1"
        announce_tags(u, e, set, a.tags)
    end
    if a.execution_deadline_at ~= 0 then
        set.execution_deadline_at = a.execution_deadline_at
        unit.zadd(u, keys.index(u.tag, "execution_deadline"), a.execution_deadline_at, e)
        unit.due(u, "execution_deadline", a.execution_deadline_at)
    end
    if a.idem_key and a.dedup_ttl_ms > 0 then
        set.idem_key = a.idem_key
        unit.record(u, {"SET", a.idem_key, e, "PX", a.dedup_ttl_ms})
    end
end

-- Collects everything; returns the reply.
function creation.write(u, a)
    local e = a.execution_id
    local set = core.change(u, e, change.NEW, core.room_for_creation(), core.CREATION)
    set.execution_id = e
    set.namespace = a.namespace
    set.lane_id = a.lane_id
    set.execution_kind = a.execution_kind
    set.creator_identity = a.creator_identity
    set.partition_id = u.partition_id
    set.priority = a.priority
    set.flow_id = a.flow_id or nil
    set.payload_encoding = a.payload_encoding ~= "" and a.payload_encoding or nil
    set.payload_len = a.payload_len
    set.created_at = u.now
    set.total_attempt_count = 0
    set.current_lease_epoch = 0
    if a.called_by then
        set.called_by, set.called_as, set.call_root = a.called_by, a.called_as, a.call_root
    end
    write_parts(u, e, a, set)
    if a.hold == "dependencies" then
        vector.runnable(u, set, "blocked_by_dependencies", "waiting_for_children",
            "waiting for dependency edges to be applied", "pending_first_attempt")
        if (a.delay_until or 0) > u.now then set.delay_until = a.delay_until end
        unit.zadd(u, keys.lane(u.tag, a.lane_id, "blocked:dependencies"), u.now, e)
    elseif (a.delay_until or 0) > u.now then
        vector.runnable(u, set, "not_eligible_until_time", "waiting_for_delay",
            "delayed until " .. text(a.delay_until), "pending_first_attempt")
        set.delay_until = a.delay_until
        unit.zadd(u, keys.lane(u.tag, a.lane_id, "delayed"), a.delay_until, e)
        unit.due(u, "delayed", a.delay_until, a.lane_id)
    else
        vector.runnable(u, set, "eligible_now", "waiting_for_worker", "", "pending_first_attempt")
        placement.enter_eligible(u, e, set, set)
    end
    local state = set.public_state
    change.settle(u)
    return {1, "OK", e, state}
end

return creation
