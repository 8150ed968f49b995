-- @function ff_list_workers
-- @keys workers
-- @argv after limit
-- Live workers in bytewise order; those whose alive key is gone leave the index.
-- @reply {1,"OK",next_after_or_empty,{instance_id,worker_id,lanes_csv,caps_csv,ttl_ms,registered_at_ms,last_heartbeat_ms,boot_id},...}
-- @refuses invalid_input
-- @repeat the same page, apart from workers that came and went
local PAGE_MAX = 1000
local EXAMINED_MAX = 2000
local FIELDS = {"worker_id", "lanes_csv", "caps_csv", "ttl_ms", "registered_at_ms",
    "last_heartbeat_ms", "boot_id"}

local function members_after(index, after)
    local members = {}
    for _, instance in ipairs(checked.call("SMEMBERS", index)) do
        if bytes.less(after, instance) then members[#members + 1] = instance end
    end
    table.sort(members, bytes.less)
    return members
end

-- The record of one worker, or nil if it is no longer alive.
local function row_of(tag, instance)
    local prefix = "ff:worker:" .. tag .. ":{" .. instance .. "}:"
    if call("EXISTS", prefix .. "alive") == 0 then return nil end
    local row = {instance}
    local stored = try("HMGET", prefix .. "caps", unpack(FIELDS))
    for i = 1, #FIELDS do
        row[i + 1] = stored[i] or ""
    end
    return row
end

registry.add("ff_list_workers", 1, 2, function(given, argv)
    local limit = args.optional_integer(argv, 2, "limit", 1, PAGE_MAX) or PAGE_MAX
    local tag = args.tag(given[1])
    local members = members_after(given[1], argv[1])
    local rows, gone = {1, "OK", ""}, {}
    for i, instance in ipairs(members) do
        if #rows == 3 + limit or i > EXAMINED_MAX then
            rows[3] = members[i - 1]
            break
        end
        local row = row_of(tag, instance)
        if row then
            rows[#rows + 1] = row
        else
            gone[#gone + 1] = instance
        end
    end
    for from = 1, #gone, 1000 do
        call("SREM", given[1], unpack(gone, from, math.min(from + 999, #gone)))
    end
    return rows
end)
