// What a client asks about the leases, signals and streams of one execution, and about events.

#include "flowfabric/client.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/readings_flows.h"
#include "sdk/readings_records.h"
#include "sdk/words.h"

namespace flowfabric {

using ff::sdk::DoorRequest;
using ff::sdk::execution_path;
using ff::sdk::get_json;
using ff::sdk::post_json;
using ff::sdk::query_of;

namespace {

constexpr Millis kBeyondTheWait{5000};
constexpr std::string_view kAllFamilies =
    "completion,lease_history,instance_tags,signal_delivery,operator,step";

std::string attempt_path(const std::string& id, std::int64_t attempt, std::string_view rest) {
    return execution_path(id, "/attempts/" + std::to_string(attempt) + std::string(rest));
}

std::string joined(const std::vector<std::string>& items) {
    std::string out;
    for (const std::string& item : items) out += (out.empty() ? "" : ",") + item;
    return out;
}

SignalPage signal_page_of(const Json& reply) {
    SignalPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["signals"].items())
        page.signals.push_back(ff::sdk::signal_record_of(one));
    return page;
}

}  // namespace

Result<RevokedLease> AdminClient::revoke_lease(const std::string& id,
                                               const std::string& reason) const {
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "revoke_lease", execution_path(id, "/revoke-lease"),
                         Json::object({{"reason", reason}})));
    return RevokedLease{.already = reply["reason"].text(),
                        .lease_id = reply["lease_id"].text(),
                        .lease_epoch = reply["lease_epoch"].integer()};
}

Result<ReclaimAnswer> AdminClient::reclaim_execution(const std::string& id,
                                                     const GrantRequest& request) const {
    const Json body = Json::object({{"worker_id", request.worker_id},
                                    {"worker_instance_id", request.worker_instance_id},
                                    {"lane_id", request.lane},
                                    {"worker_capabilities", Json::texts(request.capabilities)},
                                    {"grant_ttl_ms", std::int64_t{request.ttl.count()}}});
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "reclaim_execution", execution_path(id, "/reclaim"), body));
    ReclaimAnswer answer{.status = reply["status"].text(),
                         .detail = joined(reply["detail"].text_items())};
    if (answer.status == "granted") {
        answer.grant = ff::sdk::grant_of(reply);
        answer.grant.kind = "reclaim";
    }
    return answer;
}

Result<LeaseInfo> AdminClient::take_over(const std::string& id, const TakeOver& request) const {
    const std::string lease = request.lease_id.empty() ? ff::sdk::mint_uuid() : request.lease_id;
    const Json body = Json::object({{"worker_id", request.worker_id},
                                    {"worker_instance_id", request.worker_instance_id},
                                    {"lease_ttl_ms", std::int64_t{request.lease_ttl.count()}},
                                    {"lease_id", lease}});
    // The lease id makes a repeat harmless.
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "take_over",
                                                       .method = "POST",
                                                       .target = execution_path(id, "/take-over"),
                                                       .body = body.dump(),
                                                       .repeatable = true}));
    return LeaseInfo{.execution_id = reply["execution_id"].text(),
                     .lease_id = reply["lease_id"].text(),
                     .lease_epoch = reply["lease_epoch"].integer(),
                     .attempt_index = reply["attempt_index"].integer(),
                     .attempt_id = reply["attempt_id"].text(),
                     .expires_at = reply["lease_expires_at"].integer()};
}

Result<std::string> AdminClient::release_hold(const std::string& id) const {
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "release_hold", execution_path(id, "/release-hold"), Json()));
    return reply["public_state"].text();
}

Result<std::string> AdminClient::resume_execution(const std::string& id, const std::string& actor,
                                                  Millis delay) const {
    const Json body =
        Json::object({{"actor", actor}, {"resume_delay_ms", std::int64_t{delay.count()}}});
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "resume_execution", execution_path(id, "/resume"), body));
    return reply["public_state"].text();
}

Result<SuspensionInfo> AdminClient::get_suspension(const std::string& id) const {
    FF_SDK_TRY(Json reply, get_json(*door_, "get_suspension", execution_path(id, "/suspension")));
    return ff::sdk::suspension_of(std::move(reply));
}

Result<OpenCondition> AdminClient::get_condition(const std::string& id) const {
    FF_SDK_TRY(Json reply,
               get_json(*door_, "get_condition", execution_path(id, "/suspension/condition")));
    return OpenCondition{.suspension_id = reply["suspension_id"].text(),
                         .type = reply["condition_type"].text(),
                         .satisfied = reply["satisfied"].boolean(),
                         .remaining = reply["remaining"].integer(),
                         .raw = std::move(reply)};
}

Result<SignalPage> AdminClient::list_signals(const std::string& id,
                                             const std::string& after) const {
    FF_SDK_TRY(const Json reply,
               get_json(*door_, "list_signals",
                        execution_path(id, "/signals" + query_of({{"after", after}}))));
    return signal_page_of(reply);
}

Result<SignalPage> AdminClient::list_waitpoint_signals(const std::string& id,
                                                       const std::string& waitpoint,
                                                       const std::string& after) const {
    const std::string rest =
        "/waitpoints/" + ff::sdk::percent(waitpoint) + "/signals" + query_of({{"after", after}});
    FF_SDK_TRY(const Json reply,
               get_json(*door_, "list_waitpoint_signals", execution_path(id, rest)));
    return signal_page_of(reply);
}

