-- @function ff_remint_waitpoint_token
-- @keys wp [older...]
-- @argv execution_id waitpoint_id
-- @reply {1,"OK",waitpoint_token}
-- @refuses invalid_input waitpoint_not_found invalid_waitpoint_for_execution waitpoint_closed invalid_keys_missing_hmac hmac_secret_not_initialized invalid_secret
-- @repeat the same token while its kid is current
registry.add("ff_remint_waitpoint_token", 1, 2, function(given, argv)
    local tag = args.tag(given[1])
    local e, id = waitpoint.named(tag, given, argv)
    local record = waitpoint.load(tag, id)
    if not record then refuse("waitpoint_not_found") end
    if record.execution_id ~= e then refuse("invalid_waitpoint_for_execution") end
    if not waitpoint.is_open(record) then refuse("waitpoint_closed") end
    local minter = token.minter(tag, args.lacks_key(given, 2))
    if token.kid_of(record.waitpoint_token) == minter.kid then return {1, "OK", record.waitpoint_token} end
    local minted = token.mint(minter, id, record.waitpoint_key or "", record.created_at or "")
    call("HSET", keys.waitpoint(tag, id), "waitpoint_token", minted)
    return {1, "OK", minted}
end)
