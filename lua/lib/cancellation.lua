-- Cancelling one execution from any phase (chapter 02 section 8.5), shared with flow and sibling cancels.
local cancellation = {}

local PRIVILEGED = {operator_override = true, flow_cascade = true, system_timeout = true, parent_ended = true}
local REASON_MAX = 4096

-- What a worker may cancel: only under its own lease, once one is named, and never a revoked one.
function cancellation.check_lease(u, e, c, source, lease_id, epoch, attempt_id)
    if PRIVILEGED[source] or c.lifecycle_phase ~= "active" then return end
    if c.ownership_state == "lease_revoked" then refuse("lease_revoked") end
    if lease_id == "" then return end
    lease.check_held(u, e, c, true)
    lease.check_owner(c, lease_id, epoch, attempt_id ~= "" and attempt_id or nil)
end

-- Collects the writes; `c` is not terminal. A pending retry or replay keeps its ended attempt.
function cancellation.run(u, e, c, reason, source)
    local set = core.change(u, e, c)
    reason = args.cut(reason, REASON_MAX)
    set.cancellation_reason = reason
    set.cancelled_by = source ~= "" and source or e
    local attempt_fields = {failure_reason = args.cut("cancelled: " .. reason, REASON_MAX)}
    if PRIVILEGED[source] then attempt_fields.terminalized_by_override = "1" end
    suspension.close_pending(u, e, c, "cancelled")
    finish.run(u, e, c, set, {
        outcome = "cancelled", release_reason = "cancelled", attempt = "ended_cancelled",
        attempt_fields = attempt_fields, closed_reason = "attempt_cancelled",
        suspension_reason = "cancelled", reason = reason, cause = source,
    })
    if source == "operator_override" then
        feed.operator(u, e, c, "execution_cancelled",
            {reason = args.cut(reason, feed.TEXT_MAX), cancelled_from = c.lifecycle_phase})
    end
end

return cancellation
