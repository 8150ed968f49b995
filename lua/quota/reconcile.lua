-- @function ff_reconcile_quota
-- @keys definition window concurrency admitted_set
-- @argv now_ms dead_count ...
-- After dead_count (0..1000): ids the caller found neither running nor granted; then, if the caller has voided
-- their admissions (ff_void_admission), as many epochs. Without epochs a guard keeps a slot, with them a later
-- epoch. Counts inside the call, so that an admission after the caller's look is not lost.
-- @reply {1,"OK",old_count,new_count}
-- @refuses invalid_input quota_policy_not_found
-- @repeat nothing left to correct
local DEAD_MAX = 1000

-- Those whose slots nobody uses, and their guards.
local function dead_among(names, definition, ids, epochs)
    local dead, guards = {}, {}
    for i, e in ipairs(ids) do
        guards[i] = definition .. ":admitted:" .. e
    end
    if epochs then return quota.releasable(names, ids, guards, epochs) end
    for i, e in ipairs(ids) do
        if call("EXISTS", guards[i]) == 0 then dead[#dead + 1] = e end
    end
    return dead, guards
end

registry.add("ff_reconcile_quota", 4, 2, function(given, argv)
    local count = args.integer(argv, 2, "dead_count", 0, DEAD_MAX)
    local ids = quota.ids(argv, 3, count)
    local epochs = quota.epochs(argv, 3 + count, count)
    local now = admission.now(argv, 1)
    local limits = quota.stored_limits(given[1])
    local old = number_of(checked.call("GET", given[3]))
    checked.call("SCARD", given[4])
    quota.trim(given[2], limits, now)
    local names = quota.names(given[1], given[2], given[3], given[4])
    local dead, guards = dead_among(names, given[1], ids, epochs)
    if dead[1] then
        call("SREM", given[4], unpack(dead))
        call("HDEL", names.epochs, unpack(dead))
        if epochs then call("DEL", unpack(guards)) end
    end
    local held = 0
    if limits.cap > 0 then
        held = call("SCARD", given[4])
    else
        call("DEL", given[4], names.epochs)
    end
    call("SET", given[3], text(held))
    if held < old then admission.publish_freed("quota", quota.id_of(given[1], "")) end
    return {1, "OK", text(old), text(held)}
end)
