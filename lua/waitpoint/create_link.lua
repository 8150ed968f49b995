-- @function ff_create_approval_link
-- @keys wp
-- @argv execution_id waitpoint_id link_id digest expires_at [label]
-- @reply {1,"OK",link_id,expires_at}
-- @refuses invalid_input waitpoint_not_found invalid_waitpoint_for_execution waitpoint_closed link_limit_exceeded corruption
-- @repeat DUPLICATE with the same fields
registry.add_growing("ff_create_approval_link", 1, 5, function(given, argv)
    local tag = args.tag(given[1])
    local u = unit.open(tag)
    local e, waitpoint_id = waitpoint.named(tag, given, argv)
    local id, digest = approval_link.id(argv, 3), approval_link.digest(argv, 4)
    local expires_at = approval_link.expires_at(argv, 5, u.now)
    local label = approval_link.label(argv, 6)
    local record = waitpoint.load(tag, waitpoint_id)
    if not record then refuse("waitpoint_not_found") end
    if record.execution_id ~= e then refuse("invalid_waitpoint_for_execution") end
    local list = approval_link.all(record)
    local known = approval_link.find(list, id)
    if known and known.digest == digest then return {1, "DUPLICATE", id, text(known.expires_at)} end
    if known then args.refuse("link_id", "in use") end
    if not waitpoint.is_open(record) then refuse("waitpoint_closed") end
    approval_link.add(list, approval_link.new(id, digest, label, u.now, expires_at))
    unit.hset(u, given[1], {links = approval_link.encode(list)})
    unit.commit(u)
    return {1, "OK", id, text(expires_at)}
end)
