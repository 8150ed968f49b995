-- @function ff_open_stream
-- @keys exec_core [older...]
-- @argv execution_id attempt_index
-- @reply {1,"OK",state,closed_at,closed_reason,last_sequence,frame_count}
-- @refuses invalid_input execution_not_found attempt_not_found
-- @repeat ALREADY_SATISFIED with the state of the stream
registry.add_growing("ff_open_stream", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local c = core.require(tag, e)
    local index = args.to_integer(argv[2])
    if not index or index < 0 or index > number_of(c.total_attempt_count) then refuse("attempt_not_found") end
    local s = frame.open(u, e, index, "durable", false)
    if s.exists then
        local closed_at = s.meta.closed_at or ""
        return {
            1, "ALREADY_SATISFIED", closed_at ~= "" and "closed" or "open", closed_at, s.meta.closed_reason or "",
            s.meta.last_sequence or "", text(s.count),
        }
    end
    local closed_at, reason = stream.derived_end(c, call("HMGET", keys.attempt(tag, e, index), "attempt_state", "ended_at",
        "failure_reason"))
    if reason then return {1, "OK", "closed", closed_at, reason, "", "0"} end
    frame.create_meta(u, s, c, "", "watch", 0)
    return {1, "OK", "open", "", "", "", "0"}
end)
