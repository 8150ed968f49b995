-- Completing one execution (chapter 02 section 8.3), shared with the batch.
local completion = {}

local BY_WORKER = {
    outcome = "success", release_reason = "completed", attempt = "ended_success", closed_reason = "attempt_success",
}

local REPLY = {1, "OK", "completed"}

-- `argv` holds execution_id, lease_id, lease_epoch, attempt_id and the result from position `at` on.
-- `list`: the steps that come along, nil for none. Refuses, or collects the writes and returns the reply.
function completion.run(u, e, argv, at, encoding, source, list)
    local c = core.require_borrowed(u.tag, e)
    local fenced = lease.check(u, e, c, argv, source, at)
    -- What follows in a flow, or at a parent, looks at both when all is written.
    local in_flow = is_set(c.flow_id) or is_set(c.called_by)
    if in_flow then core.keep(c) end
    if list then steps.bring(u, e, c, list) end
    local set = core.change(u, e, c, core.room_for_end(), not in_flow and core.END)
    finish.run(u, e, c, set, fenced and BY_WORKER or {
        outcome = "success", release_reason = "completed", attempt = "ended_success",
        attempt_fields = {terminalized_by_override = "1"}, closed_reason = "attempt_success",
    })
    local result, size = args.passed(argv, at + 4)
    if size > 0 then
        unit.record(u, issue.store(keys.execution_head(u.tag), e, ":result", result, at + 4))
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
