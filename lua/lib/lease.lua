-- Leases (chapter 02 sections 7.2 to 7.5 and 7.12): who may act, how a lease ends, how one begins.
local lease = {}

-- Fields of the event that every claim has.
local ACQUIRED = room.new()

-- Times and losses of a lease, of those the core has: they say nothing about what comes after it. Written
-- out here and below, because the compiler follows no short loop inside a longer one.
local function clear_times(c, set)
    if is_set(c.lease_last_renewed_at) then set.lease_last_renewed_at = "" end
    if is_set(c.lease_renewal_deadline) then set.lease_renewal_deadline = "" end
    if is_set(c.lease_expired_at) then set.lease_expired_at = "" end
    if is_set(c.lease_revoked_at) then set.lease_revoked_at = "" end
    if is_set(c.lease_revoke_reason) then set.lease_revoke_reason = "" end
    if is_set(c.attempt_timeout_at) then set.attempt_timeout_at = "" end
end

-- A lease that has ended belongs to nobody.
local function clear_released(c, set)
    if is_set(c.current_lease_id) then set.current_lease_id = "" end
    if is_set(c.current_worker_id) then set.current_worker_id = "" end
    if is_set(c.current_worker_instance_id) then set.current_worker_instance_id = "" end
    if is_set(c.lease_expires_at) then set.lease_expires_at = "" end
    clear_times(c, set)
end

-- What the last lease may have left, before a new one.
local function clear_former(c, set)
    if is_set(c.current_lane) then set.current_lane = "" end
    if is_set(c.grant_until) then set.grant_until = "" end
    if is_set(c.blocking_ref) then set.blocking_ref = "" end
    clear_times(c, set)
end

-- The fence triple. Returns false for an operator's override without one, if that is allowed.
function lease.fenced(lease_id, epoch, attempt_id, source)
    if lease_id ~= "" and epoch ~= "" and attempt_id ~= "" then return true end
    if lease_id ~= "" or epoch ~= "" or attempt_id ~= "" then refuse("partial_fence_triple") end
    if source ~= "operator_override" then refuse("fence_required") end
    return false
end

-- Section 7.3 steps 2 and 3; the caller has checked that the phase is active.
function lease.check_held(u, e, c, marks)
    if c.ownership_state == "lease_revoked" then refuse("lease_revoked") end
    if not core.lease_is_over(u.now, number_of(c.lease_expires_at)) then return end
    if marks then
        core.keep(c)
        lease.mark_expired(u, e, c)
        unit.commit(u)
    end
    refuse("lease_expired")
end

-- Step 4. Numbers are compared as numbers: leading zeros are no difference.
function lease.check_owner(c, lease_id, epoch, attempt_id)
    if lease_id ~= c.current_lease_id then refuse("stale_lease") end
    if epoch ~= c.current_lease_epoch and args.to_integer(epoch) ~= number_of(c.current_lease_epoch) then
        refuse("stale_lease")
    end
    if attempt_id and attempt_id ~= c.current_attempt_id then refuse("stale_lease") end
end

-- Load, fence and lease validation of a fenced call whose first ARGV are execution_id, lease_id, lease_epoch
-- and attempt_id. Returns the core and whether the call was fenced.
function lease.validate(u, e, argv, source)
    local c = core.require(u.tag, e)
    return c, lease.check(u, e, c, argv, source, 1)
end

-- The same for a core that is there, and for ARGV from `at` on. Returns whether the call was fenced.
function lease.check(u, e, c, argv, source, at)
    local lease_id, epoch, attempt_id = argv[at + 1], argv[at + 2], argv[at + 3]
    local fenced = lease.fenced(lease_id, epoch, attempt_id, source)
    if c.lifecycle_phase ~= "active" then core.refuse_not_active(c) end
    lease.check_held(u, e, c, true)
    if fenced then lease.check_owner(c, lease_id, epoch, attempt_id) end
    return fenced
end

-- The identity of a lease, as events tell it; `c` is a core or the change that makes the lease.
local function identity(c)
    return {
        "lease_id", c.current_lease_id or "", "lease_epoch", c.current_lease_epoch or "0",
        "attempt_index", c.current_attempt_index or "", "attempt_id", c.current_attempt_id or "",
        "worker_id", c.current_worker_id or "", "worker_instance_id", c.current_worker_instance_id or "",
    }
