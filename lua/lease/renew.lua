-- @function ff_renew_lease
-- @keys exec_core [older...]
-- @argv execution_id attempt_index attempt_id lease_id lease_epoch lease_ttl_ms lease_history_grace_ms [record_history]
-- @reply {1,"OK",new_expires_at}
-- @refuses invalid_input execution_not_found partial_fence_triple fence_required execution_not_active lease_revoked lease_expired stale_lease
-- @repeat extends the lease again
local FLAGS = {["0"] = true, ["1"] = true}

registry.add("ff_renew_lease", 1, 7, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local attempt_index = args.integer(argv, 2, "attempt_index", 0)
    local ttl = args.lease_ttl(argv, 6)
    args.integer(argv, 7, "lease_history_grace_ms", 0)
    local records = args.optional_word(argv, 8, "record_history", FLAGS) == "1"
    local u = unit.open(tag)
    local c = core.require(tag, e)
    lease.fenced(argv[4], argv[5], argv[3], "")
    if c.lifecycle_phase ~= "active" then core.refuse_not_active(c) end
    if is_set(c.lease_revoked_at) then refuse("lease_revoked") end
    lease.check_held(u, e, c, true)
    lease.check_owner(c, argv[4], argv[5], argv[3])
    if attempt_index ~= number_of(c.current_attempt_index) then refuse("stale_lease") end
    local expires_at = u.now + ttl
    local set = core.change(u, e, c)
    set.lease_expires_at = expires_at
    set.lease_last_renewed_at = u.now
    if is_set(c.lease_renewal_deadline) then set.lease_renewal_deadline = "" end
    unit.zadd(u, keys.index(tag, "lease_expiry"), expires_at, e)
    unit.due(u, "lease_expiry", expires_at)
    unit.zadd(u, keys.lane(tag, c.lane_id, "active"), expires_at, e)
    if records then lease.record(u, e, c, set, "renewed") end
    unit.commit(u)
    return {1, "OK", text(expires_at)}
end)
