-- @function ff_update_progress
-- @keys exec_core
-- @argv execution_id lease_id lease_epoch [progress_pct] [progress_message] [attempt_id] [usage_json] [usage_seq] [usage_dedup_id]
-- @reply {1,"OK"}
-- @reply {1,"ALREADY_APPLIED"}   usage with this usage_dedup_id was counted before; nothing is written
-- @refuses invalid_input execution_not_found execution_not_active lease_revoked lease_expired stale_lease
-- @repeat the same reply; usage with a usage_seq not above the stored one adds nothing; usage with a usage_dedup_id gets ALREADY_APPLIED, also when the lease has ended
local MESSAGE_MAX = 4096
local DIMENSIONS_MAX = 64
local DEDUP_ID_MAX = 512
local DEDUP_TTL_MS = 86400000

-- Named by a digest: the key outlives an execution that is purged early, and must not hold its id.
local function read_dedup_key(argv, i, tag, e)
    local id = args.text(argv, i)
    if id == "" then return nil end
    if #id > DEDUP_ID_MAX then args.refuse("usage_dedup_id", "longer than 512 bytes") end
    return "ff:usagededup:" .. tag .. ":" .. redis.sha1hex(e .. ":" .. id)
end

local function read_usage(json)
    local usage = args.json_object(json)
    if usage == false then args.refuse("usage_json", "not an object") end
    local count = 0
    for dimension, amount in each(usage or {}) do
        count = count + 1
        if type(dimension) ~= "string" or dimension == "" or dimension == "last_usage_report_seq" then
            args.refuse("usage_json", "bad dimension")
        end
        if type(amount) ~= "number" or amount ~= math.floor(amount) or amount < 0 or amount > args.INTEGER_MAX then
            args.refuse("usage_json", "not an integer")
        end
    end
    if count > DIMENSIONS_MAX then args.refuse("usage_json", "more than " .. DIMENSIONS_MAX .. " dimensions") end
    return usage
end

local function add_usage(u, e, c, usage, sequence)
    local key = keys.attempt_usage(u.tag, e, c.current_attempt_index)
    local names = {}
    for dimension in each(usage) do
        names[#names + 1] = dimension
    end
    local stored = call("HMGET", key, "last_usage_report_seq", unpack(names))
    local last = number_of(stored[1])
    sequence = sequence or last + 1
    if sequence <= last then return end
    local fields = {last_usage_report_seq = sequence}
    for i, dimension in ipairs(names) do
        fields[dimension] = math.min(number_of(stored[i + 1]) + usage[dimension], args.INTEGER_MAX)
    end
    unit.hset(u, key, fields)
end

registry.add("ff_update_progress", 1, 3, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local percent = args.optional_integer(argv, 4, "progress_pct", 0, 100)
    local message = args.cut(args.text(argv, 5), MESSAGE_MAX)
    local lease_id, epoch = args.id(argv, 2, "lease_id"), args.id(argv, 3, "lease_epoch")
    local attempt_id = args.text(argv, 6)
    local usage = read_usage(args.text(argv, 7))
    local sequence = args.optional_integer(argv, 8, "usage_seq", 1)
    local u = unit.open(tag)
    local dedup_key = usage and read_dedup_key(argv, 9, tag, e)
    local c = core.require(tag, e)
    if dedup_key and call("EXISTS", dedup_key) == 1 then return {1, "ALREADY_APPLIED"} end
    if c.lifecycle_phase ~= "active" then core.refuse_not_active(c) end
    lease.check_held(u, e, c, false)
    lease.check_owner(c, lease_id, epoch, attempt_id ~= "" and attempt_id or nil)
    local set = core.change(u, e, c)
    set.progress_pct = percent
    if message ~= "" then set.progress_message = message end
    set.progress_updated_at = u.now
    if usage then add_usage(u, e, c, usage, sequence) end
    if dedup_key then unit.record(u, {"SET", dedup_key, "1", "PX", text(DEDUP_TTL_MS)}) end
    unit.commit(u)
    return {1, "OK"}
end)
