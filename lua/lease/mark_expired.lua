-- @function ff_mark_lease_expired_if_due
-- @keys exec_core [older...]
-- @argv execution_id
-- @reply {1,"OK","marked_expired"}
-- @reply {1,"ALREADY_SATISFIED",why}
-- @refuses invalid_input
-- @repeat ALREADY_SATISFIED, already_expired
registry.add("ff_mark_lease_expired_if_due", 1, 1, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local c = core.load(tag, e)
    local index = keys.index(tag, "lease_expiry")
    local stale
    if not c or is_set(c.purging) then stale = "execution_not_found"
    elseif c.lifecycle_phase ~= "active" then stale = "not_active"
    elseif c.ownership_state == "lease_expired_reclaimable" then return {1, "ALREADY_SATISFIED", "already_expired"}
    elseif c.ownership_state == "lease_revoked" then return {1, "ALREADY_SATISFIED", "already_revoked"}
    elseif c.ownership_state ~= "leased" then stale = "unowned"
    end
    if stale then
        unit.zrem(u, index, e)
        unit.commit(u)
        return {1, "ALREADY_SATISFIED", stale}
    end
    local expires_at = number_of(c.lease_expires_at)
    if not core.lease_is_over(u.now, expires_at) then
        unit.zadd(u, index, expires_at, e)
        unit.commit(u)
        return {1, "ALREADY_SATISFIED", "not_yet_expired"}
    end
    lease.mark_expired(u, e, c)
    unit.commit(u)
    return {1, "OK", "marked_expired"}
end)
