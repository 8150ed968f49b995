-- @function ff_answer_approval_link
-- @keys exec_core
-- @argv execution_id waitpoint_id link_id digest signal_id answer signal_name [payload]
-- @reply {1,"OK",signal_id,effect}
-- @refuses invalid_input payload_too_large link_not_found link_not_open execution_not_found duplicate_signal target_not_signalable waitpoint_closed waitpoint_not_found signal_limit_exceeded corruption
-- @repeat DUPLICATE with the signal id; with another signal id link_not_open
local CATEGORIES = {approved = "approval", rejected = "rejection"}

registry.add("ff_answer_approval_link", 1, 7, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local u = unit.open(tag)
    local waitpoint_id = waitpoint.id(argv, 2, "waitpoint_id")
    local id, digest = approval_link.id(argv, 3), approval_link.digest(argv, 4)
    local answer = argv[6]
    if not CATEGORIES[answer] then args.refuse("answer", "unknown value") end
    local s = signal.of_link(u, {
        signal_id = waitpoint.id(argv, 5, "signal_id"), waitpoint_id = waitpoint_id,
        signal_name = args.id(argv, 7, "signal_name"), signal_category = CATEGORIES[answer],
        payload = args.text(argv, 8),
    })
    local record = waitpoint.load(tag, waitpoint_id)
    if not record or record.execution_id ~= e then refuse("link_not_found") end
    local list = approval_link.all(record)
    local one = approval_link.require(list, id, digest)
    if one.signal_id == s.signal_id then return {1, "DUPLICATE", s.signal_id} end
    local state = approval_link.state(one, record, u.now)
    if state ~= "open" then refuse("link_not_open", state) end
    local c = core.require(tag, e)
    if signal.duplicate(u, s) then refuse("duplicate_signal", s.signal_id) end
    s.source_identity = one.label ~= "" and one.label or "link:" .. one.id
    one.answer, one.answered_at, one.signal_id = answer, u.now, s.signal_id
    -- Among the writes of the delivery, which may still refuse.
    unit.hset(u, keys.waitpoint(tag, waitpoint_id), {links = approval_link.encode(list)})
    return delivery.run(u, e, c, s, record)
end)
