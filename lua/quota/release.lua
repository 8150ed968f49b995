-- @function ff_release_admission
-- @keys guard admitted_set concurrency [window]
-- @argv execution_id [mode]
-- mode: empty or "done" keeps the rate slot; "rollback" (the run never started) gives it back too.
-- @reply {1,"OK","released",freed}   "1" or "0"
-- @refuses invalid_input
-- @repeat freed is "0"
registry.add("ff_release_admission", 3, 1, function(given, argv)
    local e = args.id(argv, 1, "execution_id")
    local rollback = quota.is_rollback(argv, 2)
    local window = given[4] and not admission.is_noop(given[4]) and given[4] or nil
    local names = quota.names(given[1], window, given[3], given[2])
    local id = quota.id_of(given[2], ":admitted_set")
    return {1, "OK", "released", quota.release(names, id, {e}, {checked.key(given[1])}, rollback)}
end)
