-- @function ff_revoke_lease
-- @keys exec_core [older...]
-- @argv execution_id [expected_lease_id] [revoke_reason]
-- @reply {1,"OK","revoked",lease_id,lease_epoch}
-- @reply {1,"ALREADY_SATISFIED","already_revoked"}
-- @reply {1,"ALREADY_SATISFIED","already_expired"}
-- @refuses invalid_input execution_not_found execution_not_active no_active_lease stale_lease
-- @repeat ALREADY_SATISFIED, already_revoked
local REASON_MAX = 4096

registry.add("ff_revoke_lease", 1, 1, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local expected = args.text(argv, 2)
    local reason = args.cut(is_set(argv[3]) and argv[3] or "operator", REASON_MAX)
    local u = unit.open(tag)
    local c = core.require(tag, e)
    if c.lifecycle_phase ~= "active" then core.refuse_not_active(c) end
    if c.ownership_state == "lease_revoked" then return {1, "ALREADY_SATISFIED", "already_revoked"} end
    if c.ownership_state == "lease_expired_reclaimable" then return {1, "ALREADY_SATISFIED", "already_expired"} end
    if c.ownership_state ~= "leased" then refuse("no_active_lease") end
    local lease_id = c.current_lease_id or ""
    if expected ~= "" and expected ~= lease_id then
        refuse("stale_lease", "expected " .. args.cut(expected, 256) .. ", current " .. lease_id)
    end
    lease.revoke(u, e, c, reason)
    feed.operator(u, e, c, "lease_revoked", {reason = args.cut(reason, feed.TEXT_MAX), lease_id = lease_id})
    unit.commit(u)
    return {1, "OK", "revoked", lease_id, text(number_of(c.current_lease_epoch))}
end)
