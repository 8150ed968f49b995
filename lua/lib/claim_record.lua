-- What a worker is told about a task it claimed (chapter 06 section 12.1).
local claim_record = {}

local NO_TAGS, NO_STEPS = {}, {}

-- One record, and what stands for its payload, for each place of a reply: a call has one of them, and it is
-- sent before the next call begins.
local records, values = {}, {}

-- `space` counts the payload bytes left in this reply; the first payload always goes along.
local function payload_of(u, e, c, space, at)
    local length = number_of(c.payload_len)
    if length == 0 then return "none", "" end
    if space.used and space.used + length > space.total then return "omitted", "" end
    space.used = (space.used or 0) + length
    if value_of then
        local value = values[at] or value_of("", "", "")
        values[at] = value
        value.ff_value_of, value[1], value[2] = keys.execution_head(u.tag), e, ":payload"
        return "inline", value
    end
    local payload = try("GET", keys.payload(u.tag, e))
    return "inline", type(payload) == "string" and payload or ""
end

-- All or none: a worker that got some of them could not tell what it has not done yet.
local function steps_of(u, e, c, space)
    if not is_set(c.step_count) then return "none", NO_STEPS end
    local bytes = (space.used or 0) + number_of(c.step_bytes)
    if bytes > space.total then return "omitted", NO_STEPS end
    space.used = bytes
    return "inline", steps.all(u, e, c)
end

local CHILDREN_PAGE = 10000

local function children_of(u, e, c, space)
    if not is_set(c.called_count) then return "none", NO_STEPS end
    local bytes = (space.used or 0) + number_of(c.called_bytes)
    if bytes > space.total then return "omitted", NO_STEPS end
    space.used = bytes
    return "inline", calls.from(u.tag, e, 0, CHILDREN_PAGE, bytes)
end

-- `lease` is the reply of the claim: {1,word,lease_id,epoch,expires_at,attempt_id,index,type} and, after
-- a suspension, its id, close reason and continuation pointer.
-- `at` is the place of the record in the reply.
function claim_record.of(u, e, c, lease, space, at)
    local state, payload = payload_of(u, e, c, space, at)
    local tags = is_set(c.has_tags) and call("HGETALL", keys.tags(u.tag, e)) or NO_TAGS
    local record = records[at] or {
        "", "", "", "", "", "", "", "", "", "", "", "", "", "", NO_TAGS, "", "", "", "", "", NO_STEPS, "", NO_STEPS,
    }
    -- One that holds the payload itself may be large.
    if value_of then records[at] = record end
    record[1], record[2], record[3], record[4] = e, lease[3], lease[4], lease[5]
    record[5], record[6], record[7] = lease[6], lease[7], lease[8]
    record[8], record[9], record[10] = c.execution_kind or "", c.namespace or "", c.flow_id or ""
    record[11] = is_set(c.priority) and c.priority or "0"
    record[12] = is_set(c.created_at) and c.created_at or "0"
    record[13], record[14], record[15], record[16] = state, payload, tags, c.payload_encoding or ""
    record[17], record[18], record[19] = lease[9] or "", lease[10] or "", lease[11] or ""
    record[20], record[21] = steps_of(u, e, c, space)
    record[22], record[23] = children_of(u, e, c, space)
    return record
end

-- The record of what one call claimed, so that the same call sent again claims nothing new: a line
-- `execution_id lease_id attempt_type [suspension_id]` for each.
function claim_record.key(u, q)
    return "ff:claimreq:" .. u.tag .. ":" .. q.worker_instance_id .. ":" .. q.request_id
end

local words = {}

function claim_record.remember(u, q, claimed)
    local size = 0
    for i = 1, #claimed do
        local record = claimed[i]
        words[size + 1], words[size + 2], words[size + 3] = record[1], " ", record[2]
        words[size + 4], words[size + 5], words[size + 6] = " ", record[7], " "
        words[size + 7], words[size + 8] = record[17], "\n"
        size = size + 8
    end
    call("SET", claim_record.key(u, q), table.concat(words, "", 1, size - 1), "PX", q.lease_ttl_ms)
end

-- The lease of a remembered line as the claim had answered it; nil when it is no longer held.
local function lease_of(u, e, c, lease_id, kind, suspension_id)
    if not c or c.current_lease_id ~= lease_id or c.ownership_state ~= "leased"
        or core.lease_is_over(u.now, number_of(c.lease_expires_at)) then
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
        if lease then
            claimed[#claimed + 1] = claim_record.of(u, e, c, lease, space, #claimed + 1)
        end
    end
    return claimed
end

return claim_record
