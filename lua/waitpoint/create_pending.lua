-- @function ff_create_pending_waitpoint
-- @keys exec_core [older...]
-- @argv execution_id attempt_index waitpoint_id waitpoint_key expires_at [lease_id] [lease_epoch] [attempt_id] [prompt] [assignees] [form] [context] [context_type] [due_at]
-- @reply {1,"OK",waitpoint_id,waitpoint_key,waitpoint_token}
-- @refuses invalid_input execution_not_found execution_not_active no_active_lease stale_lease partial_fence_triple lease_revoked lease_expired invalid_waitpoint_for_execution waitpoint_already_exists invalid_keys_missing_hmac hmac_secret_not_initialized invalid_secret
-- @repeat waitpoint_already_exists
local function check_owner(u, e, c, attempt_index, lease_id, epoch, attempt_id)
    if c.lifecycle_phase ~= "active" then core.refuse_not_active(c) end
    if c.ownership_state ~= "leased" then refuse("no_active_lease") end
    if number_of(c.current_attempt_index) ~= attempt_index then refuse("stale_lease") end
    if lease_id == "" and epoch == "" and attempt_id == "" then return end
    lease.fenced(lease_id, epoch, attempt_id, "")
    lease.check_held(u, e, c, false)
    lease.check_owner(c, lease_id, epoch, attempt_id)
end

registry.add_growing("ff_create_pending_waitpoint", 1, 5, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local attempt_index = args.integer(argv, 2, "attempt_index", 0)
    local id = waitpoint.id(argv, 3, "waitpoint_id")
    local key = argv[4]
    if not waitpoint.is_key(key) then args.refuse("waitpoint_key", "1 to 256 bytes without control characters") end
    local expires_at = args.due(argv, 5, "expires_at", u.now)
    if expires_at < 0 then args.refuse("expires_at", "not a time") end
    local question = approval.read(argv, 9, u.now)
    local c = core.require(tag, e)
    check_owner(u, e, c, attempt_index, args.text(argv, 6), args.text(argv, 7), args.text(argv, 8))
    local old = waitpoint.load(tag, id)
    waitpoint.check_free(old, e)
    local minter = token.minter(tag, args.lacks_key(given, 4))
    local minted = token.mint(minter, id, key, text(u.now))
    local fields = waitpoint.fields(u, e, attempt_index, id, key, minted)
    fields.expires_at = expires_at
    approval.add_to(fields, question)
    if old then waitpoint.clear(u, id) end
    unit.hset(u, keys.waitpoint(tag, id), fields)
    unit.zadd(u, keys.index(tag, "pending_waitpoint_expiry"), expires_at, id)
    unit.due(u, "pending_waitpoint_expiry", expires_at)
    unit.sadd(u, keys.waitpoints(tag, e), id)
    unit.commit(u)
    return {1, "OK", id, key, minted}
end)
