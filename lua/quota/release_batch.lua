-- @function ff_release_admission_batch
-- @keys window concurrency definition admitted_set
-- @argv mode count ...
-- mode as in ff_release_admission. After count (1..256): that many execution ids.
-- @reply {1,"OK",freed_count}
-- @refuses invalid_input
-- @repeat nothing more comes free
registry.add("ff_release_admission_batch", 4, 2, function(given, argv)
    local rollback = quota.is_rollback(argv, 1)
    local ids = quota.ids(argv, 3, args.integer(argv, 2, "count", 1, quota.BATCH_MAX))
    checked.key(given[3])
    local guards = {}
    for i, e in ipairs(ids) do
        guards[i] = given[3] .. ":admitted:" .. e
    end
    local names = {window = given[1], concurrency = given[2], admitted_set = given[4]}
    return {1, "OK", quota.release(names, quota.id_of(given[3], ""), ids, guards, rollback)}
end)
