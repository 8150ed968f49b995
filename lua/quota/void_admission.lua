-- @function ff_void_admission
-- @keys exec_core
-- @argv execution_id admission_epoch
-- What was admitted under that epoch, or an earlier one, and has not been used can no longer be used.
-- @reply {1,"OK",voided}   "1": its slots may be given back; "0": a run or a grant has used them, or they were void
-- @refuses invalid_input
-- @repeat voided is "0"; "1" for an execution that does not exist
registry.add("ff_void_admission", 1, 2, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local epoch = args.integer(argv, 2, "admission_epoch", 1)
    local c = core.load(tag, e)
    if not c then return {1, "OK", "1"} end
    if number_of(c.admission_epoch) >= epoch then return {1, "OK", "0"} end
    local u = unit.open(tag)
    core.change(u, e, c).admission_epoch = epoch
    unit.commit(u)
    return {1, "OK", "1"}
end)
