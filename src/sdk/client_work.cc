// What a client asks about signals, streams, lanes, workers and the server itself.

#include "flowfabric/client.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/words.h"

namespace flowfabric {

using ff::sdk::DoorRequest;
using ff::sdk::execution_path;
using ff::sdk::get_json;
using ff::sdk::post_json;

namespace {

constexpr Millis kBeyondTheWait{5000};
constexpr Millis kRotationTimeout{130'000};

std::string attempt_path(const std::string& id, std::int64_t attempt, std::string_view rest) {
    return execution_path(id, "/attempts/" + std::to_string(attempt) + std::string(rest));
}

Result<Done> expect_success(ff::sdk::Door& door, std::string_view operation, std::string target) {
    FF_SDK_TRY([[maybe_unused]] const Json reply, get_json(door, operation, std::move(target)));
    return Done{};
}

}  // namespace

Result<std::vector<Waitpoint>> AdminClient::list_pending_waitpoints(const std::string& id) const {
    FF_SDK_TRY(const Json reply, get_json(*door_, "list_pending_waitpoints",
                                          execution_path(id, "/pending-waitpoints")));
    std::vector<Waitpoint> waitpoints;
    for (const Json& one : reply["waitpoints"].items())
        waitpoints.push_back(ff::sdk::waitpoint_of(one));
    return waitpoints;
}

Result<std::string> AdminClient::waitpoint_token(const std::string& id,
                                                 const std::string& waitpoint) const {
    const std::string target =
        execution_path(id, "/waitpoints/" + ff::sdk::percent(waitpoint) + "/token");
    FF_SDK_TRY(const Json reply, get_json(*door_, "waitpoint_token", target));
    return reply["token"].text();
}

Result<SignalReceipt> AdminClient::deliver_signal(const std::string& id,
                                                  const NewSignal& signal) const {
    Json body = Json::object({{"signal_name", signal.name},
                              {"signal_category", signal.category},
                              {"source_type", signal.source_type},
                              {"source_identity", signal.source_identity}});
    body.set("signal_id", signal.signal_id.empty() ? ff::sdk::mint_uuid() : signal.signal_id);
    body.set_text("waitpoint_id", signal.waitpoint_id)
        .set_text("waitpoint_key", signal.waitpoint_key)
        .set_text("waitpoint_token", signal.waitpoint_token)
        .set_text("correlation_id", signal.correlation_id)
        .set_text("idempotency_key", signal.idempotency_key);
    if (signal.payload) ff::sdk::set_bytes(body, "payload", *signal.payload);
    const DoorRequest request{.operation = "deliver_signal",
                              .method = "POST",
                              .target = execution_path(id, "/signal"),
                              .body = body.dump(),
                              .repeatable = !signal.idempotency_key.empty()};
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, request));
    return ff::sdk::receipt_of(reply);
}

Result<SignalReceipt> AdminClient::approve(const std::string& id, const std::string& waitpoint_id,
                                           const std::string& signal_name,
                                           const std::string& actor) const {
    const Json body = Json::object({{"waitpoint_id", waitpoint_id},
                                    {"signal_name", signal_name},
                                    {"idempotency_suffix", waitpoint_id},
                                    {"actor", actor}});
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "approve", execution_path(id, "/approve"), body));
    return ff::sdk::receipt_of(reply);
}

Result<FramePage> AdminClient::read_stream(const std::string& id, std::int64_t attempt,
                                           const std::string& from, int limit) const {
    const std::string target =
        attempt_path(id, attempt, "/stream") +
        ff::sdk::query_of({{"from", from}, {"limit", std::to_string(limit)}});
    FF_SDK_TRY(const Json reply, get_json(*door_, "read_stream", target));
    return ff::sdk::frames_of(reply);
}

Result<FramePage> AdminClient::tail_stream(const std::string& id, std::int64_t attempt,
                                           const std::string& after, Millis wait, int limit) const {
    const std::string target = attempt_path(id, attempt, "/stream/tail") +
                               ff::sdk::query_of({{"after", after},
                                                  {"block_ms", std::to_string(wait.count())},
                                                  {"limit", std::to_string(limit)}});
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "tail_stream",
                                                       .target = target,
                                                       .timeout = wait + kBeyondTheWait,
                                                       .repeatable = true}));
    return ff::sdk::frames_of(reply);
}

