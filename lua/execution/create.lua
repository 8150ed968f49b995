-- @function ff_create_execution
-- @keys exec_core [older...]
-- @argv execution_id namespace lane_id execution_kind priority creator_identity policy_json input_payload delay_until dedup_ttl_ms tags_json execution_deadline_at partition_id [payload_encoding] [initial_hold] [idempotency_key]
-- @reply {1,"OK",execution_id,public_state}
-- @reply {1,"DUPLICATE",existing_id,public_state}
-- @refuses invalid_input invalid_policy_json invalid_capabilities
-- @repeat DUPLICATE with the id of the first call
registry.add_growing("ff_create_execution", 1, 13, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local a = creation.read(argv, 1, u.now, creation.ROOM)
    if a.idempotency_key ~= "" then
        a.idem_key = keys.idem(tag, a.namespace, a.idempotency_key)
    elseif is_set(given[6]) and string.sub(given[6], 1, 8) ~= "ff:noop:" then
        if args.tag(given[6]) ~= tag then args.refuse("KEYS[6]", "another hash tag") end
        a.idem_key = given[6]
    end
    local fresh, duplicate = creation.check(u, a)
    if not fresh then return duplicate end
    local reply = creation.write(u, a)
    unit.commit(u)
    return reply
end)
