-- One batch claim (chapter 06 section 12.1): candidates are looked at in order until enough are taken.
-- Nothing is written before the end, except that expired leases are marked first.
local claim_round = {}

-- Stands for every list and set that most claims leave empty; `own` makes one of those of the round.
local NONE = {}

local function own(r, name)
    if r[name] == NONE then r[name] = {} end
    return r[name]
end

-- One table for all rounds, as for their requests; `used` and `total` are the space for payloads.
local round = {}

local function open(u, q)
    local r = round
    r.u, r.q, r.claimed, r.count, r.seen, r.walk = u, q, {}, 0, {}, false
    r.deferred, r.not_claimed, r.kept, r.gates, r.waiting = NONE, NONE, NONE, NONE, NONE
    r.used, r.total, r.examined, r.moved, r.removed = false, q.payload_bytes, 0, 0, 0
    r.looked_at_lost, r.leaves_lost = false, false
    return r
end

local function is_full(r)
    return r.count >= r.q.max_tasks
end

-- Counts a core that was read; nil if it is on its way out.
local function examine(r, c)
    r.examined = r.examined + 1
    if c and is_set(c.purging) then return nil end
    return c
end

-- The flow's gate, read once per flow and kind of claim.
local function gate_allows(r, c, continues)
    if not is_set(c.flow_id) then return true end
    local name = c.flow_id .. (continues and "+" or "-")
    local gates = own(r, "gates")
    if gates[name] == nil then gates[name] = flow.claim_allowed(r.u.tag, c, continues) end
    return gates[name]
end

local function may_run(r, c)
    return (r.q.namespace == "" or r.q.namespace == c.namespace) and number_of(c.grant_until) < r.u.now
end

-- Runnable work that nobody owns, as every legal vector says; a broken one is left to the reconciler.
local function is_sound(c)
    return c.ownership_state == "unowned" and c.attempt_state ~= "running_attempt"
        and (c.attempt_state ~= "attempt_interrupted" or is_set(c.current_attempt_id))
end

local function take(r, e, c, how, quota_ids)
    local q, at = r.q, r.count + 1
    q.lease_id, q.attempt_id = claim_request.ids(q, at)
    q.admitted_quota_ids = is_set(quota_ids) and quota_ids or false
    local lease = how(r.u, e, c, q)
    r.count = at
    r.claimed[at] = claim_record.of(r.u, e, c, lease, r, at)
    change.settle(r.u)
end

-- Takes runnable work: a new attempt, or the one that was interrupted.
local function take_runnable(r, e, c, quota_ids)
    local how = c.attempt_state == "attempt_interrupted" and claim.resume or claim.fresh
    take(r, e, c, how, quota_ids)
    if c.eligibility_state == "eligible_now" then r.removed = r.removed + 1 end
end

-- Lost leases ------------------------------------------------------------------------------------

-- An expired lease nobody has marked yet is marked, whoever finds it. Answers whether it was.
local function mark(r, e, c)
    if c.ownership_state ~= "leased" then return false end
    if not core.lease_is_over(r.u.now, number_of(c.lease_expires_at)) then
        unit.zadd(r.u, keys.index(r.u.tag, "lease_expiry"), number_of(c.lease_expires_at), e)
        unit.zadd(r.u, keys.lane(r.u.tag, c.lane_id, "active"), number_of(c.lease_expires_at), e)
        return false
    end
    lease.mark_expired(r.u, e, c)
    return true
end

local function may_take_over(r, c)
    return claim_request.fits(r.q, c) and may_run(r, c) and gate_allows(r, c, true)
        and not capabilities.missing(c.required_capabilities, r.q.capabilities)
end

