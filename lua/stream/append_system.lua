-- @function ff_append_system_frame
-- @keys exec_core [older...]
-- @argv execution_id attempt_index frame_type ts payload encoding correlation_id source retention_maxlen max_payload_bytes
-- @reply {1,"OK",entry_id,frame_count,""}
-- @refuses invalid_input invalid_frame_type retention_limit_exceeded execution_not_found unauthorized attempt_not_found stream_closed
-- @repeat a second frame
local SOURCES = {system = true, operator = true}
local AT = {retention_maxlen = 9, max_payload_bytes = 10}

registry.add("ff_append_system_frame", 1, 10, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local index = args.integer(argv, 2, "attempt_index", 0)
    local limits = frame.limits(argv, AT)
    local f = {
        frame_type = argv[3], ts = args.optional_integer(argv, 4, "ts", 0), payload = argv[5], encoding = argv[6],
        correlation_id = argv[7], source = argv[8],
    }
    frame.check(f, limits)
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if not SOURCES[f.source] then refuse("unauthorized") end
    local record = call("HMGET", keys.attempt(tag, e, index), "attempt_id", "attempt_state")
    if not record[1] then refuse("attempt_not_found") end
    local s = frame.open(u, e, index, "durable", false)
    frame.check_open(s, c.lifecycle_phase)
    if stream.reason_of_attempt(record[2]) then refuse("stream_closed", c.lifecycle_phase) end
    local id = frame.add(u, s, f)
    frame.write(u, s, c, "durable", limits, record[1])
    return {1, "OK", id, text(s.count), ""}
end)
