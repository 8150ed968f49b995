-- Capability sets as comma lists (chapter 06 section 6): exact bytes, empty pieces are skipped.
local capabilities = {}

local BYTES_MAX = 4096
local TOKENS_MAX = 256
local NONE = {}

-- The set of tokens, not to be changed; refuses a list that is too long, naming whose it is (`worker`, `required`).
function capabilities.parse(csv, whose)
    if #csv > BYTES_MAX then refuse("invalid_capabilities", whose .. ":too_many_bytes") end
    if csv == "" then return NONE end
    local set, count = {}, 0
    for token in string.gmatch(csv, "[^,]+") do
        if not set[token] then
            set[token] = true
            count = count + 1
        end
    end
    if count > TOKENS_MAX then refuse("invalid_capabilities", whose .. ":too_many_tokens") end
    return set
end

-- The required tokens a worker lacks, as a comma list; nil when it has them all.
function capabilities.missing(required, worker)
    if not is_set(required) then return nil end
    local missing = {}
    for token in string.gmatch(required, "[^,]+") do
        if not worker[token] then missing[#missing + 1] = token end
    end
    return missing[1] and table.concat(missing, ",")
end

return capabilities
