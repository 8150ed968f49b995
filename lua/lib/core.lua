-- exec_core: the one record that decides. Loaded with one HGETALL into a table field -> text, whose
-- missing fields are nil (see is_set and number_of).
--
-- A table that grows field by field is rebuilt at every doubling: half the work of a change. The tables
-- below begin with room for the fields they will have, which `none`, unlike a nil written out, makes.
local core = {}

local none

-- Where the room for a change goes when it is written: the next one has it.
-- `names`: see issue.drain.
core.CREATION = {spare = false, names = {
    "execution_id", "namespace", "lane_id", "execution_kind", "creator_identity", "partition_id", "priority",
    "flow_id", "payload_encoding", "payload_len", "created_at", "total_attempt_count", "current_lease_epoch",
    "last_mutation_at", "lifecycle_phase", "ownership_state", "eligibility_state", "blocking_reason",
    "blocking_detail", "terminal_outcome", "last_transition_at", "public_state", "attempt_state",
}}
core.CLAIM = {spare = false, names = {
    "lifecycle_phase", "ownership_state", "eligibility_state", "blocking_reason", "blocking_detail",
    "terminal_outcome", "last_transition_at", "last_mutation_at", "public_state", "attempt_state",
    "current_lease_id", "current_lease_epoch", "current_worker_id", "current_worker_instance_id",
    "current_attempt_id", "current_attempt_index", "lease_acquired_at", "lease_expires_at",
    "total_attempt_count", "started_at",
}}
core.END = {spare = false, names = {
    "lifecycle_phase", "ownership_state", "eligibility_state", "blocking_reason", "blocking_detail",
    "terminal_outcome", "last_transition_at", "last_mutation_at", "public_state", "attempt_state",
    "current_lease_id", "current_worker_id", "current_worker_instance_id", "lease_expires_at",
    "last_release_op", "last_release_lease_id", "last_release_at", "completed_at", "has_result",
}}

local function spare_of(kind)
    local fields = kind.spare
    kind.spare = false
    return fields
end

-- Room for what makes an execution.
function core.room_for_creation()
    return spare_of(core.CREATION) or {
        execution_id = none, namespace = none, lane_id = none, execution_kind = none, creator_identity = none,
        partition_id = none, priority = none, flow_id = none, payload_encoding = none, payload_len = none,
        created_at = none, total_attempt_count = none, current_lease_epoch = none, last_mutation_at = none,
        lifecycle_phase = none, ownership_state = none, eligibility_state = none, blocking_reason = none,
        blocking_detail = none, terminal_outcome = none, last_transition_at = none, public_state = none,
        attempt_state = none,
    }
end

-- Room for what a claim changes.
function core.room_for_claim()
    return spare_of(core.CLAIM) or {
        lifecycle_phase = none, ownership_state = none, eligibility_state = none, blocking_reason = none,
        blocking_detail = none, terminal_outcome = none, last_transition_at = none, last_mutation_at = none,
        public_state = none, attempt_state = none, current_lease_id = none, current_lease_epoch = none,
        current_worker_id = none, current_worker_instance_id = none,
        current_attempt_id = none, current_attempt_index = none, lease_acquired_at = none,
        lease_expires_at = none, total_attempt_count = none, started_at = none,
    }
end

-- Room for what the end of an active execution changes.
function core.room_for_end()
    return spare_of(core.END) or {
        lifecycle_phase = none, ownership_state = none, eligibility_state = none, blocking_reason = none,
        blocking_detail = none, terminal_outcome = none, last_transition_at = none, last_mutation_at = none,
        public_state = none, attempt_state = none, current_lease_id = none, current_worker_id = none,
        current_worker_instance_id = none, lease_expires_at = none, last_release_op = none,
        last_release_lease_id = none, last_release_at = none, completed_at = none, has_result = none,
    }
end

-- nil when there is nothing, or another type of value.
function core.load(tag, e)
    local c = hash(keys.core(tag, e))
    -- A stray field does not make an execution.
    return c and c.lifecycle_phase and c or nil
end

-- As core.load, into a table that the next core.borrow fills anew: for whoever is done with it by then and
-- alters nothing in it. core.keep makes it the caller's own.
local function room_for_record()
    return {
        execution_id = none, namespace = none, lane_id = none, execution_kind = none, creator_identity = none,
        partition_id = none, priority = none, payload_len = none, created_at = none, total_attempt_count = none,
        current_lease_epoch = none, last_mutation_at = none, lifecycle_phase = none, ownership_state = none,
        eligibility_state = none, blocking_reason = none, blocking_detail = none, terminal_outcome = none,
        last_transition_at = none, public_state = none, attempt_state = none, current_lease_id = none,
        current_worker_id = none, current_worker_instance_id = none, current_attempt_id = none,
        current_attempt_index = none, lease_acquired_at = none, lease_expires_at = none, started_at = none,
    }
end

local lent = room_for_record()

function core.borrow(tag, e)
    if not read_into then return core.load(tag, e) end
    local c = read_into(keys.execution_head(tag), lent, e, ":core")
    return c and c.lifecycle_phase and c or nil
end

function core.keep(c)
    if c == lent then lent = room_for_record() end
end

local function require_live(c)
    if not c or is_set(c.purging) then refuse("execution_not_found") end
    return c
end

-- Whether a lease has run out. While the host holds leases, only those have that ran out before.
function core.lease_is_over(now, expires_at)
    return expires_at <= now and (not lease_time or expires_at <= (lease_time() or now))
end

-- Chapter 02 section 7.1.
function core.require(tag, e)
    return require_live(core.load(tag, e))
end

function core.require_borrowed(tag, e)
    return require_live(core.borrow(tag, e))
end

-- Section 9: tells a caller whether it was its own earlier call that ended the lease.
function core.refuse_not_active(c)
    refuse(
        "execution_not_active", c.terminal_outcome or "", c.current_lease_epoch or "0",
        c.lifecycle_phase or "", c.current_attempt_id or "", c.last_release_op or "",
        c.last_release_lease_id or "", c.delay_until or "")
end

-- Collects the change of this core in the unit; returns the fields to set: `fields`, if given. `c` is
-- the core as loaded. `room`: see change.core.
function core.change(u, e, c, fields, room)
    return change.core(u, e, c, fields, room)
end

return core
