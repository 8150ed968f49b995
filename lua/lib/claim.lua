-- Taking work: a fresh attempt, the continuation of an interrupted one, or one lost by its worker
-- (chapter 02 sections 8.2 and 8.8, chapter 03 section 6.8). Single and batch functions share these.
-- A claim is a table: worker_id, worker_instance_id, lane, capability_hash, lease_id, lease_ttl_ms,
-- renew_before_ms, attempt_id, attempt_policy (table or nil), attempt_timeout_ms (nil = by policy),
-- execution_deadline_at (nil = as armed), admitted_quota_ids (nil = as stored), reason (of the history).
local claim = {}

local RECLAIM_CAP = 100
local NO_LINEAGE = {}

-- What decided the kind of the attempt that begins now.
local function clear_pending(c, set)
    if is_set(c.pending_retry_reason) then set.pending_retry_reason = "" end
    if is_set(c.pending_replay_reason) then set.pending_replay_reason = "" end
    if is_set(c.pending_replay_requested_by) then set.pending_replay_requested_by = "" end
    if is_set(c.pending_previous_attempt_index) then set.pending_previous_attempt_index = "" end
    if is_set(c.pending_fallback_index) then set.pending_fallback_index = "" end
    if is_set(c.pending_replay_attempt) then set.pending_replay_attempt = "" end
end

-- Reads an attempt_policy_json argument: a table, or nil for none.
function claim.read_attempt_policy(json)
    local object = args.json_object(json)
    if object == false or (object and type(next(object)) ~= "string") then
        refuse("invalid_policy_json", "attempt_policy:malformed")
    end
    return object
end

-- Refuses unless a live grant names this worker. An expired one is deleted.
function claim.check_grant(u, e, worker_id)
    local key = keys.claim_grant(u.tag, e)
    local grant = try("HMGET", key, "worker_id", "grant_expires_at")
    if grant.err or not grant[1] or grant[1] ~= worker_id then refuse("invalid_claim_grant") end
    if number_of(grant[2]) < u.now then
        call("DEL", key)
        refuse("claim_grant_expired")
    end
end

-- The current lease as a reply; `kind` is the type of its attempt.
function claim.reply(word, c, kind)
    return {
        1, word, c.current_lease_id, text(number_of(c.current_lease_epoch)), text(number_of(c.lease_expires_at)),
        c.current_attempt_id, text(number_of(c.current_attempt_index)), kind,
    }
end

-- The reply to a claim sent again: same lease, attempt and worker, still valid. nil when it is not one.
function claim.duplicate(u, e, c, worker_id, lease_id, attempt_id)
    if c.lifecycle_phase ~= "active" or c.ownership_state ~= "leased"
        or core.lease_is_over(u.now, number_of(c.lease_expires_at)) or c.current_lease_id ~= lease_id or c.current_attempt_id ~= attempt_id or c.current_worker_id ~= worker_id then
        return nil
    end
    local kind = call("HGET", keys.attempt(u.tag, e, c.current_attempt_index), "attempt_type")
    return claim.reply("DUPLICATE", c, kind or "")
end

-- Timeout and tier of the next attempt. The stored policy is read only where a fallback tier is in force.
local function terms(u, e, c, fallback_index, asked_ms)
    if fallback_index == 0 then return asked_ms or number_of(c.attempt_timeout_ms), nil end
    local stored = policy.stored(u.tag, e)
    local tier = policy.tier(stored, fallback_index)
    local timeout_ms = asked_ms or policy.number(tier, "timeout_ms")
        or policy.number(policy.object(stored, "timeout_policy"), "attempt_timeout_ms") or 0
    return timeout_ms, tier
end

local function append(command, name, value)
    local size = #command
    command[size + 1] = name
    command[size + 2] = value
end

local ATTEMPTS = room.new()

