-- Resolving one inbound edge of a child (chapter 05 sections 5.4.4 to 5.4.6). Callers commit the records
-- of one edge before they resolve the next: groups decided earlier in a call count for later ones.
local dependency = {}

dependency.KINDS = {success_only = true, always = true}
dependency.OUTCOMES = {success = true, failed = true, cancelled = true, expired = true, skipped = true}
dependency.REF_MAX = 256

local FIELDS = {"state", "dependency_kind", "data_passing_ref", "min_upstream_replay", "upstream_execution_id", "flow_id"}

-- Tag and id of the execution whose core is KEYS[1], where no argument names it.
function dependency.child_of(given)
    local tag = args.tag(given[1])
    local e = string.match(given[1], "^ff:exec:{[^}]*}:(.+):core$")
    if not e or given[1] ~= keys.core(tag, e) then args.refuse("KEYS[1]", "not the core of an execution") end
    return tag, e
end

-- nil when the edge was never applied to the child.
function dependency.load(tag, child, edge_id)
    local stored = call("HMGET", keys.dep(tag, child, edge_id), unpack(FIELDS))
    if not stored[1] then return nil end
    return {
        state = stored[1], kind = stored[2], ref = stored[3] or "", min_replay = number_of(stored[4]),
        upstream = stored[5] or "", flow_id = stored[6] or "",
    }
end

-- The name of an `input:<name>` reference, or nil; false when it is malformed.
function dependency.input_name(ref)
    local name = string.match(ref, "^input:(.*)$")
    if not name then return nil end
    return #name <= 64 and string.find(name, "^[%w_.-]+$") and name or false
end

-- Whether the edge is satisfied, and the counter of its group that it adds to.
function dependency.vote(kind, outcome)
    if kind == "always" or outcome == "success" then return true, "succeeded" end
    return false, outcome == "skipped" and "skipped" or "failed"
end

-- Section 5.4.6; the caller knows that the child is live. Answers whether anything was copied, and the
-- new length of the payload if that was replaced.
function dependency.pass_data(u, child, edge_id, dep)
    if dep.ref == "" then return false end
    local name = dependency.input_name(dep.ref)
    local to = name and keys.input(u.tag, child, name) or keys.payload(u.tag, child)
    if call("COPY", keys.result(u.tag, dep.upstream), to, "REPLACE") ~= 1 then return false end
    call("PERSIST", to)
    if not name then return true, call("STRLEN", to) end
    unit.hset(u, keys.inputs(u.tag, child), {[name] = edge_id .. "|" .. dep.upstream})
    return true
end

-- Ends a child whose dependencies cannot be met. In a cancelled flow it is cancelled, never skipped.
local function end_child(u, r, c, dep)
    local flow_key = keys.flow(u.tag, dep.flow_id, "core")
    local mode = flow_core.get(flow_key, "cancel_mode")
    if mode and mode ~= "flow_only" then
        cancellation.run(u, r.child, c, call("HGET", flow_key, "cancel_reason") or "", "operator_override")
        return
    end
    local root
    if r.outcome == "skipped" then root = call("HGET", keys.core(u.tag, dep.upstream), "skip_root_execution_id") end
    finish.skip(u, r.child, c, core.change(u, r.child, c), {
        execution_id = dep.upstream, edge_id = r.edge, root = is_set(root) and root or dep.upstream,
    })
    r.skipped = true
end

local function is_waiting(c)
    return c.lifecycle_phase == "runnable" and c.ownership_state == "unowned"
        and c.eligibility_state == "blocked_by_dependencies"
end

-- The gate of the child has opened: it goes where placement says. `set` are the fields of its core.
function dependency.release(u, child, c, set)
    -- It waits for called children too, who find the gate open when they have ended.
    if is_set(c.calls_open) then return "waiting_children" end
    placement.leave(u, child, c)
    return placement.place(u, child, c, set, {
        gate = "open",
        attempt_state = (c.attempt_state or "none") == "none" and "pending_first_attempt" or nil,
        delay_reason = c.attempt_state == "pending_retry_attempt" and "waiting_for_retry_backoff" or nil,
    })
end

