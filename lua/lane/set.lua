-- @function ff_set_lane
-- @keys lane_config
-- @argv lane_id [field value]...
-- Fields: state, scheduling_weight, default_priority, default_policy_json; what is not named stays.
-- @reply {1,"OK",state}
-- @refuses invalid_input invalid_policy_json
-- @repeat written again
local READERS = {
    state = function(argv, i)
        if argv[i] == "" then args.refuse("state", "empty") end
        return args.optional_word(argv, i, "state", lane.STATES)
    end,
    scheduling_weight = function(argv, i)
        return text(args.integer(argv, i, "scheduling_weight", 1, lane.WEIGHT_MAX))
    end,
    default_priority = function(argv, i)
        return text(args.integer(argv, i, "default_priority", 0, lane.PRIORITY_MAX))
    end,
    default_policy_json = function(argv, i)
        if args.json_object(argv[i]) == false then refuse("invalid_policy_json", "default_policy_json") end
        return argv[i]
    end,
}

registry.add("ff_set_lane", 1, 1, function(given, argv)
    local id = lane.of(given, argv)
    if #argv % 2 == 0 then args.refuse("arity", "a field without a value") end
    if #argv > 1 + 2 * 16 then args.refuse("arity", "too many fields") end
    local fields = {"lane_id", id}
    for i = 2, #argv, 2 do
        local read = READERS[argv[i]]
        if not read then args.refuse("field", "unknown") end
        fields[#fields + 1] = argv[i]
        fields[#fields + 1] = read(argv, i + 1)
    end
    local stored = checked.read(given[1], {"created_at"})
    local now = text(admission.store_now())
    fields[#fields + 1] = "updated_at"
    fields[#fields + 1] = now
    fields[#fields + 1] = "created_at"
    fields[#fields + 1] = stored.created_at or now
    call("HSET", given[1], unpack(fields))
    local state = call("HGET", given[1], "state")
    return {1, "OK", is_set(state) and state or "active"}
end)
