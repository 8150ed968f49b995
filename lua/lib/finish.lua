-- Every way to a terminal state (chapter 02 section 7.7).
local finish = {}

-- Fields of the event that every execution ends with.
local ENDED = room.new()

-- On its own: a function that makes another is never compiled.
local function tell_flow(u, e, c, set, how)
    unit.after(u, function()
        flow.finished(u, e, c, how.outcome, how.cause or "", set.cancellation_reason or "")
    end)
end

-- Ends the execution. `how`: outcome; release_reason (history, when a lease is given up); attempt (state
-- of an open attempt), attempt_fields, closed_reason (of its stream); suspension_reason; reason and
-- cause (for the completion entry). The caller sets the fields that are its own, such as failure_reason.
function finish.run(u, e, c, set, how)
    local was_active = c.lifecycle_phase == "active"
    vector.terminal(u, set, c, how.outcome)
    set.completed_at = u.now
    if attempt.is_open(c) then
        attempt.finish(u, e, c, how.attempt, how.closed_reason, how.attempt_fields)
    end
    stream.close_unstarted(u, e, c)
    if was_active then
        lease.release(u, e, c, set, how.release_reason, true)
    else
        placement.leave(u, e, c)
    end
    suspension.close(u, e, c, set, how.suspension_reason)
    if is_set(c.execution_deadline_at) then
        unit.zrem(u, keys.index(u.tag, "execution_deadline"), e)
    end
    unit.zadd(u, keys.lane(u.tag, c.lane_id, "terminal"), u.now, e)
    if is_set(c.retention_ms) then
        unit.zadd(u, keys.index(u.tag, "retention_due"), u.now + number_of(c.retention_ms), e)
    end
    if number_of(c.grant_until) >= u.now then
        unit.del(u, keys.claim_grant(u.tag, e))
        set.grant_until = ""
    end
    finish.announce(u, e, c, how, was_active)
    if is_set(c.calls_open) then
        set.calls_open = ""
        calls.cancel_children(u, e)
    end
    if is_set(c.called_by) then calls.tell_parent(u, e, c, set, how.outcome) end
    if is_set(c.flow_id) then tell_flow(u, e, c, set, how) end
end

-- One entry of the event feed, which tells of the released lease too (chapter 04 section 13.1).
function finish.announce(u, e, c, how, released)
    local index, cause = c.current_attempt_index or "", how.cause or ""
    local reason = args.cut(how.reason or "", feed.TEXT_MAX)
    if released then
        local fields = room.take(ENDED) or {
            "kind", "execution", "outcome", "", "attempt_index", "", "reason", "", "cause", "",
            "event", "released", "lease_id", "", "lease_epoch", "", "attempt_id", "", "worker_id", "",
            "worker_instance_id", "", "release_reason", "", room = ENDED,
        }
        fields[4], fields[6], fields[8], fields[10] = how.outcome, index, reason, cause
        fields[14], fields[16] = c.current_lease_id or "", c.current_lease_epoch or "0"
        fields[18], fields[20] = c.current_attempt_id or "", c.current_worker_id or ""
        fields[22] = c.current_worker_instance_id or ""
        fields[24] = args.cut(how.release_reason, feed.TEXT_MAX)
        feed.add(u, "completion,lease_history", e, c, fields)
    else
        feed.add(u, "completion", e, c, {
            "kind", "execution", "outcome", how.outcome, "attempt_index", index, "reason", reason, "cause", cause,
        })
    end
end

-- A member whose dependencies cannot be met any more (chapter 05 section 5.4.5). `cause` names the
-- upstream, the edge and where the skips began; nil when only the closed gate is known.
function finish.skip(u, e, c, set, cause)
    set.skip_reason = "dependency_impossible"
    if cause then
        set.skip_cause_execution_id = cause.execution_id
        set.skip_cause_edge_id = cause.edge_id
        set.skip_root_execution_id = cause.root
    end
    suspension.close_pending(u, e, c, "skipped")
    finish.run(u, e, c, set, {
        outcome = "skipped", release_reason = "cancelled", attempt = "ended_cancelled",
        attempt_fields = {failure_reason = "dependency_impossible", terminalized_by_override = "1"},
        closed_reason = "dependency_impossible", suspension_reason = "skipped",
        reason = "dependency_impossible",
    })
end

return finish
