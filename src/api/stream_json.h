#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "engine/stream_read.h"
#include "hub/feed_hub.h"
#include "hub/stream_hub.h"
#include "service/records.h"
#include "service/streams.h"

namespace ff::api {

/// How payloads are shown.
enum class PayloadForm : std::uint8_t { TextWhereItIs, Base64 };

/// A stored field under its name: numbers that are such as numbers, text as text, other bytes as
/// `<name>_base64`.
void write_field(json::Writer& out, std::string_view name, std::string_view value);
/// The members of a record, one for each field.
void write_fields(json::Writer& out, const service::RecordFields& fields);

/// `{"id","fields":{...}}`, with its attempt where that is not plain.
void write_frame(json::Writer& out, const engine::StreamEntry& frame, PayloadForm form,
                 std::optional<model::AttemptIndex> attempt = std::nullopt);
/// `closed_at` and `closed_reason`, if closed.
void write_closed(json::Writer& out, const std::optional<Timestamp>& closed_at,
                  std::string_view closed_reason);
/// The members of a summary.
void write_summary(json::Writer& out, const engine::ReadSummary::Outcome& summary);

void write_event(json::Writer& out, const hub::FeedEvent& event);
void write_gap(json::Writer& out, const hub::FeedGap& gap);

/// One object in one line.
template <class Fill>
std::string json_line(Fill fill) {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    fill(out);
    out.end_object();
    return text;
}

}  // namespace ff::api
