-- @function ff_get_budget
-- @keys definition limits usage
-- @argv
-- @reply {1,"OK",{definition},{limits},{usage}}   flat lists of fields and values
-- @refuses budget_not_found
-- @repeat the same answer
registry.add_read_only("ff_get_budget", 3, 0, function(given)
    local definition = checked.call("HGETALL", given[1])
    if not is_set(admission.table_of(definition).budget_id) then refuse("budget_not_found") end
    return {1, "OK", definition, checked.call("HGETALL", given[2]), checked.call("HGETALL", given[3])}
end)