-- The record of a first attempt, of which there is nothing else to tell.
local function record_plain_attempt(u, e, index, epoch, request, kind)
    local command = room.take(ATTEMPTS) or {
        "HSET", "", "attempt_type", "", "attempt_id", "", "execution_id", "", "attempt_index", 0,
        "attempt_state", "started", "created_at", 0, "started_at", 0, "lease_id", "", "lease_epoch", 0,
        "worker_id", "", "worker_instance_id", "", e = "", tail = "", room = ATTEMPTS,
    }
    command[2], command.e, command.tail = keys.attempt_head(u.tag), e, keys.attempt_tail(index)
    command[4], command[6], command[8] = kind, request.attempt_id, e
    command[10], command[14], command[16] = index, u.now, u.now
    command[18], command[20] = request.lease_id, epoch
    command[22], command[24] = request.worker_id, request.worker_instance_id
    unit.early(u, command)
end

-- The record of a new attempt; `lineage` is a flat array that tells where it comes from.
local function record_attempt(u, e, index, epoch, request, kind, lineage, fallback_index, timeout_ms)
    if lineage == NO_LINEAGE and fallback_index == 0 and timeout_ms == 0 and not is_set(request.capability_hash) then
        return record_plain_attempt(u, e, index, epoch, request, kind)
    end
    local command = {
        "HSET", keys.attempt(u.tag, e, index), "attempt_type", kind, "attempt_id", request.attempt_id,
        "execution_id", e, "attempt_index", index, "attempt_state", "started", "created_at", u.now,
        "started_at", u.now, "lease_id", request.lease_id, "lease_epoch", epoch, "worker_id", request.worker_id,
        "worker_instance_id", request.worker_instance_id, unpack(lineage),
    }
    if is_set(request.capability_hash) then append(command, "capability_hash", request.capability_hash) end
    if fallback_index > 0 then append(command, "fallback_index", fallback_index) end
    if timeout_ms > 0 then
        append(command, "timeout_ms", timeout_ms)
        append(command, "timeout_at", u.now + timeout_ms)
    end
    unit.early(u, command)
end

-- What a claim answers; one for all, because the next one comes after that.
local GIVEN = {1, "OK", "", "", "", "", "", ""}

-- A new attempt with its lease. Returns the reply.
local function begin(u, e, c, set, request, kind, lineage, fallback_index)
    local index = number_of(c.total_attempt_count)
    local timeout_ms, tier = terms(u, e, c, fallback_index, request.attempt_timeout_ms)
    local epoch, expires_at = lease.issue(u, e, c, set, request, request.attempt_id, index, timeout_ms)
    set.total_attempt_count = index + 1
    if not is_set(c.started_at) then set.started_at = u.now end
    if request.execution_deadline_at then
        set.execution_deadline_at = request.execution_deadline_at
        unit.zadd(u, keys.index(u.tag, "execution_deadline"), request.execution_deadline_at, e)
        unit.due(u, "execution_deadline", request.execution_deadline_at)
    end
    record_attempt(u, e, index, epoch, request, kind, lineage, fallback_index, timeout_ms)
    attempt.freeze_policy(u, e, c, index, request.attempt_policy, tier, timeout_ms, fallback_index)
    local reply = GIVEN
    reply[3], reply[4], reply[5] = request.lease_id, text(epoch), text(expires_at)
    reply[6], reply[7], reply[8] = request.attempt_id, text(index), kind
    return reply
end

-- Type and lineage of the next attempt, by the pending state.
local function lineage_of(c)
    local previous = c.pending_previous_attempt_index or ""
    if c.attempt_state == "pending_replay_attempt" then
        return "replay", {
            "replayed_from_attempt_index", previous, "replay_reason", c.pending_replay_reason or "",
            "replay_requested_by", c.pending_replay_requested_by or "",
        }
    elseif c.attempt_state == "pending_retry_attempt" then
        return is_set(c.pending_fallback_index) and "fallback" or "retry",
            {"retry_reason", c.pending_retry_reason or "", "previous_attempt_index", previous}
    end
    return "initial", NO_LINEAGE
