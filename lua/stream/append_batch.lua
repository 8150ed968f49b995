-- @function ff_append_frames
-- @keys exec_core [older...]
-- @argv execution_id attempt_index lease_id lease_epoch attempt_id source retention_maxlen max_payload_bytes max_stream_bytes stream_mode ttl_ms maxlen_floor maxlen_ceiling ema_alpha n ...
-- @reply {1,"OK",appended,skipped,first_entry_id,last_entry_id,frame_count}
-- @refuses invalid_input invalid_frame_type retention_limit_exceeded execution_not_found stream_closed stale_owner_cannot_append
-- @repeat frames with a seq are skipped, also when the lease has ended; without one they come twice
local MODES = {durable = true, best_effort = true}
local FRAMES_MAX = 256
local BATCH_BYTES_MAX = 1048576
local HEAD, GROUP = 15, 6
local AT = {
    retention_maxlen = 7, max_payload_bytes = 8, max_stream_bytes = 9, ttl_ms = 11, maxlen_floor = 12,
    maxlen_ceiling = 13, ema_alpha = 14,
}

local function integer_of(argv, i, name, least, which)
    local value = argv[i]
    if value == "" then return nil end
    local number = args.to_integer(value)
    if not number or number < least then refuse("invalid_input", name .. ": not an integer", which) end
    return number
end

-- The frames, all checked; refusals name the frame.
local function read_frames(argv, n, epoch, source, limits, ttl_ms)
    local frames, bytes_sum = {}, 0
    for k = 0, n - 1 do
        local at = HEAD + GROUP * k
        local which = text(k)
        local f = {
            frame_type = argv[at + 1], ts = integer_of(argv, at + 2, "ts", 0, which), encoding = argv[at + 3],
            correlation_id = argv[at + 4], seq = integer_of(argv, at + 5, "seq", 1, which), payload = argv[at + 6],
            source = source, epoch = epoch, ttl_ms = ttl_ms,
        }
        frame.check(f, limits, which)
        bytes_sum = bytes_sum + #f.payload
        frames[k + 1] = f
    end
    if bytes_sum > BATCH_BYTES_MAX then refuse("retention_limit_exceeded", "batch") end
    return frames
end

local function all_repeated(s, epoch, frames)
    for _, f in ipairs(frames) do
        if not frame.is_repeated(s, epoch, f.seq) then return false end
    end
    return true
end

registry.add_growing("ff_append_frames", 1, 15, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local index = args.integer(argv, 2, "attempt_index", 0)
    local lease_id = args.id(argv, 3, "lease_id")
    local epoch = args.integer(argv, 4, "lease_epoch", 0)
    local limits = frame.limits(argv, AT)
    local mode = args.optional_word(argv, 10, "stream_mode", MODES)
    if mode == "" then mode = "durable" end
    if mode == "best_effort" then frame.check_ttl(limits) end
    local n = args.integer(argv, 15, "n", 1, FRAMES_MAX)
    if #argv ~= HEAD + GROUP * n then args.refuse("n", "not the number of frames") end
    local source = argv[6] ~= "" and argv[6] or "worker"
    local frames = read_frames(argv, n, epoch, source, limits, mode == "best_effort" and limits.ttl_ms or nil)
    local u = unit.open(tag)
    local c = frame.guard(u, e)
    local s = frame.open(u, e, index, mode, true)
    if not all_repeated(s, epoch, frames) then frame.check_owner(u, c, s, lease_id, epoch) end
    local skipped = 0
    for _, f in ipairs(frames) do
        if frame.is_repeated(s, epoch, f.seq) then
            skipped = skipped + 1
        else
            frame.add(u, s, f)
        end
    end
    if s.added then frame.write(u, s, c, mode, limits, argv[5]) end
    return {1, "OK", text(n - skipped), text(skipped), s.first_id or "", s.last_id or "", text(s.count)}
end)
