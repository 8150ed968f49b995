-- @function ff_create_batch
-- @keys execution_deadline [older...]
-- @argv count stride ...
-- count (1..1000) groups of stride (>= 16) values: the 16 of ff_create_execution, the rest reserved.
-- @reply {1,"OK",r1,r2,...}   each what ff_create_execution answers
-- @refuses invalid_input
-- @repeat DUPLICATE for each item that was created
local COUNT_MAX = 1000
local STRIDE_MIN = 16

-- A repeated id or key inside the call is a duplicate of the earlier item, as if that were stored.
local function create(items, i)
    local u, argv, earlier, at = items.u, items.argv, items.earlier, 3 + items.stride * (i - 1)
    local e = args.id(argv, at, "execution_id")
    args.check_partition(u.tag, e)
    local a = creation.read(argv, at, u.now, creation.ROOM)
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

registry.add_growing("ff_create_batch", 1, 2, function(given, argv)
    local tag = args.tag(given[1])
    local count = args.integer(argv, 1, "count", 1, COUNT_MAX)
    local stride = args.integer(argv, 2, "stride", STRIDE_MIN)
    local values = count_of(argv) - 2
    if values < count * stride then args.refuse("arity", "fewer values than counted") end
    if values > count * stride then args.refuse("arity", "more values than counted") end
    local u = unit.open(tag)
    local replies = registry.answer_each({
        count = count, run = create, replies = {}, u = u, argv = argv, stride = stride, earlier = {},
    })
    unit.commit(u)
    return {1, "OK", unpack(replies)}
end)
