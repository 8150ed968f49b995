-- What a worker is told about a task it claimed (chapter 06 section 12.1).
local claim_record = {}

local NO_TAGS = {}

-- `space` counts the payload bytes left in this reply; the first payload always goes along.
local function payload_of(u, e, c, space)
    local length = number_of(c.payload_len)
    if length == 0 then return "none", "" end
    if space.used and space.used + length > space.total then return "omitted", "" end
    space.used = (space.used or 0) + length
    local key = keys.payload(u.tag, e)
    if value_of then return "inline", value_of(key) end
    local payload = try("GET", key)
    return "inline", type(payload) == "string" and payload or ""
end

-- `lease` is the reply of the claim: {1,word,lease_id,epoch,expires_at,attempt_id,index,type} and, after
-- a suspension, its id, close reason and continuation pointer.
function claim_record.of(u, e, c, lease, space)
    local state, payload = payload_of(u, e, c, space)
    local tags = is_set(c.has_tags) and call("HGETALL", keys.tags(u.tag, e)) or NO_TAGS
    return {
        e, lease[3], lease[4], lease[5], lease[6], lease[7], lease[8], c.execution_kind or "",
        c.namespace or "", c.flow_id or "", is_set(c.priority) and c.priority or "0",
        is_set(c.created_at) and c.created_at or "0",
        state, payload, tags, c.payload_encoding or "", lease[9] or "", lease[10] or "", lease[11] or "",
    }
end

-- The record of what one call claimed, so that the same call sent again claims nothing new: a line
-- `execution_id lease_id attempt_type [suspension_id]` for each.
function claim_record.key(u, q)
    return "ff:claimreq:" .. u.tag .. ":" .. q.worker_instance_id .. ":" .. q.request_id
end

function claim_record.remember(u, q, claimed)
    local lines = {}
    for i, record in ipairs(claimed) do
        lines[i] = record[1] .. " " .. record[2] .. " " .. record[7] .. " " .. record[17]
    end
    call("SET", claim_record.key(u, q), table.concat(lines, "\n"), "PX", q.lease_ttl_ms)
end

-- The lease of a remembered line as the claim had answered it; nil when it is no longer held.
local function lease_of(u, e, c, lease_id, kind, suspension_id)
    if not c or c.current_lease_id ~= lease_id or c.ownership_state ~= "leased"
        or number_of(c.lease_expires_at) <= u.now then
        return nil
    end
    local lease = claim.reply("DUPLICATE", c, kind)
    if suspension_id ~= "" then
        local record = call("HMGET", keys.suspension(u.tag, e), "suspension_id", "close_reason",
            "continuation_metadata_pointer")
        local is_same = record[1] == suspension_id
        lease[9] = suspension_id
        lease[10] = is_same and record[2] or ""
        lease[11] = is_same and record[3] or ""
    end
    return lease
end

-- Fresh records of what an earlier call with this request id claimed and the worker still holds; nil
-- when there was none.
function claim_record.recall(u, q)
    if q.request_id == "" then return nil end
    local remembered = call("GET", claim_record.key(u, q))
    if not remembered then return nil end
    local claimed, space = {}, {total = q.payload_bytes}
    for line in string.gmatch(remembered, "[^\n]+") do
        local e, lease_id, kind, suspension_id = string.match(line, "^(%S+) (%S+) (%S*) ?(.*)$")
        local c = e and core.load(u.tag, e)
        local lease = c and lease_of(u, e, c, lease_id, kind, suspension_id)
        if lease then claimed[#claimed + 1] = claim_record.of(u, e, c, lease, space) end
    end
    return claimed
end

return claim_record
