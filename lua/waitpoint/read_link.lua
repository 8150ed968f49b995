-- @function ff_read_approval_link
-- @keys wp
-- @argv execution_id waitpoint_id link_id digest
-- @reply {1,"OK",state,label,expires_at,answer,answered_at,signal_id}   state open, answered, expired, closed or revoked
-- @refuses invalid_input link_not_found corruption
-- @repeat reads only
registry.add_read_only("ff_read_approval_link", 1, 4, function(given, argv)
    local tag = args.tag(given[1])
    local now = unit.open(tag).now
    local e, waitpoint_id = waitpoint.named(tag, given, argv)
    local id, digest = approval_link.id(argv, 3), approval_link.digest(argv, 4)
    local record = waitpoint.load(tag, waitpoint_id)
    if not record or record.execution_id ~= e then refuse("link_not_found") end
    local one = approval_link.require(approval_link.all(record), id, digest)
    return {
        1, "OK", approval_link.state(one, record, now), one.label, text(one.expires_at), one.answer,
        text(one.answered_at), one.signal_id,
    }
end)
