#include "contract/streams.h"

namespace ff::contract {

List Page::payloads() const {
    List out;
    for (const Frame& frame : frames) out.push_back(frame.at("payload"));
    return out;
}

List StreamContract::append_keys(const Execution& e, int attempt) const {
    return {e.key("core"), e.stream_key(attempt), e.stream_key(attempt, ":meta"),
            e.attempt_key(attempt, ":summary")};
}

List StreamContract::append_args(const Execution& e, const FrameArgs& args) const {
    return {e.id(),
            std::to_string(args.attempt),
            e.lease_id,
            e.epoch,
            args.type,
            args.ts,
            args.payload,
            "",
            args.correlation_id,
            "",
            args.retention_maxlen,
            e.attempt_id,
            args.max_payload_bytes,
            args.mode,
            "",
            args.ttl_ms,
            "",
            "",
            "",
            args.seq,
            args.max_stream_bytes};
}

RespValue StreamContract::append(const Execution& e, const FrameArgs& args) const {
    return host().fcall("ff_append_frame", append_keys(e, args.attempt), append_args(e, args));
}

List StreamContract::batch_args(const Execution& e, const List& payloads,
                                const FrameArgs& head) const {
    List out{e.id(),
             std::to_string(head.attempt),
             e.lease_id,
             e.epoch,
             e.attempt_id,
             "",
             head.retention_maxlen,
             head.max_payload_bytes,
             head.max_stream_bytes,
             head.mode,
             head.ttl_ms,
             "",
             "",
             "",
             std::to_string(payloads.size())};
    for (const std::string& payload : payloads) {
        for (const std::string& field :
             {head.type, head.ts, std::string(), head.correlation_id, head.seq, payload}) {
            out.push_back(field);
        }
    }
    return out;
}

RespValue StreamContract::append_many(const Execution& e, const List& payloads,
                                      const FrameArgs& head) const {
    List keys = append_keys(e, head.attempt);
    keys.resize(3);
    return host().fcall("ff_append_frames", keys, batch_args(e, payloads, head));
}

RespValue StreamContract::append_system(const Execution& e, std::string_view source,
                                        int attempt) const {
    return host().fcall(
        "ff_append_system_frame",
        {e.key("core"), e.attempt_key(attempt), e.stream_key(attempt),
         e.stream_key(attempt, ":meta")},
        {e.id(), std::to_string(attempt), "note", "", "text", "", "", std::string(source), "", ""});
}

RespValue StreamContract::open_stream(const Execution& e, int attempt) const {
    return host().fcall("ff_open_stream",
                        {e.key("core"), e.attempt_key(attempt), e.stream_key(attempt),
                         e.stream_key(attempt, ":meta")},
                        {e.id(), std::to_string(attempt)});
}

RespValue StreamContract::try_read(const Execution& e, const ReadArgs& args) const {
    return host().fcall(
        "ff_read_attempt_stream",
        {e.stream_key(args.attempt), e.stream_key(args.attempt, ":meta"), e.key("core"),
         e.attempt_key(args.attempt)},
        {args.from, args.to, args.limit, args.visibility, args.types, args.max_bytes});
}

Page StreamContract::read(const Execution& e, const ReadArgs& args) const {
    Page page{.reply = try_read(e, args)};
    EXPECT_EQ(element(page.reply, 2), "OK") << to_string(page.reply);
    if (page.reply.items.size() < 9) return page;
    for (const RespValue& entry : page.reply.items[2].items) {
        page.ids.push_back(entry.items.at(0).text);
        page.frames.push_back(pairs(entry.items.at(1)));
    }
    page.closed_at = element(page.reply, 4);
    page.closed_reason = element(page.reply, 5);
    page.next = element(page.reply, 6);
    page.more = element(page.reply, 7);
    page.last_sequence = element(page.reply, 8);
    page.frame_count = element(page.reply, 9);
    return page;
}

RespValue StreamContract::summary(const Execution& e, bool with_meta) const {
    List keys{e.attempt_key(0, ":summary")};
    if (with_meta) keys.push_back(e.stream_key(0, ":meta"));
    return host().fcall("ff_read_summary", keys, {});
}

std::string StreamContract::meta(const Execution& e, std::string_view field, int attempt) const {
    return command({"HGET", e.stream_key(attempt, ":meta"), std::string(field)}).text;
}

std::int64_t StreamContract::length(const std::string& stream) const {
    return command({"XLEN", stream}).integer;
}

List StreamContract::markers(const Execution& e, int attempt) const {
    List found;
    for (auto& entry : entries(e.stream_key(attempt, ":live"))) {
        if (entry["mode"] == "control") found.push_back(entry["closed_reason"]);
    }
    return found;
}

}  // namespace ff::contract
