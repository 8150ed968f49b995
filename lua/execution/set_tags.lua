-- @function ff_set_execution_tags
-- @keys exec_core [older...]
-- @argv ...
-- @reply {1,"OK",pairs}
-- @refuses invalid_input execution_not_found invalid_tag_key
-- @repeat the same reply; no tag event, because no value changes
local CHUNK = 500

-- The stored values of these keys, in chunks.
local function stored_values(key, names)
    local values = {}
    for from = 1, #names, CHUNK do
        local chunk = call("HMGET", key, unpack(names, from, math.min(from + CHUNK - 1, #names)))
        for i = 1, #chunk do
            values[names[from + i - 1]] = chunk[i]
        end
    end
    return values
end

registry.add_growing("ff_set_execution_tags", 1, 0, function(given, argv)
    local tag = args.tag(given[1])
    local e = string.match(given[1], "^ff:exec:" .. "{[^}]*}" .. ":(.+):core$")
    if not e or string.sub(e, 1, #tag + 1) ~= tag .. ":" then args.refuse("KEYS[1]", "no exec_core") end
    if #argv == 0 or #argv % 2 == 1 then args.refuse("tags", "not pairs of key and value") end
    local u = unit.open(tag)
    local c = core.require(tag, e)
    local names, wanted = {}, {}
    for i = 1, #argv, 2 do
        if not string.find(argv[i], "^[a-z][a-z0-9_]*%.[^.]") then refuse("invalid_tag_key", argv[i]) end
        if wanted[argv[i]] == nil then names[#names + 1] = argv[i] end
        wanted[argv[i]] = argv[i + 1]
    end
    local key = keys.tags(tag, e)
    local stored = is_set(c.has_tags) and stored_values(key, names) or {}
    local changed = {}
    for name, value in each(wanted) do
        if stored[name] ~= value then changed[name] = value end
    end
    local set = core.change(u, e, c)
    set.has_tags = "1"
    if next(changed) ~= nil then
        unit.hset(u, key, changed)
        creation.announce_tags(u, e, c, changed)
    end
    unit.commit(u)
    return {1, "OK", text(#argv / 2)}
end)