end

-- A new attempt of runnable work. Returns {1,"OK",lease_id,epoch,expires_at,attempt_id,index,type}.
function claim.fresh(u, e, c, request)
    local set = core.change(u, e, c, core.room_for_claim(), core.CLAIM)
    local fallback_index = number_of(is_set(c.pending_fallback_index) and c.pending_fallback_index or c.fallback_index)
    local kind, lineage = lineage_of(c)
    local reply = begin(u, e, c, set, request, kind, lineage, fallback_index)
    if is_set(c.pending_fallback_index) then set.fallback_index = c.pending_fallback_index end
    clear_pending(c, set)
    placement.leave(u, e, c)
    lease.acquired(u, e, c, set, request.reason)
    return reply
end

-- What the worker of an attempt is told: type, suspension_id, close_reason and continuation pointer, by
-- the fields of its record. An attempt that was never resumed is still what it was made as.
local function told(u, e, attempt_type, resumed_at, suspension_id)
    if not is_set(resumed_at) then return attempt_type or "", "", "", "" end
    if not is_set(suspension_id) or suspension_id == "worker_delay" or suspension_id == "waiting_children" then
        return "resumed", "", "", ""
    end
    local record = call("HMGET", keys.suspension(u.tag, e), "suspension_id", "close_reason", "continuation_metadata_pointer")
    if record[1] ~= suspension_id then return "resumed", suspension_id, "", "" end
    return "resumed", suspension_id, record[2] or "", record[3] or ""
end

-- Goes on with the same attempt under a new lease. The reply adds suspension_id, close_reason and
-- continuation pointer. attempt_timeout_ms nil means what was left when it paused. An attempt that a
-- worker returned without having begun it is told to the next one as it was told to that worker.
function claim.resume(u, e, c, request)
    local set = core.change(u, e, c, core.room_for_claim(), core.CLAIM)
    local key = keys.attempt(u.tag, e, c.current_attempt_index)
    local paused = call("HMGET", key, "suspension_id", "attempt_timeout_remaining_ms", "attempt_type", "resumed_at",
        "resumed_suspension_id")
    local timeout_ms = request.attempt_timeout_ms or number_of(paused[2])
    local epoch, expires_at = lease.issue(
        u, e, c, set, request, c.current_attempt_id, c.current_attempt_index, timeout_ms)
    local resumed_at, suspension_id = paused[4], paused[5]
    if paused[1] ~= attempt.RETURNED then
        resumed_at, suspension_id = u.now, paused[1] or ""
    end
    local fields = {
        attempt_state = "started", suspended_at = "", suspension_id = "",
        lease_id = request.lease_id, lease_epoch = epoch, worker_id = request.worker_id,
        worker_instance_id = request.worker_instance_id, attempt_timeout_remaining_ms = "",
        -- What a repeated call must answer.
        resumed_at = resumed_at or nil, resumed_suspension_id = suspension_id or nil,
    }
    if is_set(request.capability_hash) then fields.capability_hash = request.capability_hash end
    if timeout_ms > 0 then fields.timeout_at = u.now + timeout_ms end
    unit.hset(u, key, fields)
    placement.leave(u, e, c)
    lease.acquired(u, e, c, set, request.reason or "claim_resumed")
    return {
        1, "OK", request.lease_id, text(epoch), text(expires_at), c.current_attempt_id,
        text(number_of(c.current_attempt_index)), told(u, e, paused[3], resumed_at, suspension_id),
    }
end

-- The reply to a claim sent again under whose lease the attempt went on; `c` is active under it.
function claim.duplicate_resumed(u, e, c)
    local record = call("HMGET", keys.attempt(u.tag, e, c.current_attempt_index or ""), "attempt_type", "resumed_at",
        "resumed_suspension_id")
    local reply = claim.reply("DUPLICATE", c)
    reply[8], reply[9], reply[10], reply[11] = told(u, e, unpack(record, 1, 3))
    return reply
