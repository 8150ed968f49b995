-- @function ff_read_children
-- @keys exec_core [older...]
-- @argv execution_id [first] [limit] [max_bytes]
-- @reply {1,"OK",count,next,{item...}}   item {call_name,execution_id,outcome,result,result_encoding,reason,category}
-- `next` is empty at the end, the outcome of a child that has not ended, too.
-- @refuses invalid_input execution_not_found
-- @repeat reads only
local LIMIT_DEFAULT, LIMIT_MAX = 100, 1000
local BYTES_DEFAULT, BYTES_MAX = 4194304, 16777216

registry.add_read_only("ff_read_children", 1, 1, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local first = args.optional_integer(argv, 2, "first", 0) or 0
    local limit = args.optional_integer(argv, 3, "limit", 1, LIMIT_MAX) or LIMIT_DEFAULT
    local bytes = args.optional_integer(argv, 4, "max_bytes", 0, BYTES_MAX) or BYTES_DEFAULT
    local c = core.require(tag, e)
    local count = number_of(c.called_count)
    if first >= count then return {1, "OK", text(count), "", {}} end
    local found = calls.from(tag, e, first, math.min(limit, count - first), bytes)
    local after = first + #found
    return {1, "OK", text(count), found[1] and after < count and text(after) or "", found}
end)
