-- Children that an execution calls from inside a lease, and waits for (chapter 02 section 7.15). The hash of a parent
-- holds `o:<n>`, the name of the n-th in the order of the calls, `c:<name>`, its id, and `e:<name>`, how it ended and the
-- size of its result; a set beside it holds those that it waits for. The core says whether there are any.
local calls = {}

calls.PER_CALL_MAX = 256
calls.CONTINUE = "continue"
local COUNT_MAX = 10000
-- Below one execution that nobody called: cancelling it cancels all of them in one call.
local LIVE_MAX = 1024
local OVERHEAD_BYTES = 128
local REASON_MAX = 4096
local NONE = {}

-- The same parent, run and name give the same child.
local function id_of(tag, e, c, name)
    local digits = redis.sha1hex(e .. ":" .. (c.call_run or "") .. ":" .. name)
    return tag .. ":" .. string.sub(digits, 1, 8) .. "-" .. string.sub(digits, 9, 12) .. "-5" .. string.sub(digits, 14, 16)
        .. "-a" .. string.sub(digits, 18, 20) .. "-" .. string.sub(digits, 21, 32)
end

-- The arguments of a creation, as creation.read takes them.
local function creation_of(u, e, c, id, child)
    local a = creation.read({
        id, c.namespace or "", child.lane_id, child.kind, child.priority, e, child.policy_json, child.payload, "", "",
        child.tags_json, "", "", child.payload_encoding, "", "",
    }, 1, u.now, {})
    a.called_by, a.called_as = e, child.name
    a.call_root = is_set(c.call_root) and c.call_root or e
    return a
end

local function check_limits(u, e, c, fresh)
    local count = number_of(c.called_count) + fresh
    if count > COUNT_MAX then refuse("call_limit_exceeded", "children_per_execution", text(COUNT_MAX)) end
    local live = c.called_live
    if is_set(c.call_root) then live = call("HGET", keys.core(u.tag, c.call_root), "called_live") end
    if number_of(live) + fresh > LIVE_MAX then refuse("call_limit_exceeded", "live_children", text(LIVE_MAX)) end
end

