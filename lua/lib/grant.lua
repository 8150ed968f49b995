-- Claim grants (chapter 06 section 9): short-lived permission of one worker to claim one execution.
local grant = {}

-- The key outlives the grant, so that a late claim hears "expired" and not "unknown".
local KEY_GRACE_MS = 60000

-- Looks at the key only while the core says that one may live.
function grant.is_live(u, e, c)
    if number_of(c.grant_until) < u.now then return false end
    return number_of(call("HGET", keys.claim_grant(u.tag, e), "grant_expires_at")) >= u.now
end

-- ARGV of the two issuing functions; the execution itself is ARGV 1.
function grant.read_request(argv)
    return {
        worker_id = args.id(argv, 2, "worker_id"),
        worker_instance_id = args.id(argv, 3, "worker_instance_id"),
        lane_id = args.id(argv, 4, "lane_id"),
        capability_hash = argv[5],
        ttl_ms = args.integer(argv, 6, "grant_ttl_ms", 1),
        route_snapshot_json = argv[7],
        admission_summary = argv[8],
        capabilities = args.text(argv, 9),
        admitted_quota_ids = args.text(argv, 10),
    }
end

-- Refuses a worker that lacks a required capability; the time of the mismatch is the one thing kept.
function grant.check_capabilities(u, e, c, request)
    local worker = capabilities.parse(request.capabilities, "worker")
    local required = c.required_capabilities or ""
    capabilities.parse(required, "required")
    local missing = capabilities.missing(required, worker)
    if not missing then return end
    core.change(u, e, c).last_capability_mismatch_at = u.now
    unit.commit(u)
    refuse("capability_mismatch", missing)
end

function grant.issue(u, e, c, request, kind)
    local expires_at = u.now + request.ttl_ms
    local set = core.change(u, e, c)
    set.grant_until = expires_at
    if request.admitted_quota_ids ~= "" then lease.hold_quota(c, set, request.admitted_quota_ids) end
    local key = keys.claim_grant(u.tag, e)
    unit.hset(u, key, {
        worker_id = request.worker_id, worker_instance_id = request.worker_instance_id,
        lane_id = request.lane_id, capability_hash = request.capability_hash,
        route_snapshot_json = request.route_snapshot_json, admission_summary = request.admission_summary,
        created_at = u.now, grant_expires_at = expires_at, grant_kind = kind,
        -- Of a reclaim grant: whoever consumes it counts to the same cap.
        default_max_reclaim_count = request.default_max_reclaim_count,
    })
    unit.record(u, {"PEXPIREAT", key, expires_at + KEY_GRACE_MS})
    -- Nothing else tells waiting claims that the execution may be claimed again if nobody uses the grant.
    unit.due(u, "claim_grant", expires_at, c.lane_id)
    unit.commit(u)
    return {1, "OK", e, text(expires_at), kind}
end

return grant
