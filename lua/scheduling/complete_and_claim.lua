-- @function ff_complete_and_claim
-- @keys eligible [older...]
-- @argv complete_count ...
-- After complete_count (C, 0..256): C groups execution_id lease_id lease_epoch attempt_id result_payload
-- result_encoding; then nothing, or the ARGV of ff_claim_batch.
-- @reply {1,"OK",{item...},claim_reply}   item {execution_id,1,"completed"} or {execution_id,0,code,...};
--   claim_reply {} or the reply of ff_claim_batch, a refusal included
-- @refuses invalid_input
-- @repeat items answer execution_not_active with their own lease id; the claim repeats by its request_id
local COMPLETE_MAX = 256
local GROUP = 6

local function complete(items, i)
    local u, argv, at = items.u, items.argv, 2 + GROUP * (i - 1)
    local e = args.id(argv, at, "execution_id")
    args.check_partition(u.tag, e)
    local reply = completion.run(u, e, argv, at, argv[at + 5], "")
    -- The same id once more in this call must meet what was done here.
    unit.commit_records(u)
    return reply
end

-- One for each place of a reply, which is sent before the next call begins.
local completed = {}

-- One item of the reply: the single function's answer behind the id, without its word for success.
local function item_of(e, reply, i)
    if reply[1] ~= 1 then return {e, unpack(reply)} end
    local item = completed[i] or {"", 1, ""}
    completed[i] = item
    item[1], item[3] = e, reply[3]
    return item
end

local function claim_part(u, argv, at)
    return claim_round.run(u, claim_request.read(argv, at))
end

registry.add("ff_complete_and_claim", 1, 1, function(given, argv)
    local tag = args.tag(given[1])
    local count = args.integer(argv, 1, "complete_count", 0, COMPLETE_MAX)
    local claim_at = 1 + GROUP * count
    if count_of(argv) < claim_at then args.refuse("arity", "fewer completions than counted") end
    local u = unit.open(tag)
    local items = registry.answer_each({count = count, run = complete, replies = {}, u = u, argv = argv})
    for i = 1, count do
        items[i] = item_of(argv[2 + GROUP * (i - 1)], items[i], i)
    end
    unit.commit(u)
    if count_of(argv) == claim_at then return {1, "OK", items, {}} end
    return {1, "OK", items, registry.answer(claim_part, u, argv, claim_at)}
end)
