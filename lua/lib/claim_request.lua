-- The arguments of a batch claim (chapter 06 section 12.1), read from ARGV position `at` + 1 on.
local claim_request = {}

claim_request.TASKS_MAX = 256
local BASE = 19
-- Arguments behind the leases that a caller may leave out.
local OPTIONS = 2
local KINDS_MAX = 64
local REQUEST_ID_BYTES_MAX = 128
local SCAN_DEPTH_MAX = 4096
local PAYLOAD_BYTES = 4194304
local ARM_WAKE_MS_MAX = 60000
local FAIR_FLOOR = 9000
local ADMISSION = {defer = true, bypass = true}
local SWITCH = {["0"] = true, ["1"] = true}

local NONE = {}

-- A set from an LF list; nobody adds to it.
local function names(list)
    if list == "" then return NONE end
    local set = {}
    for name in string.gmatch(list, "[^\n]+") do
        set[name] = true
    end
    return set
end

local function read_admitted(argv, at, count)
    if count == 0 then return NONE, NONE end
    local order, quotas = {}, {}
    for i = 1, count do
        local e = args.id(argv, at + 2 * i - 1, "admitted execution_id")
        if not quotas[e] then
            order[#order + 1] = e
            quotas[e] = argv[at + 2 * i]
        end
    end
    return order, quotas
end

-- The admission epochs of the admitted ids, a CSV in their order.
local function read_epochs(argv, at, count, csv)
    if csv == "" then return NONE end
    local epochs, i = {}, 0
    for item in string.gmatch(csv, "[^,]+") do
        i = i + 1
        local epoch = args.to_integer(item)
        if i > count or not epoch or epoch < 1 then args.refuse("admission_epochs", "not one positive integer for each admitted id") end
        epochs[argv[at + 2 * i - 1]] = epoch
    end
    if i < count then args.refuse("admission_epochs", "not one positive integer for each admitted id") end
    return epochs
end

-- The kinds asked for, an LF list: in order, and each a name in the table too. False: any kind.
local function read_kinds(list)
    if list == "" then return false end
    local kinds = {}
    for kind in string.gmatch(list, "[^\n]+") do
        if kinds[kind] then args.refuse("kinds", "one of them twice") end
        kinds[kind] = true
        kinds[#kinds + 1] = kind
    end
    if #kinds > KINDS_MAX then args.refuse("kinds", "more than " .. KINDS_MAX) end
    return kinds[1] and kinds
end

-- The ids of the i-th lease and attempt that the caller offers.
function claim_request.ids(q, i)
    local at = q.ids_at + 2 * i
    return q.argv[at - 1], q.argv[at]
end

-- A lease id that will stand in the replay record must have no blank, which separates there.
local function check_ids(argv, at, count, remembered)
    for i = 1, count do
        local lease_id = args.id(argv, at + 2 * i - 1, "lease_id")
        if remembered and string.find(lease_id, "[%z\1-\32\127]") then
            args.refuse("lease_id", "blank or control character")
        end
        args.id(argv, at + 2 * i, "attempt_id")
    end
end

-- What the claim may take and in which order; the counts tell how many arguments follow.
local function read_choice(q, argv, at)
    q.scan_depth = args.optional_integer(argv, at + 9, "scan_depth", 1, SCAN_DEPTH_MAX)
        or math.max(64, 4 * q.max_tasks)
    q.payload_bytes = args.optional_integer(argv, at + 10, "max_payload_bytes", 0) or PAYLOAD_BYTES
    q.defers = args.optional_word(argv, at + 11, "admission", ADMISSION) ~= "bypass"
    q.gated, q.gates_all = names(argv[at + 12]), argv[at + 12] == "*"
    q.gates_flows = args.optional_word(argv, at + 13, "gate_flows", SWITCH) == "1"
    q.over_share = names(argv[at + 14])
    q.is_fair = argv[at + 14] ~= "" or argv[at + 15] ~= ""
    q.fair_floor = args.optional_integer(argv, at + 15, "fair_priority_floor") or FAIR_FLOOR
    q.namespace = argv[at + 16]
    q.arm_wake_ms = args.optional_integer(argv, at + 17, "arm_wake_ms", 0, ARM_WAKE_MS_MAX) or 0
    q.lost_first = args.optional_word(argv, at + 18, "include_reclaim", SWITCH) ~= "0"
end

-- A call has one claim at most: all share one table, every field of which is set anew (to false where there
-- is nothing: to fill a field that is nil, the store's compiler must add it). It is a claim as lib/claim.lua
-- takes it as well; ids and quota slots follow with each task.
local request = {reason = "claim_batch"}

function claim_request.read(argv, at)
    local given = count_of(argv)
    if given < at + BASE then
        args.refuse("arity", "a claim has at least " .. BASE .. " arguments")
    end
    local q = request
    q.worker_id = args.id(argv, at + 1, "worker_id")
    q.worker_instance_id = args.id(argv, at + 2, "worker_instance_id")
    q.lane = args.id(argv, at + 3, "lane_id")
    q.max_tasks = args.integer(argv, at + 5, "max_tasks", 1, claim_request.TASKS_MAX)
    q.lease_ttl_ms = args.lease_ttl(argv, at + 6)
    q.renew_before_ms = args.renew_before(argv, at + 7) or false
    q.request_id = argv[at + 8]
    if #q.request_id > REQUEST_ID_BYTES_MAX then args.refuse("request_id", "longer than 128 bytes") end
    read_choice(q, argv, at)
    local admitted = args.optional_integer(argv, at + 19, "admitted_count", 0, claim_request.TASKS_MAX) or 0
    local last = at + BASE + 2 * admitted + 2 * q.max_tasks
    if given < last then args.refuse("arity", "fewer admitted executions or leases than counted") end
    if given > last + OPTIONS then args.refuse("arity", "more admitted executions or leases than counted") end
    q.admitted, q.admitted_quotas = read_admitted(argv, at + BASE, admitted)
    q.epochs = read_epochs(argv, at + BASE, admitted, given > last and argv[last + 1] or "")
    q.kinds = read_kinds(given > last + 1 and argv[last + 2] or "")
    q.argv, q.ids_at = argv, at + BASE + 2 * admitted
    check_ids(argv, q.ids_at, q.max_tasks, q.request_id ~= "")
    q.capabilities = capabilities.parse(argv[at + 4], "worker")
    return q
end

-- Whether this execution is of a kind that the claim takes.
function claim_request.fits(q, c)
    return not q.kinds or q.kinds[c.execution_kind or ""] or false
end

-- Whether a budget or quota must be asked before this one may be claimed.
function claim_request.gates(q, c)
    return is_set(c.budget_ids) or is_set(c.quota_policy_id) or q.gates_all or q.gated[c.namespace or ""]
        or (q.gates_flows and is_set(c.flow_id))
end

return claim_request
