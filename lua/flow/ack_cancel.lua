-- @function ff_ack_cancel_member
-- @keys pending_cancels [older...]
-- @argv execution_id flow_id
-- @reply {1,"OK"}
-- @refuses invalid_input
-- @repeat nothing is left to do
registry.add("ff_ack_cancel_member", 1, 2, function(given, argv)
    local tag = args.tag(given[1])
    local e, flow_id = args.id(argv, 1, "execution_id"), args.id(argv, 2, "flow_id")
    flow_cancel.settle(unit.open(tag), flow_id, e)
    return {1, "OK"}
end)