Result<Json> AdminClient::stream_info(const std::string& id, std::int64_t attempt) const {
    return get_json(*door_, "stream_info", attempt_path(id, attempt, "/stream/info"));
}

Result<Json> AdminClient::read_summary(const std::string& id, std::int64_t attempt) const {
    return get_json(*door_, "read_summary", attempt_path(id, attempt, "/summary"));
}

Result<Json> AdminClient::annotate(const std::string& id, std::int64_t attempt,
                                   const Json& frame) const {
    return post_json(*door_, "annotate",
                     "/v1/admin/executions/" + ff::sdk::percent(id) + "/attempts/" +
                         std::to_string(attempt) + "/annotations",
                     frame);
}

Result<Json> AdminClient::read_feed(const std::string& families, const std::string& cursor,
                                    Millis wait,
                                    const std::map<std::string, std::string>& filters) const {
    std::map<std::string, std::string> query = filters;
    query["cursor"] = cursor;
    query["block_ms"] = std::to_string(wait.count());
    return ff::sdk::ask(*door_, {.operation = "read_feed",
                                 .target = "/v1/streams/" + families + ff::sdk::query_of(query),
                                 .timeout = wait + kBeyondTheWait,
                                 .repeatable = true});
}

Result<Json> AdminClient::audit(const std::map<std::string, std::string>& filters) const {
    return get_json(*door_, "audit", "/v1/admin/audit" + ff::sdk::query_of(filters));
}

Result<Json> AdminClient::list_lanes() const {
    return get_json(*door_, "list_lanes", "/v1/lanes");
}

Result<Json> AdminClient::set_lane(const std::string& lane, const Json& changes) const {
    return ff::sdk::ask(*door_, {.operation = "set_lane",
                                 .method = "PUT",
                                 .target = "/v1/lanes/" + ff::sdk::percent(lane),
                                 .body = changes.dump(),
                                 .repeatable = true});
}

Result<Json> AdminClient::list_workers(const std::string& ns, const std::string& cursor) const {
    return get_json(*door_, "list_workers",
                    "/v1/workers" + ff::sdk::query_of({{"namespace", ns}, {"cursor", cursor}}));
}

Result<Json> AdminClient::request_grant(const std::string& worker_id, const Json& request) const {
    return post_json(*door_, "request_grant",
                     "/v1/workers/" + ff::sdk::percent(worker_id) + "/claim", request);
}

Result<Json> AdminClient::rotate_waitpoint_secret(const std::string& kid,
                                                  const std::string& hex) const {
    return ff::sdk::ask(*door_,
                        {.operation = "rotate_waitpoint_secret",
                         .method = "POST",
                         .target = "/v1/admin/rotate-waitpoint-secret",
                         .body = Json::object({{"new_kid", kid}, {"new_secret_hex", hex}}).dump(),
                         .timeout = kRotationTimeout,
                         .repeatable = true});
}

Result<Json> AdminClient::waitpoint_kids() const {
    return get_json(*door_, "waitpoint_kids", "/v1/admin/waitpoint-kids");
}

Result<Json> AdminClient::capabilities() const {
    return get_json(*door_, "capabilities", "/v1/capabilities");
}

Result<Done> AdminClient::ping() const {
    return expect_success(*door_, "ping", "/healthz");
}

Result<Done> AdminClient::ready() const {
    return expect_success(*door_, "ready", "/readyz");
}

Result<std::string> AdminClient::metrics() const {
    const DoorRequest request{.operation = "metrics", .target = "/metrics", .repeatable = true};
    FF_SDK_TRY(ff::sdk::DoorReply reply, ff::sdk::success_of(door_->send(request)));
    return std::move(reply.body);
}

Result<Json> AdminClient::backup(const std::string& folder) const {
    return post_json(*door_, "backup", "/v1/admin/backup", Json::object({{"folder", folder}}));
}

}  // namespace flowfabric
