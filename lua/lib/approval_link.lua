-- Links by which people answer at a waitpoint (chapter 03 section 3.8). They stand in the record of the waitpoint, in
-- the order of their creation. The secret of a link is in no store: its digest tells who holds it.
local approval_link = {}

local LINKS_MAX = 32
local ID_MAX, LABEL_MAX = 64, 256
local DIGEST = 64
-- How long a link may live: a year.
local TTL_MS_MAX = 31536000000

function approval_link.id(argv, i)
    local id = waitpoint.id(argv, i, "link_id")
    if #id > ID_MAX then args.refuse("link_id", "longer than " .. ID_MAX .. " bytes") end
    return id
end

function approval_link.digest(argv, i)
    local digest = args.text(argv, i)
    if #digest ~= DIGEST or string.find(digest, "[^0-9a-f]") then
        args.refuse("digest", "not " .. DIGEST .. " lower-case hex digits")
    end
    return digest
end

function approval_link.label(argv, i)
    local label = args.text(argv, i)
    if #label > LABEL_MAX then args.refuse("label", "longer than " .. LABEL_MAX .. " bytes") end
    return label
end

function approval_link.expires_at(argv, i, now)
    local at = args.due(argv, i, "expires_at", now)
    if at <= now then args.refuse("expires_at", "not in the future") end
    if at - now > TTL_MS_MAX then args.refuse("expires_at", "more than a year away") end
    return at
end

-- The links of a record of a waitpoint, as tables.
function approval_link.all(record)
    if not is_set(record.links) then return {} end
    local parsed, list = pcall(cjson.decode, record.links)
    if not parsed or type(list) ~= "table" then refuse("corruption", "links") end
    return list
end

function approval_link.find(list, id)
    for _, one in ipairs(list) do
        if one.id == id then return one end
    end
    return nil
end

-- Whoever does not hold the secret of a link learns nothing but that.
function approval_link.require(list, id, digest)
    local one = approval_link.find(list, id)
    if not one or not hmac.equal(one.digest, digest) then refuse("link_not_found") end
    return one
end

function approval_link.new(id, digest, label, now, expires_at)
    return {
        id = id, digest = digest, label = label, created_at = now, expires_at = expires_at, revoked_at = 0,
        answer = "", answered_at = 0, signal_id = "",
    }
end

function approval_link.add(list, one)
    if #list >= LINKS_MAX then refuse("link_limit_exceeded", text(LINKS_MAX)) end
    list[#list + 1] = one
end

-- What it can be used for at `now`: open, or why it can not.
function approval_link.state(one, record, now)
    if one.revoked_at > 0 then return "revoked" end
    if one.answer ~= "" then return "answered" end
    if one.expires_at <= now then return "expired" end
    return waitpoint.is_open(record) and "open" or "closed"
end

-- The text of the field `links`; its members always come in this order.
function approval_link.encode(list)
    local parts = {}
    for i, one in ipairs(list) do
        parts[i] = string.format('{"id":%s,"digest":"%s","label":%s,"created_at":%.0f,"expires_at":%.0f,'
            .. '"revoked_at":%.0f,"answer":"%s","answered_at":%.0f,"signal_id":%s}',
            cjson.encode(one.id), one.digest, cjson.encode(one.label), one.created_at, one.expires_at,
            one.revoked_at, one.answer, one.answered_at, cjson.encode(one.signal_id))
    end
    return "[" .. table.concat(parts, ",") .. "]"
end

return approval_link
