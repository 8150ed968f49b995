-- What a signal does at the waitpoint that it may signal (chapter 03 section 6.6 from step 6 on).
local delivery = {}

-- Steps 8 and 9 for a waitpoint that is not pending: its condition and the suspension it belongs to.
local function check_target(u, e, c, s, waitpoint_record)
    if waitpoint_record.state ~= "active" then
        refuse(c.lifecycle_phase == "suspended" and "waitpoint_closed" or "target_not_signalable")
    end
    local stored = hash(keys.waitpoint_condition(u.tag, s.waitpoint_id))
    if not stored then refuse("waitpoint_not_found") end
    if stored.closed == "1" then refuse("waitpoint_closed") end
    local record = suspension.load(u.tag, e) or {}
    local is_its = suspension.is_open(record) and record.suspension_id == waitpoint_record.suspension_id
    if c.lifecycle_phase == "suspended" and not is_its then refuse("waitpoint_closed") end
    return stored, record, is_its
end

-- What the signal changed: the end of the suspension, or one step towards it.
local function settle(u, e, c, s, state, record, is_its)
    if not state.satisfied then
        condition.save(u, e, s.waitpoint_id, state)
        return
    end
    -- The matchers of a flat condition tell for good which signals met it, the last one included.
    if not state.read then condition.save(u, e, s.waitpoint_id, state) end
    u.satisfiers = condition.satisfiers(u.tag, e, state)
    u.closer_signal_id = s.signal_id
    u.target_waitpoint = s.waitpoint_id
    u.is_flat = not state.read
    if c.lifecycle_phase == "suspended" then
        suspension.resume(u, e, c, record, {
            reason = "resumed", satisfied = true, condition_reason = "satisfied", delay_ms = s.delay_ms,
            after = " after signal " .. s.signal_name,
        })
    elseif is_its then
        suspension.close_records(u, e, record)
    end
end

-- Accepts the signal or refuses, commits, and gives the reply. `waitpoint_record` is that of its target.
function delivery.run(u, e, c, s, waitpoint_record)
    if c.lifecycle_phase == "terminal" then refuse("target_not_signalable") end
    if waitpoint_record.state == "pending" then
        if signal.is_past_attempt(c, waitpoint_record) then refuse("waitpoint_closed") end
        if not s.buffers then refuse("waitpoint_pending_use_buffer_script") end
        return signal.buffer(u, e, c, s, waitpoint_record)
    end
    local stored, record, is_its = check_target(u, e, c, s, waitpoint_record)
    signal.check_room(u, e, s)
    local state = condition.load(u.tag, e, stored, record)
    local effect = condition.apply(state, s.waitpoint_id, s)
    signal.store(u, e, c, s, effect)
    signal.count(u, s, waitpoint_record, effect)
    if is_its then
        local summary = suspension.summary(record.buffered_signal_summary_json)
        suspension.add_to_summary(summary, s.signal_name, condition.contributed(effect))
        unit.hset(u, keys.suspension(u.tag, e),
            {last_signal_at = u.now, buffered_signal_summary_json = suspension.summary_json(summary)})
    end
    settle(u, e, c, s, state, record, is_its)
    unit.commit(u)
    return {1, "OK", s.signal_id, effect}
end

return delivery
