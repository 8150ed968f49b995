#include "sdk/readings_records.h"

#include "sdk/readings.h"
#include "sdk/words.h"

namespace ff::sdk {

using namespace flowfabric;

namespace {

/// The member that says what an event of that family was.
std::string_view type_member(std::string_view family) {
    if (family == "completion") return "outcome";
    if (family == "signal_delivery") return "effect_class";
    return "event";
}

FeedEvent event_of(const Json& one) {
    return {.event_id = one["event_id"].text(),
            .family = one["family"].text(),
            .execution_id = one["execution_id"].text(),
            .ns = one["namespace"].text(),
            .lane = one["lane_id"].text(),
            .flow_id = one["flow_id"].text(),
            .type = one[type_member(one["family"].text())].text(),
            .at = one["at"].integer(),
            .raw = one};
}

FeedGap gap_of(const Json& one) {
    FeedGap gap{.feed = one["feed"].text(), .partition = one["partition"].integer()};
    if (one.has("lost")) gap.lost = one["lost"].integer();
    return gap;
}

}  // namespace

Attempt attempt_of(Json one) {
    Attempt attempt{.index = one["attempt_index"].integer(),
                    .attempt_id = one["attempt_id"].text(),
                    .type = one["attempt_type"].text(),
                    .state = one["attempt_state"].text(),
                    .worker_id = one["worker_id"].text(),
                    .worker_instance_id = one["worker_instance_id"].text(),
                    .started_at = one["started_at"].integer(),
                    .ended_at = one["ended_at"].integer(),
                    .failure_reason = one["failure_reason"].text(),
                    .failure_category = one["failure_category"].text()};
    attempt.raw = std::move(one);
    return attempt;
}

LeaseEvent lease_event_of(Json one) {
    LeaseEvent event{.event = one["event"].text(),
                     .lease_id = one["lease_id"].text(),
                     .lease_epoch = one["lease_epoch"].integer(),
                     .attempt_index = one["attempt_index"].integer(),
                     .worker_instance_id = one["worker_instance_id"].text(),
                     .reason = one["reason"].text(),
                     .at = one["ts"].integer()};
    event.raw = std::move(one);
    return event;
}

SuspensionInfo suspension_of(Json reply) {
    SuspensionInfo info{
        .suspension_id = reply["suspension_id"].text(),
        .attempt_index = reply["attempt_index"].integer(),
        .reason = reply["reason_code"].text(),
        .created_at = reply["created_at"].integer(),
        .timeout_at = reply["timeout_at"].integer(),
        .on_timeout = reply["timeout_behavior"].text(),
        .closed_at = reply["closed_at"].integer(),
        .close_reason = reply["close_reason"].text(),
        .continuation = bytes_of(reply, "continuation_metadata_pointer").value_or("")};
    for (const Json& one : reply["waitpoints"].items())
        info.waitpoints.push_back(waitpoint_of(one));
    info.raw = std::move(reply);
    return info;
}

SignalInfo signal_record_of(Json one) {
    SignalInfo signal{.signal_id = one["signal_id"].text(),
                      .name = one["signal_name"].text(),
                      .category = one["signal_category"].text(),
                      .source_type = one["source_type"].text(),
                      .source_identity = one["source_identity"].text(),
                      .correlation_id = one["correlation_id"].text(),
                      .waitpoint_id = one["target_waitpoint_id"].text(),
                      .effect = one["observed_effect"].text(),
                      .accepted_at = one["accepted_at"].integer()};
    signal.raw = std::move(one);
    return signal;
}

Explanation explanation_of(Json reply) {
    Explanation explanation{.summary = reply["summary"].text(),
                            .execution = info_of(reply),
                            .lane_state = reply["lane_state"].text()};
    for (const Json& one : reply["workers"].items())
        explanation.workers.push_back(
            {.worker_id = one["worker_id"].text(),
             .worker_instance_id = one["worker_instance_id"].text(),
             .serves_lane = one["serves_lane"].boolean(),
             .missing_capabilities = one["missing_capabilities"].text_items()});
    for (const Json& one : reply["policies"].items())
        explanation.policies.push_back({.ref = one["ref"].text(),
                                        .exhausted = one["exhausted"].boolean(),
                                        .detail = one["detail"].text()});
    explanation.raw = std::move(reply);
    return explanation;
}

StreamSummary stream_summary_of(const Json& reply) {
    return {.document = reply["document"],
            .version = reply["version"].integer(),
            .last_updated_at = reply["last_updated_ms"].integer(),
            .closed_at = reply["closed_at"].integer(),
            .closed_reason = reply["closed_reason"].text()};
}

StreamInfo stream_info_of(Json reply) {
    StreamInfo info{.created_at = reply["created_at"].integer(),
                    .closed_at = reply["closed_at"].integer(),
                    .closed_reason = reply["closed_reason"].text(),
                    .frame_count = reply["frame_count"].integer(),
                    .total_bytes = reply["total_bytes"].integer(),
                    .retained_count = reply["retained_count"].integer(),
                    .retained_bytes = reply["retained_bytes"].integer()};
    info.raw = std::move(reply);
    return info;
}

MergedPage merged_of(const Json& reply) {
    MergedPage page{.next = reply["next"].text(), .more = reply["more"].boolean()};
    for (const Json& one : reply["frames"].items())
        page.frames.push_back(
            {.attempt_index = one["attempt_index"].integer(), .frame = frame_of(one)});
    if (reply.has("latest_summary"))
        page.latest_summary = stream_summary_of(reply["latest_summary"]);
    return page;
}

AuditEntry audit_entry_of(Json one) {
    AuditEntry entry{.id = one["id"].text(),
                     .event = one["event"].text(),
                     .actor = one["actor"].text(),
                     .remote = one["remote"].text(),
                     .request_id = one["request_id"].text(),
                     .subject = one["subject"].text(),
                     .outcome = one["outcome"].text(),
                     .at = one["ts"].integer()};
    entry.raw = std::move(one);
    return entry;
}

FeedPage feed_page_of(const Json& reply) {
    FeedPage page{.cursor = reply["cursor"].text()};
    for (const Json& one : reply["events"].items()) page.events.push_back(event_of(one));
    for (const Json& one : reply["gaps"].items()) page.gaps.push_back(gap_of(one));
    return page;
}

}  // namespace ff::sdk