-- Candidates this worker may take over; at most as many as are still wanted.
local function find_lost(r)
    local found, marked = {}, false
    local wanted = r.q.max_tasks - r.count
    for _, e in ipairs(claim_sources.lost(r.u, r.q)) do
        if #found == wanted then
            r.leaves_lost = true
            break
        end
        local c = examine(r, core.load(r.u.tag, e))
        if not c or c.lifecycle_phase ~= "active" then
            unit.zrem(r.u, keys.index(r.u.tag, "lease_expiry"), e)
            unit.zrem(r.u, keys.lane(r.u.tag, r.q.lane, "active"), e)
        elseif c.lane_id == r.q.lane then
            local is_marked = mark(r, e, c)
            marked = marked or is_marked
            if (is_marked or claim.is_reclaimable(c)) and may_take_over(r, c) then
                found[#found + 1] = {e = e, core = not is_marked and c}
            end
        end
    end
    -- The claims that follow touch the same records: what was marked must stand before them.
    if marked then unit.commit(r.u) end
    return found
end

local function take_lost(r)
    r.looked_at_lost = true
    for _, lost in ipairs(find_lost(r)) do
        local e = lost.e
        local c = lost.core or core.load(r.u.tag, e)
        r.seen[e] = true
        if number_of(c.lease_reclaim_count) >= claim.reclaim_cap(r.u.tag, e) then
            claim.give_up(r.u, e, c)
        else
            take(r, e, c, claim.reclaim)
        end
    end
end

-- Admitted ids -----------------------------------------------------------------------------------

-- Why an admitted execution cannot be claimed; nil if it can.
local function refusal_of(r, e, c)
    if not c then return "execution_not_found" end
    local epoch = r.q.epochs[e]
    if epoch and epoch ~= number_of(c.admission_epoch) + 1 then return "stale_admission" end
    local is_open = c.lifecycle_phase == "runnable" and c.lane_id == r.q.lane
        and (c.eligibility_state == "eligible_now" or c.eligibility_state == "blocked_by_route")
    if not is_open or not is_sound(c) or not claim_request.fits(r.q, c) or (r.q.namespace ~= "" and r.q.namespace ~= c.namespace)
        or not gate_allows(r, c, c.attempt_state == "attempt_interrupted") then
        return "execution_not_eligible"
    end
    if number_of(c.grant_until) >= r.u.now then return "grant_already_exists" end
    if capabilities.missing(c.required_capabilities, r.q.capabilities) then return "capability_mismatch" end
end

local function block_for_route(r, e, c, missing)
    core.keep(c)
    blocking.block(r.u, e, c, "waiting_for_capable_worker", "missing capabilities: " .. missing, "")
    r.moved = r.moved + 1
    r.removed = r.removed + 1
end

local function take_admitted(r)
    for _, e in ipairs(r.q.admitted) do
        local code
        if is_full(r) then
            code = "not_reached"
        else
            local c = examine(r, core.load(r.u.tag, e))
            code = refusal_of(r, e, c)
            r.seen[e] = not code or code == "capability_mismatch"
            if code == "capability_mismatch" and c.eligibility_state == "eligible_now" then
                block_for_route(r, e, c, capabilities.missing(c.required_capabilities, r.q.capabilities))
            elseif not code then
                take_runnable(r, e, c, r.q.admitted_quotas[e])
            end
        end
        if code then
            local not_claimed = own(r, "not_claimed")
            not_claimed[#not_claimed + 1] = {e, code}
        end
    end
end

-- Eligible and routed work -----------------------------------------------------------------------

-- The index entry lies: drops it. `kind`: of a queue by kind.
local function drop(r, e, required, kind)
    if kind then
        kind_queue.drop(r.u, e, r.q.lane, required, kind)
    elseif required then
        unit.zrem(r.u, keys.lane(r.u.tag, r.q.lane, "blocked:route"), e)
        route.leave(r.u, e, {lane_id = r.q.lane, required_capabilities = required})
    else
        unit.zrem(r.u, keys.lane(r.u.tag, r.q.lane, "eligible"), e)
        r.removed = r.removed + 1
    end
end

local function defer(r, e, c)
    local deferred = own(r, "deferred")
    if #deferred >= 2 * r.q.max_tasks then return end
    deferred[#deferred + 1] = {
        e, c.namespace or "", c.flow_id or "", c.budget_ids or "", c.quota_policy_id or "",
        text(number_of(c.priority)), text(number_of(c.admission_epoch) + 1),
    }
end

-- Looks at one candidate. Answers whether it stays in the eligible index.
local function consider(r, e, required, kind)
    local q = r.q
    local c = examine(r, core.borrow(r.u.tag, e))
    local expected = required and "blocked_by_route" or "eligible_now"
    if not c or c.lifecycle_phase ~= "runnable" or c.eligibility_state ~= expected or c.lane_id ~= q.lane
        or (kind and c.execution_kind ~= kind) then
        drop(r, e, required, kind)
        return false
    end
    if not may_run(r, c) or not is_sound(c)
        or not gate_allows(r, c, c.attempt_state == "attempt_interrupted") then
        return c
    end
    local missing = capabilities.missing(c.required_capabilities, q.capabilities)
    if missing then
        if not required then block_for_route(r, e, c, missing) end
        return false
    elseif q.defers and claim_request.gates(q, c) then
        defer(r, e, c)
        return c
    elseif q.over_share[c.namespace or ""] and number_of(c.priority) < q.fair_floor then
        core.keep(c)
        local kept = own(r, "kept")
        kept[#kept + 1] = {e = e, core = c, required = required}
        return false
    end
    take_runnable(r, e, c)
    return false
end

local function take_waiting(r)
    local sources = r.q.kinds and kind_sources or claim_sources
    local walk = sources.open(r.u, r.q)
    r.walk = walk
    while not is_full(r) do
        local e, required, kind = sources.next(walk, r.moved)
        if not e then break end
        if not r.seen[e] then
            r.seen[e] = true
            local stays = consider(r, e, required, kind)
            if stays and not required then own(r, "waiting")[stays.namespace or ""] = true end
        end
    end
    for _, kept in ipairs(r.kept) do
        if not is_full(r) then
            take_runnable(r, kept.e, kept.core)
        elseif not kept.required then
            own(r, "waiting")[kept.core.namespace or ""] = true
        end
    end
end

-- Afterwards -------------------------------------------------------------------------------------

-- Arms the lane: whoever adds work from now on tells the server. Only after all was looked at.
local function arm(r, is_drained)
    local q = r.q
    if q.arm_wake_ms == 0 or not r.looked_at_lost or r.leaves_lost or (is_full(r) and not is_drained) then
        return "0"
    end
    wake.arm(r.u, q.lane, q.kinds, r.u.now + q.arm_wake_ms)
    return "1"
end

-- What is left of the work asked for, and whether the whole eligible index was looked at.
local function remainder(r)
    if not r.walk then return 0, false end
    if r.q.kinds then return kind_sources.left(r.u, r.q), false end
    return claim_sources.left(r.walk, r.removed), claim_sources.is_exhausted(r.walk)
end

function claim_round.run(u, q)
    local recalled = claim_record.recall(u, q)
    if recalled then return {1, "DUPLICATE", recalled, {}, {}, {"0", "0", "0", "0", ""}} end
    -- Until the lane's work is sorted by kind nobody knows what comes first: none of it is taken.
    local is_sorted = not q.kinds or kind_queue.build(u, q.lane)
    local r = open(u, q)
    if q.lost_first then take_lost(r) end
    take_admitted(r)
    if is_sorted and not is_full(r) then take_waiting(r) end
    if not q.lost_first and not is_full(r) then take_lost(r) end
    unit.commit(u)
    local left, is_examined = remainder(r)
    local namespaces = claim_hint.namespaces(u, q, r.waiting, r.removed, is_examined, left)
    local armed = is_sorted and arm(r, r.walk and left == 0) or "0"
    if r.claimed[1] and q.request_id ~= "" then claim_record.remember(u, q, r.claimed) end
    local counts = {text(r.examined), text(r.moved), text(left), armed, namespaces}
    if q.kinds then counts[6] = is_sorted and "0" or "1" end
    local reply = {1, "OK", r.claimed, r.deferred, r.not_claimed, counts}
    -- What may be large is not kept until the next claim.
    r.u, r.claimed, r.seen, r.walk, r.kept, q.argv = false, false, false, false, false, false
    return reply
end

return claim_round