end

-- An event of the current lease: history and feed. `set` is the change of the core; `extra` is a flat
-- array or nil.
function lease.record(u, e, c, set, event, reason, extra)
    local fields = identity(c)
    for i = 1, extra and #extra or 0 do
        fields[#fields + 1] = extra[i]
    end
    lease_history.append(u, e, c, set, event, reason, fields)
    feed.add(u, "lease_history", e, c,
        {"event", event, "reason", args.cut(reason or "", feed.TEXT_MAX), unpack(fields)})
end

-- The lease just issued into `set` is taken; `reason` tells by whom, where it was not a plain claim.
function lease.acquired(u, e, c, set, reason)
    local is_plain = not reason or reason == "claim_batch"
    if not is_plain or not lease_history.is_told(c, set, set.current_lease_epoch) then
        lease_history.append(u, e, c, set, "acquired", reason, identity(set))
    end
    local fields = room.take(ACQUIRED) or {
        "event", "acquired", "reason", "", "lease_id", "", "lease_epoch", "", "attempt_index", "", "attempt_id", "",
        "worker_id", "", "worker_instance_id", "", room = ACQUIRED,
    }
    fields[4] = reason or ""
    fields[6], fields[8] = set.current_lease_id, set.current_lease_epoch
    fields[10], fields[12] = set.current_attempt_index, set.current_attempt_id
    fields[14], fields[16] = set.current_worker_id, set.current_worker_instance_id
    feed.add(u, "lease_history", e, c, fields)
end

-- What the outbox keeps of a slot: the policy, the execution and the epoch it was admitted under, if it has one.
local function outbox_member(id, e, c)
    local member = id .. "|" .. e
    return is_set(c.admission_epoch) and member .. "|" .. c.admission_epoch or member
end

-- Quota slots go to the release outbox.
function lease.give_back_quota(u, e, c, set)
    if not is_set(c.admitted_quota_ids) then return end
    local outbox = keys.index(u.tag, "quota_release")
    for id in string.gmatch(c.admitted_quota_ids, "[^,]+") do
        unit.sadd(u, outbox, outbox_member(id, e, c))
    end
    unit.due(u, "quota_release", u.now)
    set.released_quota_ids = c.admitted_quota_ids
    set.admitted_quota_ids = ""
end

local function leave_owner(u, e, c)
    -- A revoked lease has left its owner's set already.
    if c.ownership_state ~= "lease_revoked" and is_set(c.current_worker_instance_id) then
        unit.srem(u, keys.worker_leases(u.tag, c.current_worker_instance_id), e)
    end
end

-- Section 7.5, for an active execution. The caller writes the vector. `in_completion`: the feed entry
-- of the completion tells of the release as well.
function lease.release(u, e, c, set, reason, in_completion)
    clear_released(c, set)
    set.last_release_op = reason
    set.last_release_lease_id = c.current_lease_id or ""
    set.last_release_at = u.now
    if is_set(c.last_release_answer) then set.last_release_answer = "" end
    unit.zrem(u, keys.index(u.tag, "lease_expiry"), e)
    unit.zrem(u, keys.lane(u.tag, c.lane_id, "active"), e)
    leave_owner(u, e, c)
    if is_set(c.attempt_timeout_at) then unit.zrem(u, keys.index(u.tag, "attempt_timeout"), e) end
    lease.give_back_quota(u, e, c, set)
    if not in_completion then
        lease.record(u, e, c, set, "released", reason)
    elseif not lease_history.is_told(c, set, number_of(c.current_lease_epoch)) then
        lease_history.append(u, e, c, set, "released", reason, identity(c))
    end
end

-- A lost lease no longer times its attempt out.
local function disarm(u, e, c, set)
    if not is_set(c.attempt_timeout_at) then return end
    set.attempt_timeout_at = ""
    unit.zrem(u, keys.index(u.tag, "attempt_timeout"), e)
end

-- Section 7.4. The lease_expiry entry stays: schedulers find the execution there. `c` is brought up to
-- date, for callers that go on with it.
function lease.mark_expired(u, e, c)
    if c.ownership_state == "lease_expired_reclaimable" then return end
    local set = core.change(u, e)
    vector.lost(u, set, "lease_expired_reclaimable", "lease expired, awaiting reclaim")
    set.lease_expired_at = u.now
    disarm(u, e, c, set)
    lease.record(u, e, c, set, "expired")
    stream.close(u, e, c, number_of(c.current_attempt_index), "lease_expired")
    wake.note(u, c.lane_id, c.execution_kind)
    for field, value in each(set) do
        c[field] = value
    end
    c[1] = true
end

-- Section 8.13: as a loss, but at once and told by whom. It keeps its quota slots, as every lost lease does: whoever
-- takes the work over asks no quota.
function lease.revoke(u, e, c, reason)
    local set = core.change(u, e, c)
    vector.lost(u, set, "lease_revoked", "lease revoked: " .. reason)
    set.lease_revoked_at = u.now
    set.lease_revoke_reason = reason
    disarm(u, e, c, set)
    leave_owner(u, e, c)
    unit.zadd(u, keys.index(u.tag, "lease_expiry"), u.now, e)
    unit.zadd(u, keys.lane(u.tag, c.lane_id, "active"), u.now, e)
    stream.close(u, e, c, number_of(c.current_attempt_index), "lease_revoked")
    lease.record(u, e, c, set, "revoked", reason)
    wake.note(u, c.lane_id, c.execution_kind)
end

-- A run holds the slots it was admitted with and no others: those of an earlier run may be free by now. `admitted`
-- uses up an admission epoch, unless a grant has done so.
local function take_quota(u, e, c, set, admitted)
    if is_set(c.released_quota_ids) then
        set.released_quota_ids = ""
        if is_set(admitted) or is_set(c.admitted_quota_ids) then
            -- For callers without epochs: the slots that wait there were handed on to this run.
            local outbox = keys.index(u.tag, "quota_release")
            for id in string.gmatch(c.released_quota_ids, "[^,]+") do
                unit.srem(u, outbox, outbox_member(id, e, c))
            end
        end
    end
    if is_set(admitted) then lease.hold_quota(c, set, admitted) end
end

-- These slots are held from now on. Every other admission of the same epoch is void.
function lease.hold_quota(c, set, admitted)
    set.admitted_quota_ids = admitted
    set.admission_epoch = number_of(c.admission_epoch) + 1
end

-- Section 7.12. `claim` holds worker_id, worker_instance_id, lane, capability_hash, lease_id,
-- lease_ttl_ms, renew_before_ms (nil = as everybody) and admitted_quota_ids (nil = as stored); `attempt_id`,
-- `attempt_index` and `timeout_ms` (nil or 0 = none) describe the attempt. Returns epoch and expiry.
function lease.issue(u, e, c, set, claim, attempt_id, attempt_index, timeout_ms)
    local now = u.now
    local ttl = claim.lease_ttl_ms
    local epoch = number_of(c.current_lease_epoch) + 1
    local expires_at = now + ttl
    vector.leased(u, set)
    clear_former(c, set)
    set.current_lease_id = claim.lease_id
    set.current_lease_epoch = epoch
    set.current_worker_id = claim.worker_id
    set.current_worker_instance_id = claim.worker_instance_id
    if claim.lane ~= c.lane_id then set.current_lane = claim.lane end
    set.current_attempt_id = attempt_id
    set.current_attempt_index = attempt_index
    set.lease_acquired_at = now
    set.lease_expires_at = expires_at
    if claim.renew_before_ms then set.lease_renewal_deadline = now + claim.renew_before_ms end
    unit.zadd_early(u, keys.index(u.tag, "lease_expiry"), expires_at, e)
    unit.due(u, "lease_expiry", expires_at)
    unit.zadd(u, keys.lane(u.tag, c.lane_id, "active"), expires_at, e)
    unit.sadd(u, keys.worker_leases(u.tag, claim.worker_instance_id), e)
    take_quota(u, e, c, set, claim.admitted_quota_ids)
    if timeout_ms and timeout_ms > 0 then
        set.attempt_timeout_at = now + timeout_ms
        unit.zadd(u, keys.index(u.tag, "attempt_timeout"), now + timeout_ms, e)
        unit.due(u, "attempt_timeout", now + timeout_ms)
    end
    return epoch, expires_at
end

return lease
