-- @function ff_submit_flow
-- @keys flow_core [older...]
-- @argv flow_id mode mutation_id plan expected_graph_revision [payload]...
-- @reply {1,"OK",flow_id,graph_revision,node_count,edge_count,eligible_now_count}
-- @reply {1,"ALREADY_SATISFIED",flow_id,graph_revision,node_count,edge_count,eligible_now_count}
-- @refuses invalid_input mutation_conflict flow_already_exists flow_not_found flow_already_terminal flow_sealed stale_graph_revision flow_too_large partition_mismatch duplicate_node execution_already_exists invalid_policy_json invalid_capabilities invalid_tag_key execution_not_in_flow self_referencing_edge dependency_already_exists invalid_dependency data_passing_conflict downstream_terminal group_already_terminal cycle_detected graph_too_large
-- @repeat ALREADY_SATISFIED with the numbers of the first call
local MODES = {create = true, expand = true}
local GRANT_MS = 604800000
local NUMBERS = {"graph_revision", "node_count", "edge_count", "eligible_now_count"}

local function digest_of(argv)
    local parts = {argv[4]}
    for i = 6, #argv do
        parts[#parts + 1] = redis.sha1hex(argv[i])
    end
    return redis.sha1hex(table.concat(parts, "\n"))
end

local function reply_of(word, flow_id, numbers)
    local reply = {1, word, flow_id}
    for i, name in ipairs(NUMBERS) do
        reply[i + 3] = text(number_of(numbers[name]))
    end
    return reply
end

-- The reply of this very mutation, or nil.
local function repeated(tag, flow_id, mutation_id, digest)
    local stored = try("HMGET", keys.flow(tag, flow_id, "grant:" .. mutation_id), "digest", unpack(NUMBERS))
    if stored.err or not stored[1] then return nil end
    if stored[1] ~= digest then refuse("mutation_conflict") end
    local numbers = {}
    for i, name in ipairs(NUMBERS) do
        numbers[name] = stored[i + 1]
    end
    return reply_of("ALREADY_SATISFIED", flow_id, numbers)
end

local function read_flow(tag, flow_id, mode, header, expected)
    if mode == "create" then
        if call("EXISTS", keys.flow(tag, flow_id, "core")) == 1 then refuse("flow_already_exists") end
        return flow_record.read({
            flow_kind = header.flow_kind, namespace = header.namespace, failure_policy = header.failure_policy,
            outcome_policy = header.outcome_policy, created_by = header.created_by,
        }, "plan.flow.")
    end
    local f = flow.require_open(tag, flow_id)
    if f.sealed == "1" then refuse("flow_sealed") end
    if expected and expected ~= number_of(f.graph_revision) then refuse("stale_graph_revision", f.graph_revision) end
    return f
end

local function read_tags(header, mode)
    local tags = header.tags
    if mode ~= "create" or tags == nil or tags == cjson.null then return nil end
    if type(tags) ~= "table" then args.refuse("plan.flow.tags", "not an object") end
    for key, value in each(tags) do
        if type(key) ~= "string" or type(value) ~= "string" then args.refuse("plan.flow.tags", "not texts") end
        flow_record.check_tag(key, value)
    end
    return next(tags) ~= nil and tags or nil
end

local function numbers_after(s, f)
    local nodes, edges = #s.nodes, #s.edges
    local numbers = {
        graph_revision = number_of(f.graph_revision) + nodes + edges, node_count = number_of(f.node_count) + nodes,
        edge_count = number_of(f.edge_count) + edges, eligible_now_count = 0,
    }
    if numbers.node_count > graph.MEMBERS_MAX then refuse("flow_too_large", "members") end
    if s.seals and numbers.node_count == 0 then args.refuse("plan.flow.seal", "a flow without members") end
    return numbers
end

local function write_grant(u, flow_id, mutation_id, mode, digest, numbers)
    local key = keys.flow(u.tag, flow_id, "grant:" .. mutation_id)
    numbers.digest, numbers.applied_at = digest, u.now
    unit.hset(u, key, numbers)
    if mode == "create" then return end
    unit.record(u, {"PEXPIRE", key, GRANT_MS})
    unit.sadd(u, keys.flow(u.tag, flow_id, "mutations"), mutation_id)
end

registry.add_growing("ff_submit_flow", 1, 5, function(given, argv)
    local tag, flow_id = flow.of(given, argv, 1)
    if not MODES[argv[2]] then args.refuse("mode", "unknown value") end
    local mode, mutation_id = argv[2], args.id(argv, 3, "mutation_id")
    local expected = args.optional_integer(argv, 5, "expected_graph_revision")
    local plan = flow_plan.decode(argv[4])
    local digest = digest_of(argv)
    local known = repeated(tag, flow_id, mutation_id, digest)
    if known then return known end
    local u = unit.open(tag)
    local f = read_flow(tag, flow_id, mode, plan.flow, expected)
    local tags = read_tags(plan.flow, mode)
    flow_plan.check_size(plan, argv)
    local names = keys.flow(tag, flow_id, "names")
    local s = {
        plan = plan, argv = argv, flow_id = flow_id, namespace = f.namespace, mode = mode, seals = plan.flow.seal == true,
        has_name = function(name) return mode == "expand" and call("HEXISTS", names, name) == 1 end,
    }
    flow_plan.read(u, s)
    local numbers = numbers_after(s, f)
    submission.write(u, s, f, numbers)
    if tags then unit.hset(u, keys.flow(tag, flow_id, "tags"), tags) end
    write_grant(u, flow_id, mutation_id, mode, digest, numbers)
    unit.commit(u)
    return reply_of("OK", flow_id, numbers)
end)
