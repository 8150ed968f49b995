-- @function ff_evaluate_flow_eligibility
-- @keys exec_core [older...]
-- @argv
-- @reply {1,"OK",state}
-- state: not_found, not_runnable, owned, terminal, impossible, blocked_by_dependencies or eligible.
-- @refuses invalid_input
-- @repeat reads only
local function state_of(tag, e, c)
    if not c or is_set(c.purging) then return "not_found" end
    if c.lifecycle_phase ~= "runnable" then return "not_runnable" end
    if c.ownership_state ~= "unowned" then return "owned" end
    if is_set(c.terminal_outcome) and c.terminal_outcome ~= "none" then return "terminal" end
    local gate = flow.gate(tag, e, c)
    if gate == "impossible" then return gate end
    return gate == "closed" and "blocked_by_dependencies" or "eligible"
end

registry.add_read_only("ff_evaluate_flow_eligibility", 1, 0, function(given, _)
    local tag, e = dependency.child_of(given)
    return {1, "OK", state_of(tag, e, core.load(tag, e))}
end)
