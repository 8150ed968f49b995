#include "api/stream_json.h"

#include <algorithm>
#include <array>

#include "api/fields.h"
#include "base/bytes.h"
#include "base/numbers.h"

namespace ff::api {
namespace {

/// Fields that hold whole numbers, in frames, records and feeds.
constexpr std::array<std::string_view, 51> kIntegers = {"accepted_at",
                                                        "activated_at",
                                                        "attempt_index",
                                                        "closed_at",
                                                        "consumed_at",
                                                        "created_at",
                                                        "delivered_at_ms",
                                                        "due_at",
                                                        "escalated_at",
                                                        "expires_at",
                                                        "first_applied_ms",
                                                        "frame_count",
                                                        "last_append_ts_ms",
                                                        "last_frame_at",
                                                        "last_signal_at",
                                                        "last_updated_ms",
                                                        "lease_epoch",
                                                        "live_bytes",
                                                        "live_expires_at",
                                                        "matched_signal_count",
                                                        "maxlen_applied_last",
                                                        "member_count",
                                                        "new_attempt_index",
                                                        "new_lease_epoch",
                                                        "old_lease_epoch",
                                                        "payload_len",
                                                        "replay_count",
                                                        "resume_delay_ms",
                                                        "retained_bytes",
                                                        "retained_count",
                                                        "retention_maxlen",
                                                        "satisfied_at",
                                                        "seq",
                                                        "signal_count",
                                                        "suspended_at",
                                                        "summary_version",
                                                        "timeout_at",
                                                        "total_bytes",
                                                        "ts",
                                                        "ttl_ms",
                                                        "version",
                                                        "resumed_at",
                                                        "previous_expires_at",
                                                        "partition",
                                                        "attempt_timeout_remaining_ms",
                                                        "ended_at",
                                                        "fallback_index",
                                                        "previous_attempt_index",
                                                        "replayed_from_attempt_index",
                                                        "started_at",
                                                        "timeout_ms"};
constexpr std::array<std::string_view, 2> kFlags = {"has_durable_frame", "has_summary_frame"};
constexpr std::string_view kRate = "ema_rate_hz";

bool contains(const auto& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

/// The tags that an entry of family `instance_tags` sets and clears.
void write_tags(json::Writer& out, const hub::FeedEntry& entry) {
    out.key("set").begin_object();
    for (const auto& [name, value] : entry.fields) {
        if (name.starts_with('+')) write_bytes(out, std::string_view(name).substr(1), value);
    }
    out.end_object().key("cleared").begin_array();
    for (const auto& [name, value] : entry.fields) {
        if (name.starts_with('-') && is_utf8(name)) out.string(std::string_view(name).substr(1));
    }
    out.end_array();
}

/// JSON that was stored as such.
bool write_object_text(json::Writer& out, std::string_view name, std::string_view value) {
    const auto document = json::Document::parse(value);
    if (!document.has_value() || !document->root().is_object()) return false;
    out.key(name).raw(value);
    return true;
}

}  // namespace

void write_field(json::Writer& out, std::string_view name, std::string_view value) {
    if (contains(kIntegers, name)) {
        const auto number = parse_i64(value);
        if (number) {
            out.key(name).integer(*number);
            return;
        }
        if (value.empty()) {
            out.key(name).null();
            return;
        }
    }
    if (contains(kFlags, name)) {
        out.key(name).boolean(value == "1");
        return;
    }
    if (name == kRate) {
        const auto number = json::Document::parse(value);
        const auto rate = number.has_value() ? number->root().as_number() : std::nullopt;
        out.key(name).number(rate.value_or(0));
        return;
    }
    write_bytes(out, name, value);
}

void write_fields(json::Writer& out, const service::RecordFields& fields) {
    for (const auto& [name, value] : fields) {
        if (is_utf8(name)) write_field(out, name, value);
    }
}

void write_frame(json::Writer& out, const engine::StreamEntry& frame, PayloadForm form,
                 std::optional<model::AttemptIndex> attempt) {
    out.begin_object();
    if (attempt) out.key("attempt_index").unsigned_integer(attempt->value);
    out.key("id").string(frame.id).key("fields").begin_object();
    for (const auto& [name, value] : frame.fields) {
        if (name != "payload") {
            write_field(out, name, value);
        } else if (form == PayloadForm::Base64) {
            out.key("payload_base64").string(to_base64(value));
        } else {
            write_bytes(out, name, value);
        }
    }
    out.end_object().end_object();
}

void write_closed(json::Writer& out, const std::optional<Timestamp>& closed_at,
                  std::string_view closed_reason) {
    if (!closed_at) return;
    out.key("closed_at").integer(to_ms(*closed_at));
    out.key("closed_reason").string(closed_reason);
}

void write_summary(json::Writer& out, const engine::ReadSummary::Outcome& summary) {
    if (summary.document.empty()) {
        out.key("document").null();
    } else {
        out.key("document").raw(summary.document);
    }
    out.key("version").integer(summary.version);
    out.key("patch_kind").string(summary.patch_kind);
    out.key("first_applied_ms").integer(to_ms(summary.first_applied));
    out.key("last_updated_ms").integer(to_ms(summary.last_updated));
    write_closed(out, summary.closed_at, summary.closed_reason);
}

void write_event(json::Writer& out, const hub::FeedEvent& event) {
    const bool tags = event.family == hub::FeedFamily::InstanceTags;
    out.begin_object();
    out.key("event_id").string(event.event_id());
    out.key("family").string(hub::to_string(event.family));
    for (const auto& [name, value] : event.entry.fields) {
        if (name == "family" || !is_utf8(name)) continue;
        if (tags && (name.starts_with('+') || name.starts_with('-'))) continue;
        if (name == "ts") {
            out.key("at").integer(parse_i64(value).value_or(0));
        } else if (name != "detail" || !write_object_text(out, name, value)) {
            write_field(out, name, value);
        }
    }
    if (tags) write_tags(out, event.entry);
    out.end_object();
}

void write_gap(json::Writer& out, const hub::FeedGap& gap) {
    const bool events = gap.place.feed == hub::Feed::Events;
    out.begin_object();
    out.key("feed").string(events ? "events" : "signal_delivery");
    out.key("partition").unsigned_integer(gap.place.partition);
    out.key("lost");
    if (gap.lost) {
        out.unsigned_integer(*gap.lost);
    } else {
        out.null();
    }
    out.end_object();
}

}  // namespace ff::api