end

function claim.is_reclaimable(c)
    return c.lifecycle_phase == "active"
        and (c.ownership_state == "lease_expired_reclaimable" or c.ownership_state == "lease_revoked")
end

-- Kind and default cap of the grant there is.
local function grant_of(u, e)
    local stored = try("HMGET", keys.claim_grant(u.tag, e), "grant_kind", "default_max_reclaim_count")
    if stored.err then return nil, nil end
    return stored[1], tonumber(stored[2] or "")
end

function claim.has_reclaim_grant(u, e)
    return grant_of(u, e) == "reclaim"
end

-- How often an execution may be reclaimed; `default` is the caller's, nil for the built-in one.
function claim.reclaim_cap(tag, e, default)
    local stored = policy.stored(tag, e)
    return policy.number(stored, "max_reclaim_count")
        or policy.number(policy.object(stored, "timeout_policy"), "max_reclaim_count") or default or RECLAIM_CAP
end

-- Reclaimed too often: ends it.
function claim.give_up(u, e, c)
    local set = core.change(u, e, c)
    set.failure_reason = "max_reclaims_exceeded"
    finish.run(u, e, c, set, {
        outcome = "failed", release_reason = "max_reclaims_exceeded", attempt = "interrupted_reclaimed",
        attempt_fields = {failure_reason = "max_reclaims_exceeded"}, closed_reason = "max_reclaims_exceeded",
        reason = "max_reclaims_exceeded",
    })
end

-- Consumes a reclaim grant, or ends what was reclaimed too often: the one refusal that changes state. `default_cap` is
-- the caller's, nil for that of the grant. Returns the reply; all other checks are done.
function claim.take_over(u, e, c, request, default_cap)
    if not default_cap then
        local _, granted_cap = grant_of(u, e)
        default_cap = granted_cap
    end
    local cap = claim.reclaim_cap(u.tag, e, default_cap)
    if number_of(c.lease_reclaim_count) >= cap then
        claim.give_up(u, e, c)
        unit.commit(u)
        return {0, "max_retries_exhausted", text(cap)}
    end
    claim.check_grant(u, e, request.worker_id)
    local reply = claim.reclaim(u, e, c, request)
    unit.del(u, keys.claim_grant(u.tag, e))
    unit.commit(u)
    return reply
end

-- Takes over a lost lease with a new attempt; `c` is reclaimable and below the cap.
function claim.reclaim(u, e, c, request)
    local set = core.change(u, e, c, core.room_for_claim(), core.CLAIM)
    local why = c.ownership_state == "lease_revoked" and "lease_revoked" or "lease_expired"
    attempt.finish(u, e, c, "interrupted_reclaimed", "reclaimed", {failure_reason = why})
    set.lease_reclaim_count = number_of(c.lease_reclaim_count) + 1
    set.total_reclaim_count = number_of(c.total_reclaim_count) + 1
    set.last_release_op = "reclaimed"
    set.last_release_lease_id = c.current_lease_id or ""
    set.last_release_at = u.now
    if why == "lease_expired" and c.current_worker_instance_id ~= request.worker_instance_id then
        unit.srem(u, keys.worker_leases(u.tag, c.current_worker_instance_id or ""), e)
    end
    local reply = begin(u, e, c, set, request, "reclaim",
        {"reclaim_reason", why, "previous_attempt_index", c.current_attempt_index or ""}, number_of(c.fallback_index))
    lease.record(u, e, c, set, "reclaimed", why, {
        "old_lease_epoch", c.current_lease_epoch or "0", "new_lease_id", request.lease_id,
        "new_lease_epoch", set.current_lease_epoch, "new_attempt_id", request.attempt_id,
        "new_attempt_index", set.current_attempt_index,
    })
    return reply
end

return claim
