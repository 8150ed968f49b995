-- @function ff_unblock_batch
-- @keys blocked [older...]
-- @argv now_ms expected_reason expected_ref limit min_score
-- Walks at most 4 x limit (1..1000) members in score order from min_score (empty = start), unblocks up to
-- limit matching ones and drops members that are not blocked here any more.
-- @reply {1,"OK",unblocked,examined,next_score_or_empty}   where to go on: a score, or `<score>+<n>` when n
--   members of that score were passed
-- @refuses invalid_input
-- @repeat what is left
local LIMIT_MAX = 1000
local FIELDS = {"lifecycle_phase", "eligibility_state", "blocking_reason", "blocking_ref", "lane_id"}

-- The score to start from and how many of its members to pass over.
local function read_position(argv, i)
    local value = args.text(argv, i)
    if value == "" then return "-inf", 0 end
    local score, passed = string.match(value, "^(-?%d+)%+?(%d*)$")
    score, passed = args.to_integer(score or ""), args.to_integer(passed ~= "" and passed or "0")
    if not score or not passed then args.refuse("min_score", "not a position") end
    return text(score), passed
end

-- Where the next walk begins. `kept` counts, per score, the members that were looked at and stay.
local function next_position(page, examined, kept, start, passed)
    local score = page[2 * examined + 2]
    if not score then return "" end
    local before = (kept[score] or 0) + (score == start and passed or 0)
    return before > 0 and score .. "+" .. text(before) or score
end

-- What deciding takes of a core; nothing when there is none.
local function fields_of(core_key)
    local values = try("HMGET", core_key, unpack(FIELDS))
    local c = {}
    for i = 1, #FIELDS do
        if is_set(values[i]) then c[FIELDS[i]] = values[i] end
    end
    return c
end

-- Unblocks, drops or leaves one member; answers whether it was unblocked and whether it stays.
local function visit(u, blocked, e, reason, ref)
    local c = fields_of(keys.core(u.tag, e))
    if not blocking.is_blocked(c) or keys.lane(u.tag, c.lane_id, vector.lane_index(c)) ~= blocked then
        unit.zrem(u, blocked, e)
        return false, false
    end
    if not blocking.may_unblock(c, reason, ref) then return false, true end
    blocking.unblock(u, e, core.load(u.tag, e))
    return true, false
end

registry.add("ff_unblock_batch", 1, 5, function(given, argv)
    local blocked = given[1]
    local tag = args.tag(blocked)
    if not blocking.is_index(tag, blocked) then args.refuse("KEYS[1]", "not the index of a block") end
    local limit = args.integer(argv, 4, "limit", 1, LIMIT_MAX)
    local start, passed = read_position(argv, 5)
    local u = admission.open(tag, argv, 1)
    local page = checked.call("ZRANGEBYSCORE", blocked, start, "+inf", "WITHSCORES", "LIMIT", passed, 4 * limit + 1)
    local unblocked, examined, kept = 0, 0, {}
    while examined < 4 * limit and unblocked < limit and page[2 * examined + 1] do
        local e, score = page[2 * examined + 1], page[2 * examined + 2]
        local done, stays = visit(u, blocked, e, argv[2], argv[3])
        if done then unblocked = unblocked + 1 end
        if stays then kept[score] = (kept[score] or 0) + 1 end
        examined = examined + 1
    end
    unit.commit(u)
    return {1, "OK", text(unblocked), text(examined), next_position(page, examined, kept, start, passed)}
end)