-- What calling these children would do; refuses if one of them cannot be created. `list`: name, kind, lane_id, payload,
-- payload_encoding, policy_json, tags_json and priority of each.
function calls.plan(u, e, c, list)
    local plan = {fresh = {}, pending = {}, answers = {}}
    local fields = {}
    for i = 1, #list do
        fields[2 * i - 1], fields[2 * i] = "c:" .. list[i].name, "e:" .. list[i].name
    end
    local known = is_set(c.called_count) and call("HMGET", keys.children(u.tag, e), unpack(fields)) or NONE
    for i, child in ipairs(list) do
        local id = known[2 * i - 1] or id_of(u.tag, e, c, child.name)
        plan.answers[2 * i - 1], plan.answers[2 * i] = child.name, id
        if not known[2 * i - 1] then
            local a = creation_of(u, e, c, id, child)
            if not creation.check(u, a) then args.refuse("call_name", "names an execution of somebody else") end
            plan.fresh[#plan.fresh + 1] = a
        end
        if not known[2 * i] then plan.pending[#plan.pending + 1] = id end
    end
    check_limits(u, e, c, #plan.fresh)
    return plan
end

-- Creates what the plan has and notes it at the parent, whose fields are `set`.
function calls.write(u, e, c, set, plan)
    local values, count, fresh = {}, number_of(c.called_count), plan.fresh
    for i = 1, #fresh do
        local a, size = fresh[i], #values
        creation.write(u, a)
        values[size + 1], values[size + 2] = "o:" .. text(count + i - 1), a.called_as
        values[size + 3], values[size + 4] = "c:" .. a.called_as, a.execution_id
    end
    if values[1] then unit.many(u, {"HSET", keys.children(u.tag, e)}, values) end
    if plan.pending[1] then unit.many(u, {"SADD", keys.children_pending(u.tag, e)}, plan.pending) end
    set.called_count = count + #fresh
    if not is_set(c.call_root) then
        set.called_live = number_of(c.called_live) + #fresh
    elseif fresh[1] then
        unit.record(u, {"HINCRBY", keys.core(u.tag, c.call_root), "called_live", #fresh})
    end
end

-- The parent goes on with the attempt that called: all it waited for has ended.
local function come_back(u, e, c, set)
    set.calls_open = ""
    placement.leave(u, e, c)
    placement.place(u, e, c, set, {
        attempt_state = "attempt_interrupted", delay_until = 0, gate = flow.edge_gate(u.tag, e, c),
    })
end

local function fail(u, e, c, set, name, why)
    local reason = args.cut("child " .. name .. " " .. why, REASON_MAX)
    set.failure_reason, set.failure_category = reason, "child_failed"
    finish.run(u, e, c, set, {
        outcome = "failed", release_reason = "failed_terminal", attempt = "ended_failure",
        attempt_fields = {failure_reason = reason, failure_category = "child_failed"},
        closed_reason = "attempt_failure", reason = reason,
    })
end

local function why_of(outcome, reason)
    return is_set(reason) and outcome .. ": " .. reason or outcome
end

-- Notes at the parent how a child ended; `waited`: the parent may have waited for it.
local function note_at_parent(u, e, c, outcome, reason, waited)
    local tag, parent, name = u.tag, c.called_by, c.called_as
    local p = core.load(tag, parent)
    if not p or is_set(p.purging) then return end
    -- A parent that was replayed has forgotten this child.
    if call("HGET", keys.children(tag, parent), "c:" .. name) ~= e then return end
    local size = outcome == "success" and call("STRLEN", keys.result(tag, e)) or 0
    call("HSET", keys.children(tag, parent), "e:" .. name, outcome .. " " .. text(size))
    local set = core.change(u, parent, p)
    set.called_bytes = number_of(p.called_bytes) + size + OVERHEAD_BYTES
    if waited and is_set(p.calls_open) then
        if outcome ~= "success" and p.on_child_failure ~= calls.CONTINUE then
            fail(u, parent, p, set, name, why_of(outcome, reason))
        elseif call("SCARD", keys.children_pending(tag, parent)) == 1 then
            come_back(u, parent, p, set)
        end
    end
    -- The end of the next child in this call must meet what was done here.
    unit.commit_records(u)
end

-- A called child has ended; `c` is its core before. One that was replayed is noted, and nobody waits for it any more.
-- It stays pending until all of this is done, so that calls.catch_up finds what was cut short.
local function note_end(u, e, c, outcome, reason)
    local pending = keys.children_pending(u.tag, c.called_by)
    local waited = call("SISMEMBER", pending, e) == 1
    note_at_parent(u, e, c, outcome, reason, waited)
    if not waited then return end
    call("SREM", pending, e)
    if call("EXISTS", keys.core(u.tag, c.call_root)) == 1 then
        call("HINCRBY", keys.core(u.tag, c.call_root), "called_live", -1)
    end
end

-- Tells a parent that waits of children whose end was cut short before it was told: at most so many. Returns how many.
function calls.catch_up(u, parent, p, most)
    local told = 0
    -- As an earlier library left it, which took the child out first.
    if call("EXISTS", keys.children_pending(u.tag, parent)) == 0 then
        come_back(u, parent, p, core.change(u, parent, p))
        unit.commit_records(u)
        return 1
    end
    for _, child in ipairs(call("SMEMBERS", keys.children_pending(u.tag, parent))) do
        local c = told < most and core.load(u.tag, child)
        if c and c.lifecycle_phase == "terminal" then
            note_end(u, child, c, c.terminal_outcome, is_set(c.failure_reason) and c.failure_reason or c.cancellation_reason)
            told = told + 1
        end
    end
    return told
end

-- On its own, as in lib/finish.lua: a function that makes another is never compiled.
function calls.tell_parent(u, e, c, set, outcome)
    unit.after(u, function()
        note_end(u, e, c, outcome, set.failure_reason or set.cancellation_reason)
    end)
end

-- A parent has ended while it waited: nobody wants its children any more.
function calls.cancel_children(u, e)
    unit.after(u, function()
        for _, child in ipairs(call("SMEMBERS", keys.children_pending(u.tag, e))) do
            local c = core.load(u.tag, child)
            if c and c.lifecycle_phase ~= "terminal" then
                cancellation.run(u, child, c, "the execution that called it has ended", "parent_ended")
                unit.commit_records(u)
            else
                call("SREM", keys.children_pending(u.tag, e), child)
            end
        end
    end)
end

-- How the child of that name stands: {name,id,outcome,result,result_encoding,reason,category}; `with_result` false
-- leaves the result out.
local function standing(tag, key, name)
    local told = call("HMGET", key, "c:" .. name, "e:" .. name)
    local outcome = told[2] and string.match(told[2], "^%a+") or ""
    local c = call("HMGET", keys.core(tag, told[1] or ""), "result_encoding", "failure_reason", "failure_category",
        "cancellation_reason")
    local result = outcome == "success" and call("GET", keys.result(tag, told[1])) or ""
    local reason = is_set(c[2]) and c[2] or c[4]
    return {name, told[1] or "", outcome, result or "", c[1] or "", reason or "", c[3] or ""}
end

-- Children from the n-th on, at most `limit`; after the first as many as fit into `bytes`.
function calls.from(tag, e, first, limit, bytes)
    local key, found = keys.children(tag, e), {}
    for i = 1, limit do
        local name = call("HGET", key, "o:" .. text(first + i - 1))
        if not name then break end
        local one = standing(tag, key, name)
        bytes = bytes - #one[4] - OVERHEAD_BYTES
        if bytes < 0 and i > 1 then break end
        found[i] = one
    end
    return found
end

-- A new run begins without those of the one before.
function calls.drop(u, e, c, set)
    if not is_set(c.called_count) then return end
    unit.record(u, {"DEL", keys.children(u.tag, e)})
    unit.record(u, {"DEL", keys.children_pending(u.tag, e)})
    set.called_count, set.called_bytes = "", ""
    set.call_run = number_of(c.replay_count) + 1
end

return calls