local function record(u, r, dep, satisfied, meta, group, bucket)
    local tag = u.tag
    unit.hset(u, keys.dep(tag, r.child, r.edge), {
        state = satisfied and "satisfied" or "impossible", last_resolved_at = u.now, upstream_outcome = r.outcome,
        upstream_replay_count = r.replay_count or "",
    })
    local edge_key = keys.flow(tag, dep.flow_id, "edge:" .. r.edge)
    if r.edge_exists or (r.edge_exists == nil and call("EXISTS", edge_key) == 1) then
        unit.hset(u, edge_key, {edge_state = satisfied and "satisfied" or "impossible"})
    end
    -- Gathered, as the SADD of an edge that is applied in the same call: they must keep their order.
    unit.srem(u, keys.deps_unresolved(tag, r.child), r.edge)
    local fields = {
        unsatisfied_required_count = math.max(0, number_of(meta[1]) - 1), last_dependency_update_at = u.now,
    }
    if not satisfied then fields.impossible_required_count = number_of(meta[2]) + 1 end
    unit.hset(u, keys.deps_meta(tag, r.child), fields)
    local group_fields = {}
    if not group.implied then
        group_fields[bucket] = group[bucket]
        unit.hset(u, edge_group.key(tag, dep.flow_id, r.child), group_fields)
    end
    return fields, group_fields
end

-- What the group's decision does to the child; `meta` and `fields` are those of record. Returns the effect.
local function decide(u, r, dep, group, state, c, set, meta, fields)
    meta.gate = state == "satisfied" and "open" or "impossible"
    fields.group_state = state
    if state == "satisfied" then fields.satisfied_at = u.now end
    flow.event(u, dep.flow_id, "group_" .. state, {"execution_id", r.child, "edge_id", r.edge})
    if c and c.lifecycle_phase ~= "terminal" then
        if state == "impossible" then
            end_child(u, r, c, dep)
        elseif is_waiting(c) then
            r.placed = dependency.release(u, r.child, c, set or core.change(u, r.child, c))
        end
    end
    if edge_group.cancels(group) then
        sibling.flag(u, dep.flow_id, r.child, r.edge, state, fields)
        r.flagged = true
    end
    return r.skipped and "child_skipped" or ""
end

local function word_of(group, state, was_fired, satisfied)
    if group.variant == "all_of" then return satisfied and "satisfied" or "impossible" end
    return was_fired and "already_fired" or state
end

-- `r`: child, edge, outcome; verified (the outcome was read from the upstream's core) with its
-- replay_count; edge_exists (nil = not known); defers (leave a group that cancels the rest undecided).
-- Sets r.placed, r.skipped and r.flagged. Returns the result word of section 5.6 and its effect.
function dependency.resolve(u, r)
    local dep = dependency.load(u.tag, r.child, r.edge)
    if not dep then return "invalid_dependency" end
    if dep.state ~= "unsatisfied" then return "already_resolved" end
    if r.verified and number_of(r.replay_count) < dep.min_replay then return "stale_upstream" end
    local meta = call("HMGET", keys.deps_meta(u.tag, r.child), "unsatisfied_required_count", "impossible_required_count")
    local group = edge_group.load(u.tag, dep.flow_id, r.child) or edge_group.implied(u.tag, r.child, meta)
    if r.defers and edge_group.cancels(group) then return "deferred" end
    local satisfied, bucket = dependency.vote(dep.kind, r.outcome)
    local was_fired = group.state ~= "pending"
    group[bucket] = group[bucket] + 1
    if group.succeeded + group.failed + group.skipped > group.n then return "invariant_violation" end
    local state = was_fired and group.state or edge_group.evaluate(group)
    local fires = not was_fired and state ~= "pending"
    local passes = satisfied and not was_fired and dep.ref ~= ""
    local c = (fires or passes) and core.load(u.tag, r.child) or nil
    local meta_fields, group_fields = record(u, r, dep, satisfied, meta, group, bucket)
    local effect, set = "", nil
    if passes and c and c.lifecycle_phase ~= "terminal" then
        local copied, length = dependency.pass_data(u, r.child, r.edge, dep)
        if copied then effect = "data_injected" end
        if length then
            set = core.change(u, r.child, c)
            set.payload_len = length
        end
    end
    if fires then
        local done = decide(u, r, dep, group, state, c, set, meta_fields, group_fields)
        if done ~= "" then effect = done end
    end
    return word_of(group, state, was_fired, satisfied), effect
end

return dependency
