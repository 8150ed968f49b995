-- The inbound edges of a member as one group (chapter 05 section 5.4.4 step 6): all of them, any, or k.
local edge_group = {}

local FIELDS = {
    "policy_variant", "on_satisfied", "k", "n", "expected_n", "succeeded", "failed", "skipped", "group_state",
}

function edge_group.key(tag, flow_id, child)
    return keys.flow(tag, flow_id, "edgegroup:" .. child)
end

-- nil when there is no record.
function edge_group.load(tag, flow_id, child)
    local stored = call("HMGET", edge_group.key(tag, flow_id, child), unpack(FIELDS))
    if not stored[1] then return nil end
    return {
        variant = stored[1], on_satisfied = stored[2] or "", k = number_of(stored[3]), n = number_of(stored[4]),
        expected_n = number_of(stored[5]), succeeded = number_of(stored[6]), failed = number_of(stored[7]),
        skipped = number_of(stored[8]), state = is_set(stored[9]) and stored[9] or "pending",
    }
end

-- Without a record the child waits for all its edges; `meta` is its {unsatisfied, impossible}.
function edge_group.implied(tag, child, meta)
    local n = call("SCARD", keys.deps_all_edges(tag, child))
    local failed = number_of(meta[2])
    local g = {
        variant = "all_of", on_satisfied = "", k = 0, n = n, expected_n = 0, failed = failed, skipped = 0,
        succeeded = math.max(0, n - failed - number_of(meta[1])), implied = true,
    }
    g.state = edge_group.evaluate(g)
    return g
end

function edge_group.cancels(g)
    return g.variant ~= "all_of" and g.on_satisfied == "cancel_remaining"
end

-- pending, satisfied or impossible. A quorum above the number of edges waits for more of them.
function edge_group.evaluate(g)
    local size = math.max(g.n, g.expected_n)
    local k = size
    if g.variant == "any_of" then k = 1 elseif g.variant == "quorum" then k = g.k end
    if g.succeeded >= k then return "satisfied" end
    if size >= k and g.failed + g.skipped > size - k then return "impossible" end
    return "pending"
end

-- The record of a new group.
function edge_group.fields(u, variant, on_satisfied, k, n, expected_n)
    return {
        policy_variant = variant, on_satisfied = on_satisfied, k = k, n = n, expected_n = expected_n,
        succeeded = 0, failed = 0, skipped = 0, group_state = "pending", created_at = u.now,
    }
end

local VARIANTS = {all_of = "all_of", any_of = "any_of", quorum = "quorum", count = "quorum"}
local ON_SATISFIED = {cancel_remaining = true, let_run = true}
local K_MAX = 2147483647

-- Checks a policy as it is asked for; returns variant, on_satisfied and k as they are stored. `refuse_with`
-- is told the argument and why.
function edge_group.check_policy(variant, on_satisfied, k, refuse_with)
    local known = VARIANTS[variant]
    if not known then refuse_with("unsupported_policy_variant: " .. args.cut(variant, 64)) end
    if known == "all_of" then return known, "", 0 end
    if known == "quorum" then
        k = type(k) == "string" and args.to_integer(k) or k
        if type(k) ~= "number" or k < 1 or k ~= math.floor(k) or k > K_MAX then
            refuse_with("quorum k must be >= 1")
        end
    else
        k = 1
    end
    if not ON_SATISFIED[on_satisfied] then refuse_with("on_satisfied required") end
    return known, on_satisfied, k
end

return edge_group
