-- @function ff_release_admission_batch
-- @keys window concurrency definition admitted_set
-- @argv mode count ...
-- mode as in ff_release_admission. After count (1..256): that many execution ids; then, if the caller has them, as many
-- admission epochs: what was admitted under a later one stays.
-- @reply {1,"OK",freed_count}
-- @refuses invalid_input
-- @repeat nothing more comes free
registry.add("ff_release_admission_batch", 4, 2, function(given, argv)
    local rollback = quota.is_rollback(argv, 1)
    local count = args.integer(argv, 2, "count", 1, quota.BATCH_MAX)
    local ids = quota.ids(argv, 3, count)
    local epochs = quota.epochs(argv, 3 + count, count)
    checked.key(given[3])
    local guards = {}
    for i, e in ipairs(ids) do
        guards[i] = given[3] .. ":admitted:" .. e
    end
    local names = quota.names(given[1], given[1], given[2], given[4])
    ids, guards = quota.releasable(names, ids, guards, epochs)
    return {1, "OK", quota.release(names, quota.id_of(given[3], ""), ids, guards, rollback)}
end)
