-- @function ff_mark_worker_dead
-- @keys alive caps workers [events]
-- @argv instance_id reason now_ms [boot_id]
-- Leases stay. The event goes to the registry stream of the namespace, whose name is derived.
-- @reply {1,"OK","marked"}
-- @reply {1,"OK","not_registered"}
-- @refuses invalid_input
-- @repeat not_registered
local REASON_BYTES_MAX = 256
local EVENTS_MAX = 1000

registry.add("ff_mark_worker_dead", 3, 3, function(given, argv)
    local instance = args.id(argv, 1, "instance_id")
    local reason, boot_id = argv[2], args.text(argv, 4)
    if #reason > REASON_BYTES_MAX or string.find(reason, "[%z\1-\31\127]") then
        args.refuse("reason", "too long or with control characters")
    end
    local events = "ff:worker:" .. args.tag(given[1]) .. ":events"
    local now = admission.now(argv, 3)
    local stored = checked.read(given[2], {"worker_id", "boot_id"})
    local is_known = checked.call("EXISTS", given[1]) == 1 or stored.worker_id
    if not is_known or (boot_id ~= "" and boot_id ~= stored.boot_id) then
        return {1, "OK", "not_registered"}
    end
    checked.call("SREM", given[3], instance)
    call("DEL", given[1], given[2])
    try("XADD", events, "MAXLEN", "~", EVENTS_MAX, "*", "event", "marked_dead",
        "instance_id", instance, "worker_id", stored.worker_id or "",
        "boot_id", stored.boot_id or "", "reason", reason, "ts", text(now))
    return {1, "OK", "marked"}
end)
