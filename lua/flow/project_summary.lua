-- @function ff_project_flow_summary
-- @keys flow_core [older...]
-- @argv flow_id [cursor]
-- @reply {1,"OK",state,cursor}
-- @refuses invalid_input
-- @repeat the same summary
local EXACT_MAX, PAGE = 2000, 1000
local IDLE_MS = 60000
local STATES = {
    "completed", "failed", "cancelled", "cancelled_benign", "expired", "skipped", "active", "suspended", "waiting",
    "delayed", "rate_limited", "waiting_children", "unknown",
}
local TERMINAL = {"completed", "failed", "cancelled", "cancelled_benign", "expired", "skipped", "unknown"}
local COUNTERS = {
    term_success = "completed", term_failed = "failed", term_cancelled = "cancelled", term_expired = "expired",
    term_skipped = "skipped", term_benign = "cancelled_benign",
}

local function empty_counts()
    local counts = {sampled = 0, leaf_bad = 0}
    for _, state in ipairs(STATES) do
        counts[state] = 0
    end
    return counts
end

local function state_of(stored)
    if stored.err or not stored[1] then return "unknown" end
    if stored[1] == "cancelled" and flow.is_benign(stored[2], stored[3]) then return "cancelled_benign" end
    return stored[1]
end

local function add(tag, flow_id, counts, members)
    for i = 1, #members do
        local e = members[i]
        local stored = try("HMGET", keys.core(tag, e), "public_state", "terminal_outcome", "cancellation_reason")
        local state = state_of(stored)
        counts[state] = (counts[state] or 0) + 1
        counts.sampled = counts.sampled + 1
        if (state == "failed" or state == "cancelled" or state == "expired" or state == "skipped")
            and call("EXISTS", keys.flow(tag, flow_id, "out:" .. e)) == 0 then
            counts.leaf_bad = counts.leaf_bad + 1
        end
    end
end

-- The core's counters follow what was counted; those of members that are gone keep what they had.
local function correct(u, flow_id, f, counts)
    local fields, has_gone = {}, counts.unknown > 0
    local function compare(name, counted)
        local stored = number_of(f[name])
        if stored < counted or (stored > counted and not has_gone) then
            fields[name], f[name] = counted, text(counted)
        end
    end
    for name, state in each(COUNTERS) do
        compare(name, counts[state])
    end
    compare("term_leaf_bad", counts.leaf_bad)
    if next(fields) ~= nil then flow_core.set(u, flow_id, fields) end
end

local function is_ended(counts, total)
    local ended = 0
    for _, state in ipairs(TERMINAL) do
        ended = ended + counts[state]
    end
    return ended >= total
end

local function summary_state(f, counts, ended)
    if f.public_flow_state ~= "open" then return f.public_flow_state end
    if ended and counts.sampled > 0 then return flow.final_state(f) end
    if counts.active > 0 then return "running" end
    if counts.suspended + counts.delayed + counts.rate_limited + counts.waiting_children > 0 then return "blocked" end
    return "open"
end

-- A flow in which nothing will happen any more leaves the projector's index for that of retention.
local function retire(u, flow_id, f)
    local idle_since = number_of(call("HGET", keys.flow(u.tag, flow_id, "core"), "last_mutation_at"))
    if f.public_flow_state == "open" and u.now - idle_since < IDLE_MS then return end
    if call("EXISTS", keys.flow(u.tag, flow_id, "pending_cancels")) == 1 then return end
    unit.srem(u, keys.index(u.tag, "flow_index"), flow_id)
    local due = keys.index(u.tag, "terminal_flows")
    if not call("ZSCORE", due, flow_id) then unit.zadd(u, due, u.now, flow_id) end
end

local function publish(u, flow_id, f, counts, total, exact)
    if exact then
        correct(u, flow_id, f, counts)
        f.public_flow_state = flow.finish_if_done(u, flow_id, f)
    end
    local ended = is_ended(counts, total)
    local fields = {
        total_members = total, sampled_members = counts.sampled, exact = exact and 1 or 0,
        last_summary_update_at = u.now, public_flow_state = summary_state(f, counts, ended),
    }
    for _, state in ipairs(STATES) do
        fields["members_" .. state] = counts[state]
    end
    unit.hset(u, keys.flow(u.tag, flow_id, "summary"), fields)
    if ended then retire(u, flow_id, f) end
    return fields.public_flow_state
end

local function load_progress(key, counts)
    for name in each(counts) do
        counts[name] = number_of(call("HGET", key, "wip_" .. name))
    end
end

local function save_progress(u, key, counts)
    local fields = {}
    for name, count in each(counts) do
        fields["wip_" .. name] = count
    end
    unit.hset(u, key, fields)
end

local function forget_progress(u, key, counts)
    local names = {}
    for name in each(counts) do
        names[#names + 1] = "wip_" .. name
    end
    unit.many(u, {"HDEL", key}, names)
end

-- One page of a large flow; its summary appears with the last.
local function project_page(u, flow_id, f, total, cursor)
    local counts, key = empty_counts(), keys.flow(u.tag, flow_id, "summary")
    if cursor ~= "0" then load_progress(key, counts) end
    local page = call("SSCAN", keys.flow(u.tag, flow_id, "members"), cursor, "COUNT", PAGE)
    add(u.tag, flow_id, counts, page[2])
    if page[1] ~= "0" then
        save_progress(u, key, counts)
        return call("HGET", key, "public_flow_state") or f.public_flow_state, page[1]
    end
    forget_progress(u, key, counts)
    return publish(u, flow_id, f, counts, total, false), "0"
end

registry.add("ff_project_flow_summary", 1, 1, function(given, argv)
    local tag, flow_id = flow.of(given, argv, 1)
    local cursor = text(args.optional_integer(argv, 2, "cursor", 0) or 0)
    local u = unit.open(tag)
    local f = flow.load(tag, flow_id)
    if not f then
        call("SREM", keys.index(tag, "flow_index"), flow_id)
        return {1, "OK", "not_found", "0"}
    end
    local members = keys.flow(tag, flow_id, "members")
    local total = call("SCARD", members)
    local state
    if total <= EXACT_MAX then
        local counts = empty_counts()
        add(tag, flow_id, counts, call("SMEMBERS", members))
        state, cursor = publish(u, flow_id, f, counts, total, true), "0"
    else
        state, cursor = project_page(u, flow_id, f, total, cursor)
    end
    unit.commit(u)
    return {1, "OK", state, cursor}
end)
