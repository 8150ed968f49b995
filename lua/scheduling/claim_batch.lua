-- @function ff_claim_batch
-- @keys eligible [older...]
-- @argv worker_id worker_instance_id lane_id worker_capabilities_csv max_tasks lease_ttl_ms renew_before_ms request_id scan_depth max_payload_bytes admission gated_namespaces gate_flows over_share_namespaces fair_priority_floor namespace arm_wake_ms include_reclaim admitted_count ...
-- After admitted_count (M): M pairs execution_id, quota ids CSV; then max_tasks pairs lease_id, attempt_id; then
-- [admission_epochs] [kinds], an LF list of the kinds to take, empty = any.
-- @reply {1,"OK",{claimed},{deferred},{not_claimed},{examined,moved_to_route,eligible_left,armed,namespaces[,unsorted]}}
-- @reply {1,"DUPLICATE",{claimed},{},{},{stats}}   the same request_id again
-- claimed: execution_id lease_id lease_epoch lease_expires_at attempt_id attempt_index attempt_type
--   execution_kind namespace flow_id priority created_at payload_state payload {tags} payload_encoding
--   suspension_id close_reason continuation_metadata_pointer steps_state {step_name value encoding...}
--   children_state {child...}   child: as ff_read_children gives them
-- deferred: execution_id namespace flow_id budget_ids quota_policy_id priority
-- not_claimed: execution_id code
-- @refuses invalid_input invalid_capabilities
-- @repeat with a request_id DUPLICATE and nothing new; without one further tasks
registry.add("ff_claim_batch", 1, 19, function(given, argv)
    local tag = args.tag(given[1])
    local q = claim_request.read(argv, 0)
    return claim_round.run(unit.open(tag), q)
end)
