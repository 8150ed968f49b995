-- @function ff_heartbeat_worker
-- @keys alive caps
-- @argv now_ms [boot_id]
-- @reply {1,"OK","refreshed",ttl_ms}
-- @reply {1,"OK","not_registered"}   register again
-- @reply {1,"OK","superseded"}   stop claiming
-- @refuses invalid_input
-- @repeat refreshed
registry.add("ff_heartbeat_worker", 2, 1, function(given, argv)
    local boot_id = args.text(argv, 2)
    local now = admission.now(argv, 1)
    local stored = checked.read(given[2], {"ttl_ms", "boot_id"})
    if not stored.ttl_ms or checked.call("EXISTS", given[1]) == 0 then return {1, "OK", "not_registered"} end
    if boot_id ~= "" and boot_id ~= stored.boot_id then return {1, "OK", "superseded"} end
    call("HSET", given[2], "last_heartbeat_ms", text(now))
    call("PEXPIRE", given[1], stored.ttl_ms)
    call("PEXPIRE", given[2], stored.ttl_ms)
    return {1, "OK", "refreshed", stored.ttl_ms}
end)
