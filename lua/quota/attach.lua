-- @function ff_attach_quota_policy
-- @keys definition
-- @argv quota_policy_id scope_type scope_id
-- Whether the policy may govern that scope. One without a scope takes this one, and no other after it.
-- @reply {1,"OK",scope_type,scope_id}   it took the scope
-- @reply {1,"ALREADY_SATISFIED",scope_type,scope_id}   it had it
-- @refuses invalid_input quota_policy_not_found quota_attach_conflict
-- @repeat ALREADY_SATISFIED
local SCOPE_TYPE_BYTES_MAX, SCOPE_ID_BYTES_MAX = 64, 256

-- Two names of one scope are the same scope.
local function same_scope(kind, id)
    if kind == "namespace" then kind = "tenant" end
    if kind == "global" then id = "*" end
    return kind, id
end

registry.add("ff_attach_quota_policy", 1, 3, function(given, argv)
    args.id(argv, 1, "quota_policy_id")
    local kind, id = same_scope(args.id(argv, 2, "scope_type"), argv[3])
    if #kind > SCOPE_TYPE_BYTES_MAX then args.refuse("scope_type", "longer than 64 bytes") end
    if id == "" then args.refuse("scope_id", "empty") end
    if #id > SCOPE_ID_BYTES_MAX then args.refuse("scope_id", "longer than 256 bytes") end
    local stored = checked.read(given[1], {"quota_policy_id", "scope_type", "scope_id"})
    if not stored.quota_policy_id then refuse("quota_policy_not_found") end
    if not stored.scope_type then
        call("HSET", given[1], "scope_type", kind, "scope_id", id)
        return {1, "OK", kind, id}
    end
    local own_kind, own_id = same_scope(stored.scope_type, stored.scope_id or "")
    if own_kind ~= kind or own_id ~= id then
        refuse("quota_attach_conflict", stored.scope_type, stored.scope_id or "")
    end
    return {1, "ALREADY_SATISFIED", kind, id}
end)
