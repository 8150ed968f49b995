-- @function ff_revoke_approval_links
-- @keys wp
-- @argv execution_id waitpoint_id [link_id]
-- @reply {1,"OK",revoked}
-- @refuses invalid_input waitpoint_not_found invalid_waitpoint_for_execution link_not_found corruption
-- @repeat {1,"OK","0"}
registry.add("ff_revoke_approval_links", 1, 2, function(given, argv)
    local tag = args.tag(given[1])
    local u = unit.open(tag)
    local e, waitpoint_id = waitpoint.named(tag, given, argv)
    local id = args.text(argv, 3) ~= "" and approval_link.id(argv, 3) or nil
    local record = waitpoint.load(tag, waitpoint_id)
    if not record then refuse("waitpoint_not_found") end
    if record.execution_id ~= e then refuse("invalid_waitpoint_for_execution") end
    local list = approval_link.all(record)
    if id and not approval_link.find(list, id) then refuse("link_not_found") end
    local revoked = 0
    for _, one in ipairs(list) do
        if (not id or one.id == id) and one.revoked_at == 0 then
            one.revoked_at = u.now
            revoked = revoked + 1
        end
    end
    if revoked > 0 then unit.hset(u, given[1], {links = approval_link.encode(list)}) end
    unit.commit(u)
    return {1, "OK", text(revoked)}
end)
