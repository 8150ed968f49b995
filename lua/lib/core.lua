-- exec_core: the one record that decides. Loaded with one HGETALL into a table field -> text, whose
-- missing fields are nil (see is_set and number_of).
local core = {}

-- nil when there is nothing, or another type of value.
function core.load(tag, e)
    local flat = try("HGETALL", keys.core(tag, e))
    local size = #flat
    if size == 0 then return nil end
    local c = {}
    for i = 1, size, 2 do
        c[flat[i]] = flat[i + 1]
    end
    -- A stray field does not make an execution.
    return c.lifecycle_phase and c or nil
end

-- Chapter 02 section 7.1.
function core.require(tag, e)
    local c = core.load(tag, e)
    if not c or is_set(c.purging) then refuse("execution_not_found") end
    return c
end

-- Section 9: tells a caller whether it was its own earlier call that ended the lease.
function core.refuse_not_active(c)
    refuse(
        "execution_not_active", c.terminal_outcome or "", c.current_lease_epoch or "0",
        c.lifecycle_phase or "", c.current_attempt_id or "", c.last_release_op or "",
        c.last_release_lease_id or "", c.delay_until or "")
end

-- Collects the change of this core in the unit; returns the fields to set. `c` is the core as loaded.
function core.change(u, e, c)
    return unit.core(u, keys.core(u.tag, e), c)
end

return core
