-- @function ff_set_edge_group_policy
-- @keys flow_core edge_group
-- @argv policy_variant on_satisfied k now_ms [expected_n]
-- @reply {1,"OK","set"}
-- @reply {1,"OK","already_set"}
-- @refuses invalid_input flow_not_found flow_already_terminal
-- @repeat already_set
local function refuse_policy(why)
    refuse("invalid_input", why)
end

-- Flow id and downstream, from the names of the two records.
local function read_names(given)
    local tag = args.tag(given[1])
    local prefix = "ff:flow:" .. tag .. ":"
    local flow_id = string.sub(given[1], 1, #prefix) == prefix and string.match(given[1], "^(.+):core$", #prefix + 1)
    if not flow_id then args.refuse("KEYS[1]", "not the core of a flow") end
    local group_prefix = keys.flow(tag, flow_id, "edgegroup:")
    if string.sub(given[2], 1, #group_prefix) ~= group_prefix or #given[2] == #group_prefix then
        args.refuse("KEYS[2]", "not an edge group of the flow")
    end
    return tag, flow_id, string.sub(given[2], #group_prefix + 1)
end

registry.add_growing("ff_set_edge_group_policy", 2, 4, function(given, argv)
    local tag, flow_id, child = read_names(given)
    args.optional_integer(argv, 4, "now_ms")
    local u = unit.open(tag)
    flow.require_open(tag, flow_id)
    local variant, on_satisfied, k = edge_group.check_policy(argv[1], argv[2], argv[3], refuse_policy)
    local expected = args.optional_integer(argv, 5, "expected_n", 0, 2147483647) or 0
    if expected > 0 and variant == "quorum" and k > expected then refuse_policy("k exceeds expected_n") end
    local group = edge_group.load(tag, flow_id, child)
    if group and group.variant == variant and group.on_satisfied == on_satisfied and group.k == k
        and group.expected_n == expected then
        return {1, "OK", "already_set"}
    end
    if (group and group.n > 0) or call("EXISTS", keys.flow(tag, flow_id, "in:" .. child)) == 1 then
        refuse_policy("edge_group_policy_already_fixed")
    end
    unit.hset(u, given[2], edge_group.fields(u, variant, on_satisfied, k, 0, expected))
    unit.commit(u)
    return {1, "OK", "set"}
end)
