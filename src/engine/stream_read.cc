#include "engine/stream_read.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kOpen = "ff_open_stream";
constexpr std::string_view kRead = "ff_read_attempt_stream";
constexpr std::string_view kSummary = "ff_read_summary";

/// Empty text is "not yet".
Result<std::optional<Timestamp>> optional_time(const ReplyReader& reader, std::size_t position,
                                               std::string_view name) {
    if (reader.text_or_empty(position).empty()) return std::optional<Timestamp>();
    FF_TRY(const Timestamp at, reader.time(position, name));
    return std::optional<Timestamp>(at);
}

Result<StreamEntry> read_entry(const store::Reply& item) {
    const ReplyReader pair(kRead, item.items());
    FF_TRY(const std::string_view id, pair.text(1, "id"));
    FF_TRY(const auto fields, pair.items(2, "fields"));
    StreamEntry entry{.id = std::string(id)};
    for (std::size_t i = 0; i + 1 < fields.size(); i += 2) {
        const auto name = fields[i].text();
        const auto value = fields[i + 1].text();
        if (!name || !value) return pair.fault("fields");
        entry.fields.emplace_back(*name, *value);
    }
    return entry;
}

}  // namespace

void OpenStream::write(CallWriter& to) const {
    const model::ExecKeys keys(stream.execution_id);
    to.begin(kOpen, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("attempt_index", stream.attempt_index.to_string());
}

Result<StreamState> OpenStream::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kOpen, reply));
    FF_TRY(const auto closed_at, optional_time(reader, 4, "closed_at"));
    FF_TRY(const std::int64_t count, reader.integer(7, "frame_count"));
    return StreamState{.closed_at = closed_at,
                       .closed_reason = std::string(reader.text_or_empty(5)),
                       .last_sequence = std::string(reader.text_or_empty(6)),
                       .frame_count = count};
}

void ReadAttemptStream::write(CallWriter& to) const {
    const model::ExecKeys keys(stream.execution_id);
    to.begin(kRead, 4);
    to.key("stream_data", keys.stream(stream.attempt_index));
    to.key("stream_meta", keys.stream_meta(stream.attempt_index));
    to.key("exec_core", keys.core());
    to.key("attempt_hash", keys.attempt(stream.attempt_index));
    to.arg("from_id", from_id);
    to.arg("to_id", to_id);
    to.arg("count_limit", count_max);
    to.arg("visibility", exclude_best_effort ? "exclude_best_effort" : "all");
    to.arg("frame_types", frame_types_csv);
    to.arg("max_bytes", bytes_max);
}

Result<ReadAttemptStream::Outcome> ReadAttemptStream::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRead, reply));
    FF_TRY(const auto entries, reader.items(3, "entries"));
    FF_TRY(const auto closed_at, optional_time(reader, 4, "closed_at"));
    FF_TRY(const std::string_view next_id, reader.text(6, "next_id"));
    FF_TRY(const std::int64_t more, reader.integer(7, "more"));
    Outcome outcome{.state = StreamState{.closed_at = closed_at,
                                         .closed_reason = std::string(reader.text_or_empty(5)),
                                         .last_sequence = std::string(reader.text_or_empty(8))},
                    .exists = !reader.text_or_empty(9).empty(),
                    .next_id = std::string(next_id),
                    .more = more != 0};
    if (outcome.exists) {
        FF_TRY(outcome.state.frame_count, reader.integer(9, "frame_count"));
    }
    for (const store::Reply& item : entries) {
        FF_TRY(StreamEntry entry, read_entry(item));
        outcome.entries.push_back(std::move(entry));
    }
    return outcome;
}

void ReadSummary::write(CallWriter& to) const {
    const model::ExecKeys keys(stream.execution_id);
    to.begin(kSummary, 2);
    to.key("stream_summary", keys.attempt_summary(stream.attempt_index));
    to.key("stream_meta", keys.stream_meta(stream.attempt_index));
}

Result<ReadSummary::Outcome> ReadSummary::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kSummary, reply));
    FF_TRY(const std::string_view document, reader.text(3, "document"));
    FF_TRY(const std::int64_t version, reader.integer(4, "version"));
    FF_TRY(const std::string_view patch_kind, reader.text(5, "patch_kind"));
    FF_TRY(const Timestamp updated, reader.time(6, "last_updated_ms"));
    FF_TRY(const Timestamp first, reader.time(7, "first_applied_ms"));
    FF_TRY(const auto closed_at, optional_time(reader, 8, "closed_at"));
    return Outcome{.document = std::string(document),
                   .version = version,
                   .patch_kind = std::string(patch_kind),
                   .last_updated = updated,
                   .first_applied = first,
                   .closed_at = closed_at,
                   .closed_reason = std::string(reader.text_or_empty(9))};
}

}  // namespace ff::engine
