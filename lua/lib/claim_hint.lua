-- The hint beside an eligible index: namespaces that may have work in it (chapter 06 section 12.1).
local claim_hint = {}

local NAMESPACES_MAX = 64

local function joined(names)
    return table.concat(bytes.sorted(names, NAMESPACES_MAX), "\n")
end

-- Namespaces with work in the eligible index after a claim, and the upkeep of the hint. `waiting` are those
-- it has met, `removed` how many it has taken out, `left` how many are in there. What was not examined is
-- known from the hint only, whose reading a caller asks for by caring about fairness; else "" says unknown.
function claim_hint.namespaces(u, q, waiting, removed, is_examined, left)
    local hint = keys.lane(u.tag, q.lane, "eligible_ns")
    if is_examined and left == 0 then
        if removed > 0 then call("DEL", hint) end
        return ""
    end
    if is_examined and not next(q.over_share) then return joined(waiting) end
    if not is_examined and not q.is_fair then return "" end
    local names = {}
    for name in each(waiting) do
        names[name] = true
    end
    for _, name in ipairs(call("SMEMBERS", hint)) do
        if not is_examined then
            names[name] = true
        elseif not names[name] then
            unit.srem(u, hint, name)
        end
    end
    unit.commit(u)
    return joined(names)
end

return claim_hint
