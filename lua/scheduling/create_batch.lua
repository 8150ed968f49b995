-- @function ff_create_batch
-- @keys execution_deadline all_executions wake
-- @argv count stride ...
-- count (1..1000) groups of stride (>= 16) values: the 16 of ff_create_execution, the rest reserved.
-- @reply {1,"OK",r1,r2,...}   each what ff_create_execution answers
-- @refuses invalid_input
-- @repeat DUPLICATE for each item that was created
local COUNT_MAX = 1000
local STRIDE_MIN = 16

-- A repeated id or key inside the call is a duplicate of the earlier item, as if that were stored.
local function create(u, argv, at, earlier)
    local e = args.id(argv, at, "execution_id")
    if string.sub(e, 1, #u.tag + 1) ~= u.tag .. ":" then args.refuse("execution_id", "another partition") end
    local a = creation.read(argv, at, u.now)
    if a.idempotency_key ~= "" then a.idem_key = keys.idem(u.tag, a.namespace, a.idempotency_key) end
    local first = earlier[a.idem_key or e] or earlier[e]
    if first then return {1, "DUPLICATE", first[3], first[4]} end
    local fresh, duplicate = creation.check(u, a)
    if not fresh then return duplicate end
    local reply = creation.write(u, a)
    earlier[e] = reply
    if a.idem_key and a.dedup_ttl_ms > 0 then earlier[a.idem_key] = reply end
    return reply
end

registry.add("ff_create_batch", 3, 2, function(given, argv)
    local tag = args.tag(given[1])
    local count = args.integer(argv, 1, "count", 1, COUNT_MAX)
    local stride = args.integer(argv, 2, "stride", STRIDE_MIN)
    if #argv < 2 + count * stride then args.refuse("arity", "fewer values than counted") end
    local u = unit.open(tag)
    local reply, earlier = {1, "OK"}, {}
    for i = 1, count do
        reply[i + 2] = registry.answer(create, u, argv, 3 + stride * (i - 1), earlier)
    end
    unit.commit(u)
    return reply
end)
