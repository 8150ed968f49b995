// What a client asks about waitpoints, lanes, workers and the server itself.

#include "flowfabric/client.h"
#include "sdk/public_error.h"
#include "sdk/readings.h"
#include "sdk/readings_flows.h"
#include "sdk/words.h"

namespace flowfabric {

using ff::sdk::DoorRequest;
using ff::sdk::execution_path;
using ff::sdk::get_json;
using ff::sdk::percent;
using ff::sdk::post_json;

namespace {

constexpr Millis kRotationTimeout{130'000};

Result<Done> expect_success(ff::sdk::Door& door, std::string_view operation, std::string target) {
    FF_SDK_TRY([[maybe_unused]] const Json reply, get_json(door, operation, std::move(target)));
    return Done{};
}

std::vector<std::int64_t> integers_of(const Json& list) {
    std::vector<std::int64_t> out;
    for (const Json& one : list.items()) out.push_back(one.integer());
    return out;
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
    const std::string target = execution_path(id, "/waitpoints/" + percent(waitpoint) + "/token");
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
    // Repeats carry the same id, so that the second is recognised.
    const DoorRequest request{.operation = "deliver_signal",
                              .method = "POST",
                              .target = execution_path(id, "/signal"),
                              .body = body.dump(),
                              .repeatable = true};
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

Result<ApprovalLink> ApprovalLinks::create(const NewApprovalLink& link) const {
    Json body = Json::object({{"label", link.label}});
    if (link.expires_in > Millis(0)) body.set("expires_in_ms", link.expires_in.count());
    const std::string target = execution_path(id_, "/waitpoints/" + percent(waitpoint_) + "/link");
    FF_SDK_TRY(const Json reply, post_json(*door_, "create_approval_link", target, body));
    return ApprovalLink{.link_id = reply["link_id"].text(),
                        .url = reply["url"].text(),
                        .expires_at = reply["expires_at"].integer()};
}

Result<std::int64_t> ApprovalLinks::revoke(const std::string& link_id) const {
    const std::string target = execution_path(id_, "/waitpoints/" + percent(waitpoint_) + "/link") +
                               ff::sdk::query_of({{"link_id", link_id}});
    FF_SDK_TRY(const Json reply, ff::sdk::ask(*door_, {.operation = "revoke_approval_links",
                                                       .method = "DELETE",
                                                       .target = target,
                                                       .repeatable = true}));
    return reply["revoked"].integer();
}

Result<LaneList> AdminClient::list_lanes(bool count_now) const {
    const std::string target =
        "/v1/lanes" + ff::sdk::query_of({{"counts", count_now ? "now" : ""}});
    FF_SDK_TRY(Json reply, get_json(*door_, "list_lanes", target));
    LaneList list;
    for (const Json& one : reply["lanes"].items()) list.lanes.push_back(ff::sdk::lane_of(one));
    list.raw = std::move(reply);
    return list;
}

Result<Done> AdminClient::set_lane(const std::string& lane, const LaneChanges& changes) const {
    Json body = Json::object();
    body.set_text("state", changes.state).set_text("default_policy_json", changes.default_policy);
    if (changes.scheduling_weight) body.set("scheduling_weight", *changes.scheduling_weight);
    if (changes.default_priority) body.set("default_priority", *changes.default_priority);
    FF_SDK_TRY([[maybe_unused]] const Json reply,
               ff::sdk::ask(*door_, {.operation = "set_lane",
                                     .method = "PUT",
                                     .target = "/v1/lanes/" + percent(lane),
                                     .body = body.dump(),
                                     .repeatable = true}));
    return Done{};
}

Result<Done> AdminClient::delete_lane(const std::string& lane) const {
    FF_SDK_TRY([[maybe_unused]] const Json reply,
               ff::sdk::ask(*door_, {.operation = "delete_lane",
                                     .method = "DELETE",
                                     .target = "/v1/lanes/" + percent(lane),
                                     .repeatable = true}));
    return Done{};
}

Result<WorkerPage> AdminClient::list_workers(const std::string& ns,
                                             const std::string& cursor) const {
    FF_SDK_TRY(
        Json reply,
        get_json(*door_, "list_workers",
                 "/v1/workers" + ff::sdk::query_of({{"namespace", ns}, {"cursor", cursor}})));
    WorkerPage page{.next_cursor = reply["next_cursor"].text()};
    for (const Json& one : reply["workers"].items())
        page.workers.push_back(ff::sdk::worker_of(one));
    page.raw = std::move(reply);
    return page;
}

Result<std::vector<LeaseInfo>> AdminClient::list_leases(
    const std::string& worker_id, const std::string& worker_instance_id) const {
    const std::string target = "/v1/workers/" + percent(worker_id) + "/instances/" +
                               percent(worker_instance_id) + "/leases";
    FF_SDK_TRY(const Json reply, get_json(*door_, "list_leases", target));
    std::vector<LeaseInfo> leases;
    for (const Json& one : reply["leases"].items())
        leases.push_back({.execution_id = one["execution_id"].text(),
                          .lease_id = one["lease_id"].text(),
                          .lease_epoch = one["lease_epoch"].integer(),
                          .attempt_index = one["attempt_index"].integer(),
                          .attempt_id = one["attempt_id"].text(),
                          .expires_at = one["lease_expires_at"].integer()});
    return leases;
}

Result<std::optional<Grant>> AdminClient::request_grant(const GrantRequest& request) const {
    const Json body = Json::object({{"lane_id", request.lane},
                                    {"worker_instance_id", request.worker_instance_id},
                                    {"capabilities", Json::texts(request.capabilities)},
                                    {"grant_ttl_ms", std::int64_t{request.ttl.count()}}});
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "request_grant",
                         "/v1/workers/" + percent(request.worker_id) + "/claim", body));
    if (reply.is_null()) return std::optional<Grant>();
    return std::optional<Grant>(ff::sdk::grant_of(reply));
}

Result<Rotation> AdminClient::rotate_waitpoint_secret(const std::string& kid,
                                                      const std::string& hex) const {
    FF_SDK_TRY(
        const Json reply,
        ff::sdk::ask(*door_,
                     {.operation = "rotate_waitpoint_secret",
                      .method = "POST",
                      .target = "/v1/admin/rotate-waitpoint-secret",
                      .body = Json::object({{"new_kid", kid}, {"new_secret_hex", hex}}).dump(),
                      .timeout = kRotationTimeout,
                      .repeatable = true}));
    return Rotation{.rotated = reply["rotated"].integer(),
                    .failed = integers_of(reply["failed"]),
                    .in_progress = integers_of(reply["in_progress"]),
                    .new_kid = reply["new_kid"].text()};
}

Result<WaitpointKids> AdminClient::waitpoint_kids() const {
    FF_SDK_TRY(const Json reply, get_json(*door_, "waitpoint_kids", "/v1/admin/waitpoint-kids"));
    WaitpointKids kids{.current = reply["current_kid"].text(),
                       .in_step = reply["in_step"].boolean()};
    for (const Json& one : reply["kids"].items())
        kids.kids.push_back({.kid = one["kid"].text(), .expires_at = one["expires_at"].integer()});
    return kids;
}

Result<ServerFacts> AdminClient::capabilities() const {
    FF_SDK_TRY(Json reply, get_json(*door_, "capabilities", "/v1/capabilities"));
    const Json& partitions = reply["partitions"];
    ServerFacts facts{.backend = reply["backend"].text(),
                      .version = reply["version"].text(),
                      .library_version = reply["library_version"].integer(),
                      .flow_partitions = partitions["flow"].integer(),
                      .budget_partitions = partitions["budget"].integer(),
                      .quota_partitions = partitions["quota"].integer(),
                      .lanes = reply["lanes"].text_items()};
    facts.raw = std::move(reply);
    return facts;
}

Result<Done> AdminClient::ping() const {
    return expect_success(*door_, "ping", "/healthz");
}

Result<Json> AdminClient::readiness() const {
    return get_json(*door_, "ready", "/readyz");
}

Result<Json> AdminClient::overview() const {
    return get_json(*door_, "overview", "/v1/overview");
}

Result<std::string> AdminClient::health() const {
    FF_SDK_TRY(const Json reply, get_json(*door_, "health", "/healthz"));
    const std::string reason = reply["reason"].text();
    return reply["status"].text() + (reason.empty() ? "" : ": " + reason);
}

Result<Done> AdminClient::ready() const {
    return expect_success(*door_, "ready", "/readyz");
}

Result<std::string> AdminClient::metrics() const {
    const DoorRequest request{.operation = "metrics", .target = "/metrics", .repeatable = true};
    FF_SDK_TRY(ff::sdk::DoorReply reply, ff::sdk::success_of(door_->send(request)));
    return std::move(reply.body);
}

Result<BackupReport> AdminClient::backup(const std::string& folder) const {
    FF_SDK_TRY(const Json reply,
               post_json(*door_, "backup", "/v1/admin/backup", Json::object({{"folder", folder}})));
    return BackupReport{.shards = reply["shards"].integer(),
                        .records = reply["records"].integer(),
                        .bytes = reply["bytes"].integer()};
}

}  // namespace flowfabric
