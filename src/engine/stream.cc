#include "engine/stream.h"

#include <algorithm>

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kAppend = "ff_append_frame";
constexpr std::string_view kAppendMany = "ff_append_frames";
constexpr std::string_view kAppendSystem = "ff_append_system_frame";

void write_owner(CallWriter& to, const model::ExecKeys& keys, const StreamAddress& stream,
                 const Fence& fence) {
    to.arg("execution_id", keys.id());
    to.arg("attempt_index", stream.attempt_index.to_string());
    to.arg("lease_id", fence.lease_id.to_string());
    to.arg("lease_epoch", fence.lease_epoch.to_string());
}

}  // namespace

std::string_view to_string(FrameMode mode) {
    switch (mode) {
        case FrameMode::Durable:
            return "durable";
        case FrameMode::Summary:
            return "summary";
        case FrameMode::BestEffort:
            return "best_effort";
    }
    return {};
}

void AppendFrame::write(CallWriter& to) const {
    const model::ExecKeys keys(stream.execution_id);
    to.begin(kAppend, 1);
    to.key("exec_core", keys.core());
    write_owner(to, keys, stream, fence);
    to.arg("frame_type", frame.type);
    to.arg("ts", frame.ts);
    to.arg("payload", frame.payload);
    to.arg("encoding", frame.encoding);
    to.arg("correlation_id", frame.correlation_id);
    to.arg("source", source);
    to.arg("retention_maxlen", limits.frames_max);
    to.arg("attempt_id", fence.attempt_id.to_string());
    to.arg("max_payload_bytes", limits.payload_bytes_max);
    to.arg("stream_mode", to_string(mode));
    to.arg("patch_kind", "");
    to.arg("ttl_ms", limits.best_effort_ttl);
    to.arg("maxlen_floor", "");
    to.arg("maxlen_ceiling", "");
    to.arg("ema_alpha", "");
    to.arg("seq", frame.seq);
    to.arg("max_stream_bytes", limits.stream_bytes_max);
}

Result<AppendFrame::Outcome> AppendFrame::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kAppend, reply));
    FF_TRY(const std::string_view id, reader.text(3, "entry_id"));
    FF_TRY(const std::int64_t count, reader.integer(4, "frame_count"));
    return Outcome{.duplicate = reader.word() == "DUPLICATE",
                   .entry_id = std::string(id),
                   .frame_count = count,
                   .summary_version = std::string(reader.text_or_empty(5))};
}

void AppendFrames::write(CallWriter& to) const {
    const model::ExecKeys keys(stream.execution_id);
    to.begin(kAppendMany, 1);
    to.key("exec_core", keys.core());
    write_owner(to, keys, stream, fence);
    to.arg("attempt_id", fence.attempt_id.to_string());
    to.arg("source", source);
    to.arg("retention_maxlen", limits.frames_max);
    to.arg("max_payload_bytes", limits.payload_bytes_max);
    to.arg("max_stream_bytes", limits.stream_bytes_max);
    to.arg("stream_mode", to_string(mode));
    to.arg("ttl_ms", limits.best_effort_ttl);
    to.arg("maxlen_floor", "");
    to.arg("maxlen_ceiling", "");
    to.arg("ema_alpha", "");
    to.arg("n", static_cast<std::int64_t>(frames.size()));
    for (const Frame& frame : frames) {
        to.arg("frame_type", frame.type);
        to.arg("ts", frame.ts);
        to.arg("encoding", frame.encoding);
        to.arg("correlation_id", frame.correlation_id);
        to.arg("seq", frame.seq);
        to.arg("payload", frame.payload);
    }
}

bool AppendFrames::resend_safe() const {
    return std::ranges::all_of(frames, [](const Frame& frame) { return frame.seq.has_value(); });
}

Result<AppendFrames::Outcome> AppendFrames::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kAppendMany, reply));
    FF_TRY(const std::int64_t appended, reader.integer(3, "appended"));
    FF_TRY(const std::int64_t skipped, reader.integer(4, "skipped"));
    FF_TRY(const std::string_view first, reader.text(5, "first_entry_id"));
    FF_TRY(const std::string_view last, reader.text(6, "last_entry_id"));
    FF_TRY(const std::int64_t count, reader.integer(7, "frame_count"));
    return Outcome{.appended = appended,
                   .skipped = skipped,
                   .first_id = std::string(first),
                   .last_id = std::string(last),
                   .frame_count = count};
}

void AppendSystemFrame::write(CallWriter& to) const {
    const model::ExecKeys keys(stream.execution_id);
    to.begin(kAppendSystem, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("attempt_index", stream.attempt_index.to_string());
    to.arg("frame_type", frame.type);
    to.arg("ts", frame.ts);
    to.arg("payload", frame.payload);
    to.arg("encoding", frame.encoding);
    to.arg("correlation_id", frame.correlation_id);
    to.arg("source", source);
    to.arg("retention_maxlen", "");
    to.arg("max_payload_bytes", "");
}

Result<AppendSystemFrame::Outcome> AppendSystemFrame::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kAppendSystem, reply));
    FF_TRY(const std::string_view id, reader.text(3, "entry_id"));
    FF_TRY(const std::int64_t count, reader.integer(4, "frame_count"));
    return Outcome{.entry_id = std::string(id), .frame_count = count};
}

}  // namespace ff::engine