Result<std::vector<Attempt>> AdminClient::list_attempts(const std::string& id) const {
    std::vector<Attempt> attempts;
    std::string cursor;
    do {
        const std::string query = query_of({{"cursor", cursor}, {"limit", "1000"}});
        FF_SDK_TRY(const Json reply,
                   get_json(*door_, "list_attempts", execution_path(id, "/attempts" + query)));
        for (const Json& one : reply["attempts"].items())
            attempts.push_back(ff::sdk::attempt_of(one));
        cursor = reply["next_cursor"].text();
    } while (!cursor.empty());
    return attempts;
}

Result<LeaseHistory> AdminClient::lease_history(const std::string& id,
                                                const std::string& cursor) const {
    FF_SDK_TRY(const Json reply,
               get_json(*door_, "lease_history",
                        execution_path(id, "/lease-history" + query_of({{"cursor", cursor}}))));
    LeaseHistory history{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["events"].items())
        history.events.push_back(ff::sdk::lease_event_of(one));
    return history;
}

Result<FramePage> AdminClient::read_stream(const std::string& id, std::int64_t attempt,
                                           const std::string& from, int limit) const {
    const std::string target = attempt_path(id, attempt, "/stream") +
                               query_of({{"from", from}, {"limit", std::to_string(limit)}});
    FF_SDK_TRY(const Json reply, get_json(*door_, "read_stream", target));
    return ff::sdk::frames_of(reply);
}

Result<FramePage> AdminClient::tail_stream(const std::string& id, std::int64_t attempt,
                                           const std::string& after, Millis wait, int limit) const {
    const std::string target = attempt_path(id, attempt, "/stream/tail") +
                               query_of({{"after", after},
                                         {"block_ms", std::to_string(wait.count())},
                                         {"limit", std::to_string(limit)}});
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "tail_stream",
                                                       .target = target,
                                                       .timeout = wait + kBeyondTheWait,
                                                       .repeatable = true}));
    return ff::sdk::frames_of(reply);
}

Result<StreamInfo> AdminClient::stream_info(const std::string& id, std::int64_t attempt) const {
    FF_SDK_TRY(Json reply,
               get_json(*door_, "stream_info", attempt_path(id, attempt, "/stream/info")));
    return ff::sdk::stream_info_of(std::move(reply));
}

Result<StreamSummary> AdminClient::read_summary(const std::string& id, std::int64_t attempt) const {
    FF_SDK_TRY(const Json reply,
               get_json(*door_, "read_summary", attempt_path(id, attempt, "/summary")));
    return ff::sdk::stream_summary_of(reply);
}

Result<MergedPage> AdminClient::read_merged(const std::string& id, const std::string& cursor,
                                            bool latest_attempt_only, int limit) const {
    const std::string mode = latest_attempt_only ? "latest_attempt_only" : "all_attempts";
    const std::string query =
        query_of({{"mode", mode}, {"cursor", cursor}, {"limit", std::to_string(limit)}});
    FF_SDK_TRY(const Json reply,
               get_json(*door_, "read_merged", execution_path(id, "/stream" + query)));
    return ff::sdk::merged_of(reply);
}

Result<std::string> AdminClient::annotate(const std::string& id, std::int64_t attempt,
                                          const Annotation& annotation) const {
    Json body = Json::object({{"frame_type", annotation.type}});
    ff::sdk::set_bytes(body, "payload", annotation.payload);
    body.set_text("source", annotation.source);
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "annotate",
                         "/v1/admin/executions/" + ff::sdk::percent(id) + "/attempts/" +
                             std::to_string(attempt) + "/annotations",
                         body));
    return reply["id"].text();
}

Result<FeedPage> AdminClient::read_feed(const FeedQuery& query, Millis wait) const {
    const std::string families =
        query.families.empty() ? std::string(kAllFamilies) : joined(query.families);
    const std::string target = "/v1/streams/" + families +
                               query_of({{"cursor", query.cursor},
                                         {"block_ms", std::to_string(wait.count())},
                                         {"limit", std::to_string(query.limit)},
                                         {"execution_id", query.execution_id},
                                         {"flow_id", query.flow_id},
                                         {"namespace", query.ns},
                                         {"lane", query.lane},
                                         {"tag", query.tag},
                                         {"type", joined(query.types)}});
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "read_feed",
                                                       .target = target,
                                                       .timeout = wait + kBeyondTheWait,
                                                       .repeatable = true}));
    return ff::sdk::feed_page_of(reply);
}

Result<AuditPage> AdminClient::audit(const std::string& after, int limit, Millis wait) const {
    const std::string query = query_of({{"after", after},
                                        {"limit", std::to_string(limit)},
                                        {"block_ms", std::to_string(wait.count())}});
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "audit",
                                                       .target = "/v1/admin/audit" + query,
                                                       .timeout = wait + kBeyondTheWait,
                                                       .repeatable = true}));
    AuditPage page{.next = reply["next"].text()};
    for (const Json& one : reply["events"].items())
        page.entries.push_back(ff::sdk::audit_entry_of(one));
    return page;
}

}  // namespace flowfabric
