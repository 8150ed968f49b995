-- @function ff_set_flow_tags
-- @keys flow_core [older...]
-- @argv [key]... [value]...
-- @reply {1,"OK",pairs}
-- @refuses invalid_input flow_not_found invalid_tag_key
-- @repeat the same values once more
local function migrate(u, core_key, tags_key)
    if flow_core.get(core_key, "tags_migrated") then return end
    for _, field in ipairs(call("HKEYS", core_key)) do
        if flow_record.is_tag_key(field) and not flow_core.is_ours(field) then
            unit.record(u, {"HSET", tags_key, field, call("HGET", core_key, field)})
            unit.record(u, {"HDEL", core_key, field})
        end
    end
    unit.hset(u, core_key, {[flow_core.name("tags_migrated")] = 1})
end

registry.add_growing("ff_set_flow_tags", 1, 0, function(given, argv)
    local tag = args.tag(given[1])
    local flow_id = string.match(given[1], "^ff:flow:[^}]*}:(.+):core$")
    if not flow_id or given[1] ~= keys.flow(tag, flow_id, "core") then args.refuse("KEYS[1]", "not the core of a flow") end
    if #argv == 0 or #argv % 2 == 1 then args.refuse("arity", "key and value pairs") end
    if not flow.load(tag, flow_id) then refuse("flow_not_found") end
    for i = 1, #argv, 2 do
        flow_record.check_tag(argv[i], argv[i + 1])
    end
    local u = unit.open(tag)
    local tags_key = keys.flow(tag, flow_id, "tags")
    migrate(u, given[1], tags_key)
    local set = {}
    for i = 1, #argv, 2 do
        set[argv[i]] = argv[i + 1]
    end
    unit.hset(u, tags_key, set)
    unit.commit(u)
    return {1, "OK", text(#argv / 2)}
end)
