-- @function ff_append_frame
-- @keys exec_core [older...]
-- @argv execution_id attempt_index lease_id lease_epoch frame_type ts payload encoding correlation_id source retention_maxlen attempt_id max_payload_bytes [stream_mode] [patch_kind] [ttl_ms] [maxlen_floor] [maxlen_ceiling] [ema_alpha] [seq] [max_stream_bytes]
-- @reply {1,"OK",entry_id,frame_count,summary_version}
-- @refuses invalid_input invalid_frame_type retention_limit_exceeded execution_not_found stream_closed stale_owner_cannot_append corruption
-- @repeat with the same seq DUPLICATE and the first entry's id, also when the lease has ended; without seq a second frame
local DOCUMENT_MAX = 262144
local MODES = {durable = true, summary = true, best_effort = true}
local PATCH_KINDS = {["json-merge-patch"] = true}
local AT = {
    retention_maxlen = 11, max_payload_bytes = 13, ttl_ms = 16, maxlen_floor = 17, maxlen_ceiling = 18,
    ema_alpha = 19, max_stream_bytes = 21,
}

local function read_frame(argv, epoch, mode, limits)
    return {
        frame_type = argv[5], ts = args.optional_integer(argv, 6, "ts", 0), payload = argv[7], encoding = argv[8],
        correlation_id = argv[9], source = argv[10] ~= "" and argv[10] or "worker",
        seq = args.optional_integer(argv, 20, "seq", 1), epoch = epoch,
        ttl_ms = mode == "best_effort" and limits.ttl_ms or nil,
    }
end

-- Row 12: the document as the patch leaves it, and its version.
local function patched(key, payload)
    local stored = call("HMGET", key, "document", "version", "first_applied_ms")
    local patch, fault = merge_patch.parse(payload)
    if not patch then refuse("invalid_input", fault) end
    local document = merge_patch.parse(is_set(stored[1]) and stored[1] or "{}")
    if not document then refuse("corruption", "summary_document") end
    merge_patch.apply(document, patch)
    local merged = merge_patch.text(document)
    if #merged > DOCUMENT_MAX then refuse("retention_limit_exceeded", "summary_document") end
    return {text = merged, version = number_of(stored[2]) + 1, first_applied_ms = stored[3]}
end

local function duplicate(u, s, f, mode, summary_key)
    local version = mode == "summary" and text(number_of(call("HGET", summary_key, "version"))) or ""
    local is_last = f.seq == number_of(s.meta.last_client_seq)
    return {1, "DUPLICATE", is_last and s.meta.last_client_entry_id or "", text(s.count), version}
end

registry.add_growing("ff_append_frame", 1, 13, function(given, argv)
    local tag, e = args.execution(given, argv, 1)
    local index = args.integer(argv, 2, "attempt_index", 0)
    local lease_id = args.id(argv, 3, "lease_id")
    local epoch = args.integer(argv, 4, "lease_epoch", 0)
    local limits = frame.limits(argv, AT)
    local mode = args.optional_word(argv, 14, "stream_mode", MODES)
    if mode == "" then mode = "durable" end
    args.optional_word(argv, 15, "patch_kind", PATCH_KINDS)
    if mode == "best_effort" then frame.check_ttl(limits) end
    if mode == "summary" and args.lacks_key(given, 4) then args.refuse("stream_summary", "KEYS[4] missing") end
    local f = read_frame(argv, epoch, mode, limits)
    frame.check(f, limits)
    local u = unit.open(tag)
    local c = frame.guard(u, e)
    local s = frame.open(u, e, index, mode, f.seq ~= nil)
    local summary_key = keys.attempt_summary(tag, e, index)
    if frame.is_repeated(s, epoch, f.seq) then return duplicate(u, s, f, mode, summary_key) end
    frame.check_owner(u, c, s, lease_id, epoch)
    if mode == "summary" then
        local document = patched(summary_key, f.payload)
        f.summary_version = text(document.version)
        call("HSET", summary_key, "document", document.text, "version", document.version,
            "patch_kind", "json-merge-patch", "last_updated_ms", u.now,
            "first_applied_ms", is_set(document.first_applied_ms) and document.first_applied_ms or u.now)
    end
    local id = frame.add(u, s, f)
    frame.write(u, s, c, mode, limits, argv[12])
    return {1, "OK", id, text(s.count), f.summary_version or ""}
end)
