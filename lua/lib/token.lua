-- Waitpoint tokens and the secrets that sign them (chapter 03 section 5). A token is `<kid>:<digest>`
-- and never leaves the library except in the replies that hand it out.
local token = {}

local KID_MAX = 128
local SECRET_MAX = 1024
local DIGEST = 40

-- Printable ASCII without space and colon.
function token.is_kid(kid)
    return #kid >= 1 and #kid <= KID_MAX and not string.find(kid, "[^\33-\57\59-\126]")
end

-- The bytes of a secret, or nil.
function token.secret_bytes(hex)
    if #hex < 2 or #hex > SECRET_MAX then return nil end
    return hmac.from_hex(hex)
end

-- Whether tokens of a former kid have ceased to be valid. The last ms of its time still counts.
function token.is_expired(expires_at, now)
    local at = args.to_integer(expires_at or "")
    return not at or at <= 0 or at < now
end

function token.kid_of(presented)
    return string.match(presented or "", "^([^:]+):")
end

local function digest(secret, waitpoint_id, waitpoint_key, created_at)
    return hmac.sha1(secret, waitpoint_id .. "|" .. waitpoint_key .. "|" .. created_at)
end

-- The tag of the partition whose secrets KEYS[1] names.
function token.tag_of(given)
    local tag = args.tag(given[1])
    if given[1] ~= keys.secrets(tag) then args.refuse("KEYS[1]", "not the waitpoint secrets of a partition") end
    return tag
end

-- What mints in this partition; refuses as section 5.3 says. `lacks_secrets`: the caller says that it has none.
function token.minter(tag, lacks_secrets)
    if lacks_secrets then refuse("invalid_keys_missing_hmac") end
    local secrets = keys.secrets(tag)
    local kid = call("HGET", secrets, "current_kid")
    local hex = is_set(kid) and call("HGET", secrets, "secret:" .. kid)
    if not is_set(hex) then refuse("hmac_secret_not_initialized") end
    local secret = token.secret_bytes(hex)
    if not secret then refuse("invalid_secret") end
    return {kid = kid, secret = secret}
end

-- `created_at` is the decimal text that the waitpoint's record holds.
function token.mint(minter, waitpoint_id, waitpoint_key, created_at)
    return minter.kid .. ":" .. digest(minter.secret, waitpoint_id, waitpoint_key, created_at)
end

-- Section 5.4: nil when the token opens the waitpoint, else the code to refuse with.
function token.fault(u, lacks_secrets, presented, record)
    if lacks_secrets then return "invalid_keys_missing_hmac" end
    if presented == "" then return "missing_token" end
    local kid, mac = string.match(presented, "^([^:]+):(.*)$")
    if not kid or #mac ~= DIGEST then return "invalid_token" end
    local stored = call("HMGET", keys.secrets(u.tag), "current_kid", "secret:" .. kid, "expires_at:" .. kid)
    if not is_set(stored[1]) then return "hmac_secret_not_initialized" end
    if kid == stored[1] then
        if not is_set(stored[2]) then return "hmac_secret_not_initialized" end
    elseif not is_set(stored[2]) then
        return "invalid_token"
    end
    local secret = token.secret_bytes(stored[2])
    if not secret then return "invalid_secret" end
    local expected = digest(secret, record.waitpoint_id, record.waitpoint_key or "", record.created_at)
    if not hmac.equal(expected, mac) then return "invalid_token" end
    -- Told to none but holders of a token that was good: to others it would say that the waitpoint is there.
    if kid ~= stored[1] and token.is_expired(stored[3], u.now) then return "token_expired" end
    return nil
end

return token
