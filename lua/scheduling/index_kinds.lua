-- @function ff_index_kinds
-- @keys eligible [older...]
-- @argv lane_id
-- From its first call on, the lane keeps queues by kind; each call sorts in some of the work that was there before,
-- as claims that ask for kinds do.
-- @reply {1,"OK","complete"}
-- @reply {1,"OK","building"}   call again
-- @refuses invalid_input
-- @repeat goes on; complete at the end
registry.add("ff_index_kinds", 1, 1, function(given, argv)
    local tag = args.tag(given[1])
    local lane = args.id(argv, 1, "lane_id")
    local complete = kind_queue.build(unit.open(tag), lane)
    return {1, "OK", complete and "complete" or "building"}
end)
