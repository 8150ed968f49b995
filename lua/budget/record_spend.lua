-- @function ff_record_spend
-- @keys usage limits definition ledger ledger_index
-- @argv pair_count ... now_ms dedup_key execution_id [ledger_ttl_ms] [mode]
-- After pair_count (N, 0..64): N pairs of dimension and delta >= 0. What is counted also enters the
-- ledger of the execution. mode check (the default) asks: past a hard limit nothing is counted. mode spent tells: it
-- is always counted, and the answer names the limit it has passed.
-- @reply {1,"OK"}
-- @reply {1,"ALREADY_APPLIED"}
-- @reply {1,"SOFT_BREACH",dimension,new_total,limit,action}
-- @reply {1,"HARD_BREACH",dimension,usage,limit,action}   check: nothing was counted; spent: usage includes it
-- @refuses invalid_input budget_not_found
-- @repeat ALREADY_APPLIED with a dedup key, otherwise counted again
local LEDGER_TTL_MS = 2592000000
local LEDGER_TTL_MS_MAX = 315360000000
local MODES = {check = true, spent = true}

registry.add("ff_record_spend", 5, 4, function(given, argv)
    local count = budget.count(argv, 1, "pair_count", 4, 2)
    local c = {usage = given[1], limits = given[2], definition = given[3], ledger = given[4], index = given[5]}
    charge.read_deltas(c, argv, count, 2, 3, 2)
    local rest = 2 + 2 * count
    c.now = admission.now(argv, rest)
    c.dedup_key = charge.dedup_key(argv, rest + 1, c.usage)
    c.execution_id = argv[rest + 2]
    c.ledger_ttl_ms = args.optional_integer(argv, rest + 3, "ledger_ttl_ms", 1, LEDGER_TTL_MS_MAX)
        or LEDGER_TTL_MS
    c.is_spent = args.optional_word(argv, rest + 4, "mode", MODES) == "spent"
    return charge.run(c)
end)
