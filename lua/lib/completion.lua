-- Completing one execution (chapter 02 section 8.3), shared with the batch.
local completion = {}

local BY_WORKER = {
    outcome = "success", release_reason = "completed", attempt = "ended_success", closed_reason = "attempt_success",
}

local REPLY = {1, "OK", "completed"}

-- `argv` holds execution_id, lease_id, lease_epoch, attempt_id and the result from position `at` on.
-- Refuses, or collects the writes and returns the reply.
function completion.run(u, e, argv, at, encoding, source)
    local c, fenced = lease.validate(u, e, argv, source, at)
    local result = argv[at + 4]
    local set = core.change(u, e, c, core.room_for_end())
    finish.run(u, e, c, set, fenced and BY_WORKER or {
        outcome = "success", release_reason = "completed", attempt = "ended_success",
        attempt_fields = {terminalized_by_override = "1"}, closed_reason = "attempt_success",
    })
    if result ~= "" then
        unit.record(u, {"SET", keys.result(u.tag, e), result})
        set.has_result = "1"
    elseif is_set(c.has_result) then
        -- An earlier run's result must not pass for this one's.
        unit.record(u, {"DEL", keys.result(u.tag, e)})
        set.has_result = ""
    end
    if encoding ~= "" or is_set(c.result_encoding) then set.result_encoding = encoding end
    return REPLY
end

return completion
