-- @function ff_register_worker
-- @keys alive caps workers
-- @argv instance_id worker_id lanes_csv caps_csv ttl_ms now_ms [boot_id] [on_conflict] [max_tasks]
-- on_conflict: empty or "reject" refuses another boot id while the first lives, "takeover" replaces it.
-- @reply {1,"OK","registered"}
-- @reply {1,"OK","refreshed"}
-- @refuses invalid_input invalid_capabilities duplicate_worker_instance
-- @repeat refreshed
local TTL_MS_MAX = 86400000
local LANES_BYTES_MAX = 65536
local ON_CONFLICT = {reject = true, takeover = true}

-- A living registration under this instance id must be of the same worker and of the same boot.
local function check_conflict(stored, worker_id, boot_id, on_conflict)
    if stored.worker_id and stored.worker_id ~= worker_id then
        refuse("invalid_input", "instance_id reassigned")
    elseif boot_id ~= "" and stored.boot_id and stored.boot_id ~= boot_id
        and on_conflict ~= "takeover" then
        refuse("duplicate_worker_instance", stored.boot_id)
    end
end

registry.add("ff_register_worker", 3, 6, function(given, argv)
    local instance = args.id(argv, 1, "instance_id")
    local worker = args.id(argv, 2, "worker_id")
    if #argv[3] > LANES_BYTES_MAX then args.refuse("lanes_csv", "too long") end
    local ttl = text(args.integer(argv, 5, "ttl_ms", 1, TTL_MS_MAX))
    local boot_id = args.text(argv, 7)
    local on_conflict = args.optional_word(argv, 8, "on_conflict", ON_CONFLICT)
    local max_tasks = args.optional_integer(argv, 9, "max_tasks", 0)
    local now = text(admission.now(argv, 6))
    capabilities.parse(argv[4], "worker")
    local was_alive = checked.call("EXISTS", given[1]) == 1
    local stored = checked.read(given[2], {"worker_id", "boot_id"})
    if was_alive then check_conflict(stored, worker, boot_id, on_conflict) end
    checked.call("SADD", given[3], instance)
    call("SET", given[1], boot_id ~= "" and boot_id or "1", "PX", ttl)
    call("HSET", given[2], "worker_id", worker, "lanes_csv", argv[3], "caps_csv", argv[4],
        "ttl_ms", ttl, "registered_at_ms", now, "last_heartbeat_ms", now, "boot_id", boot_id,
        "max_tasks", max_tasks and text(max_tasks) or "")
    call("PEXPIRE", given[2], ttl)
    return {1, "OK", was_alive and "refreshed" or "registered"}
end)
