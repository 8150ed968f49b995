-- @function ff_reconcile_execution_index
-- @keys exec_core [older...]
-- @argv execution_id [mode]
-- @reply {1,"OK",word,n,namespace,created_at,name...}
-- @refuses invalid_input
-- @repeat consistent, 0
-- word: consistent, repaired, differs (mode check), gone, purging. n counts every correction; the names
-- tell which index or field each was.
local MODES = {["repair"] = true, ["check"] = true}
local LANE_INDEXES = {
    "eligible", "delayed", "active", "terminal", "suspended", "blocked:dependencies", "blocked:budget",
    "blocked:quota", "blocked:route", "blocked:operator",
}
local TIME_INDEXES = {"lease_expiry", "attempt_timeout", "execution_deadline", "suspension_timeout"}
local GONE_FROM = {"lease_expiry", "attempt_timeout", "execution_deadline", "suspension_timeout", "retention_due"}
local NO_TIMEOUT = 9999999999999
-- Attempts above the stream guard that are looked at.
local STREAMS_MAX = 16

-- Notes a difference; in mode check nothing else happens.
local function note(r, name)
    r.names[#r.names + 1] = name
    return r.repairs
end

local function remove_from(r, name, key)
    if note(r, name) then unit.zrem(r.u, key, r.e) end
end

-- The record of an open suspension: {open, timeout_at}.
local function open_suspension(u, e)
    local record = call("HMGET", keys.suspension(u.tag, e), "suspension_id", "closed_at", "timeout_at")
    return is_set(record[1]) and not is_set(record[2]), tonumber(record[3] or "")
end

-- When a lease is offered for reclaim: at its end, or when it was revoked.
local function lease_score(c)
    return c.ownership_state == "lease_revoked" and tonumber(c.lease_revoked_at) or tonumber(c.lease_expires_at)
end

-- Lane index, its score, and whether a present score is kept; nil score for eligible.
local function expected_lane(u, e, c, timeout_at)
    local name = vector.lane_index(c)
    if name == "eligible" then return name, placement.score(c.priority, number_of(c.created_at)), false end
    if name == "delayed" then return name, number_of(c.delay_until), false end
    if name == "active" then return name, lease_score(c) or 0, false end
    if name == "terminal" then return name, number_of(c.completed_at), false end
    if name == "suspended" then return name, timeout_at or NO_TIMEOUT, false end
    if name == "blocked:dependencies" then return name, number_of(c.created_at), true end
    return name, u.now, true
end

local function expected_times(c, timeout_at)
    local live = c.lifecycle_phase ~= "terminal"
    local active = c.lifecycle_phase == "active"
    return {
        lease_expiry = active and lease_score(c) or nil,
        attempt_timeout = active and c.ownership_state == "leased" and tonumber(c.attempt_timeout_at) or nil,
        execution_deadline = live and tonumber(c.execution_deadline_at) or nil,
        suspension_timeout = c.lifecycle_phase == "suspended" and timeout_at or nil,
    }
end

local function check_lanes(r, c, timeout_at)
    local wanted, wanted_score, keeps = expected_lane(r.u, r.e, c, timeout_at)
    for _, name in ipairs(LANE_INDEXES) do
        local key = keys.lane(r.u.tag, c.lane_id, name)
        local score = call("ZSCORE", key, r.e)
        if name ~= wanted then
            if score then remove_from(r, name, key) end
        elseif not score or (not keeps and tonumber(score) ~= wanted_score) then
            if note(r, name) then
                if name == "eligible" then
                    placement.enter_eligible(r.u, r.e, c, core.change(r.u, r.e, c))
                else
                    unit.zadd(r.u, key, wanted_score, r.e)
                end
            end
        end
    end
    if wanted ~= "blocked:route" and not is_set(c.required_capabilities) then return end
    local queued = call("ZSCORE", route.queue(r.u.tag, c.lane_id, c.required_capabilities or ""), r.e)
    if wanted == "blocked:route" then
        if not queued and note(r, "route") then route.enter(r.u, r.e, c, core.change(r.u, r.e, c)) end
    elseif queued and note(r, "route") then
        route.leave(r.u, r.e, c)
    end
end

-- Once a lane has queues by kind, its work stands in that of its own, and nowhere else.
local function check_kinds(r, c)
    local kind, capabilities = c.execution_kind, c.required_capabilities or ""
    local complete = is_set(kind) and kind_queue.is_complete(r.u, c.lane_id)
    if not complete and not is_set(c.kind_queued) then return end
    local wanted, wanted_score = vector.lane_index(c), placement.score(c.priority, number_of(c.created_at))
    local score = call("ZSCORE", kind_queue.eligible(r.u.tag, c.lane_id, kind), r.e)
    if wanted == "eligible" and complete then
        if tonumber(score or "") ~= wanted_score and note(r, "kind") then
            kind_queue.enter_eligible(r.u, r.e, c, core.change(r.u, r.e, c), wanted_score)
        end
    elseif wanted ~= "eligible" and score and note(r, "kind") then
        kind_queue.drop(r.u, r.e, c.lane_id, nil, kind)
    end
    local queue = route.queue(r.u.tag, c.lane_id, route.with_kind(capabilities, kind))
    local queued = call("ZSCORE", queue, r.e)
    if wanted == "blocked:route" and complete then
        if not queued and note(r, "kind") then route.enter(r.u, r.e, c, core.change(r.u, r.e, c)) end
    elseif wanted ~= "blocked:route" and queued and note(r, "kind") then
        kind_queue.drop(r.u, r.e, c.lane_id, capabilities, kind)
    end
end

local function check_times(r, c, timeout_at)
    local wanted = expected_times(c, timeout_at)
    for _, name in ipairs(TIME_INDEXES) do
        local key = keys.index(r.u.tag, name)
        local score = tonumber(call("ZSCORE", key, r.e) or "")
        if not wanted[name] then
            if score then remove_from(r, name, key) end
        elseif score ~= wanted[name] and note(r, name) then
            unit.zadd(r.u, key, wanted[name], r.e)
        end
    end
    local key = keys.index(r.u.tag, "retention_due")
    local score = call("ZSCORE", key, r.e)
    if c.lifecycle_phase ~= "terminal" then
        if score then remove_from(r, "retention_due", key) end
    elseif is_set(c.retention_ms) and not score and note(r, "retention_due") then
        unit.zadd(r.u, key, number_of(c.completed_at) + number_of(c.retention_ms), r.e)
    end
end

local function check_sets(r, c)
    local all = keys.index(r.u.tag, "all_executions")
    if call("SISMEMBER", all, r.e) == 0 and note(r, "all_executions") then unit.sadd(r.u, all, r.e) end
    if not is_set(c.current_worker_instance_id) then return end
    local held = c.lifecycle_phase == "active" and c.ownership_state ~= "lease_revoked"
    local leases = keys.worker_leases(r.u.tag, c.current_worker_instance_id)
    local present = call("SISMEMBER", leases, r.e) == 1
    if held and not present and note(r, "worker_leases") then unit.sadd(r.u, leases, r.e) end
    if present and not held and note(r, "worker_leases") then unit.srem(r.u, leases, r.e) end
end

-- A field that must say what its key says.
local function check_field(r, c, name, value)
    if (c[name] or "") ~= value and note(r, name) then r.fields[name] = value end
end

local function flag_of(key)
    return call("EXISTS", key) == 1 and "1" or ""
end

local function check_guards(r, c)
    local tag, e = r.u.tag, r.e
    check_field(r, c, "public_state", vector.public_state(c))
    local length = text(call("STRLEN", keys.payload(tag, e)))
    if number_of(c.payload_len) ~= tonumber(length) then check_field(r, c, "payload_len", length) end
    check_field(r, c, "has_tags", flag_of(keys.tags(tag, e)))
    check_field(r, c, "has_result", flag_of(keys.result(tag, e)))
    if is_set(c.step_count) and call("EXISTS", keys.steps(tag, e)) == 0 then
        check_field(r, c, "step_count", "")
        check_field(r, c, "step_bytes", "")
    end
    check_field(r, c, "has_lease_history", flag_of(keys.lease_history(tag, e)))
    local grant_until = call("HGET", keys.claim_grant(tag, e), "grant_expires_at") or ""
    if math.max(number_of(grant_until), number_of(c.grant_until)) >= r.u.now then
        check_field(r, c, "grant_until", grant_until)
    end
    local total = number_of(c.total_attempt_count)
    local known = tonumber(c.stream_meta_max) or -1
    for index = total, math.max(known + 1, total - STREAMS_MAX), -1 do
        if call("EXISTS", keys.stream_meta(tag, e, index)) == 1 then
            check_field(r, c, "stream_meta_max", text(index))
            break
        end
    end
end

local function forget(u, e, repairs)
    local count = 0
    for _, name in ipairs(GONE_FROM) do
        local key = keys.index(u.tag, name)
        if call("ZSCORE", key, e) then
            count = count + 1
            if repairs then unit.zrem(u, key, e) end
        end
    end
    local all = keys.index(u.tag, "all_executions")
    if call("SISMEMBER", all, e) == 1 then
        count = count + 1
        if repairs then unit.srem(u, all, e) end
    end
    unit.commit(u)
    return {1, "OK", "gone", text(count), "", ""}
end

registry.add("ff_reconcile_execution_index", 1, 1, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local repairs = args.optional_word(argv, 2, "mode", MODES) ~= "check"
    local u = unit.open(tag)
    local c = core.load(tag, e)
    if not c then return forget(u, e, repairs) end
    if is_set(c.purging) then return {1, "OK", "purging", "0", c.namespace or "", c.created_at or ""} end
    local r = {u = u, e = e, repairs = repairs, names = {}, fields = {}}
    local timeout_at
    if c.lifecycle_phase == "suspended" then
        local open
        open, timeout_at = open_suspension(u, e)
        if not open then timeout_at = nil end
    end
    check_lanes(r, c, timeout_at)
    check_kinds(r, c)
    check_times(r, c, timeout_at)
    check_sets(r, c)
    check_guards(r, c)
    if next(r.fields) ~= nil then
        local set = core.change(u, e, c)
        for name, value in each(r.fields) do
            set[name] = value
        end
    end
    unit.commit(u)
    local word = #r.names == 0 and "consistent" or (repairs and "repaired" or "differs")
    return {1, "OK", word, text(#r.names), c.namespace or "", c.created_at or "", unpack(r.names)}
end)
