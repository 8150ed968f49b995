#include "api/worker_routes.h"

#include <utility>

#include "api/fields.h"
#include "api/json_response.h"
#include "api/parse_path.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::Workers;

constexpr std::int64_t kPageMost = 1000;

Result<service::WorkerRegistration> parse_registration(Call& call) {
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_TRY(auto worker, parse_path<model::WorkerId>(call, "worker_id"));
    FF_TRY(auto instance, parse_path<model::WorkerInstanceId>(call, "instance_id"));
    FF_CHECK(body.matches_path("worker_id", worker.text()));
    FF_CHECK(body.matches_path("worker_instance_id", instance.text()));
    FF_TRY(auto ns, body.id<model::Namespace>("namespace"));
    service::WorkerRegistration registration{
        .ns = std::move(ns), .worker_id = std::move(worker), .instance_id = std::move(instance)};
    FF_TRY(const auto names, body.texts("lanes", {.most = 64}));
    for (const std::string& name : names) {
        auto lane = model::LaneId::parse(name);
        if (!lane) return within_field(std::move(lane).error(), "lanes");
        registration.lanes.push_back(*std::move(lane));
    }
    FF_TRY(const auto texts, body.texts("capabilities", {.most = 4096}));
    const std::vector<std::string_view> tokens(texts.begin(), texts.end());
    FF_TRY(registration.capabilities, model::CapabilitySet::parse(tokens, "worker"));
    FF_TRY(const std::int64_t ttl,
           body.integer_or("ttl_ms", 60'000, {.least = 1000, .most = 3'600'000}));
    registration.ttl = Millis(ttl);
    FF_TRY(registration.boot_id, body.text_or("boot_id", "", {.most = 256}));
    FF_TRY(registration.takeover, body.flag_or("takeover", false));
    FF_TRY(registration.tasks_max, body.integer_if("max_tasks", {.least = 0, .most = 65536}));
    return registration;
}

Task<http::Response> enter(Workers& workers, Call& call) {
    FF_CO_TRY(service::WorkerRegistration registration, parse_registration(call));
    FF_CO_TRY(const service::RegisteredWorker entered,
              co_await workers.enter(std::move(registration)));
    co_return json_response(200, [&entered](json::Writer& out) {
        out.key("status").string(entered.registered ? "registered" : "refreshed");
        out.key("expires_at").integer(to_ms(entered.expires_at));
    });
}

Task<http::Response> heartbeat(Workers& workers, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(auto instance, parse_path<model::WorkerInstanceId>(call, "instance_id"));
    FF_CO_TRY(auto ns, body.id<model::Namespace>("namespace"));
    FF_CO_TRY(std::string boot_id, body.text_or("boot_id", "", {.most = 256}));
    FF_CO_TRY(const engine::HeartbeatWorker::Outcome outcome,
              co_await workers.heartbeat(std::move(ns), std::move(instance), std::move(boot_id)));
    co_return json_response(200, [&outcome](json::Writer& out) {
        using State = engine::HeartbeatWorker::State;
        switch (outcome.state) {
            case State::Refreshed:
                out.key("status").string("refreshed");
                out.key("next_expiry_ms").integer(outcome.ttl.count());
                break;
            case State::NotRegistered:
                out.key("status").string("not_registered");
                break;
            case State::Superseded:
                out.key("status").string("superseded");
                break;
        }
    });
}

Task<http::Response> leave(Workers& workers, Call& call) {
    FF_CO_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CO_TRY(auto worker, parse_path<model::WorkerId>(call, "worker_id"));
    FF_CO_TRY(auto instance, parse_path<model::WorkerInstanceId>(call, "instance_id"));
    const std::string given = call.query("namespace").value_or("");
    FF_CO_TRY(auto ns, model::Namespace::parse(given));
    FF_CO_TRY(std::string reason, body.text_or("reason", "", {.most = 256}));
    FF_CO_TRY(const bool revoke, body.flag_or("revoke_leases", false));
    FF_CO_CHECK(co_await workers.leave(std::move(ns), std::move(worker), std::move(instance),
                                       std::move(reason), revoke));
    co_return http::Response{.status = 204};
}

void write_csv(json::Writer& out, std::string_view name, std::string_view csv) {
    out.key(name).begin_array();
    while (!csv.empty()) {
        const std::size_t end = std::min(csv.find(','), csv.size());
        if (end > 0) out.string(csv.substr(0, end));
        csv.remove_prefix(std::min(end + 1, csv.size()));
    }
    out.end_array();
}

void write_worker(json::Writer& out, const engine::WorkerInfo& worker) {
    out.begin_object();
    out.key("namespace").string(worker.ns);
    out.key("worker_id").string(worker.worker_id);
    out.key("worker_instance_id").string(worker.instance_id);
    write_csv(out, "lanes", worker.lanes_csv);
    write_csv(out, "capabilities", worker.capabilities_csv);
    out.key("registered_at_ms").integer(to_ms(worker.registered_at));
    out.key("last_heartbeat_ms").integer(to_ms(worker.last_heartbeat));
    out.end_object();
}

Task<http::Response> list(Workers& workers, Call& call) {
    std::optional<model::Namespace> ns;
    if (const auto given = call.query("namespace")) {
        FF_CO_TRY(ns, model::Namespace::parse(*given));
    }
    FF_CO_TRY(const auto limit, call.query_integer("limit", 1, kSafeIntegerMax));
    const auto most = static_cast<std::size_t>(std::min(limit.value_or(kPageMost), kPageMost));
    std::string cursor = call.query("cursor").value_or("");
    FF_CO_TRY(const service::WorkerPage page,
              co_await workers.list(std::move(ns), std::move(cursor), most));
    co_return json_response(200, [&page](json::Writer& out) {
        out.key("workers").begin_array();
        for (const engine::WorkerInfo& worker : page.workers) write_worker(out, worker);
        out.end_array();
        if (page.next_cursor.empty()) {
            out.key("next_cursor").null();
        } else {
            out.key("next_cursor").string(page.next_cursor);
        }
    });
}

Task<http::Response> leases(Workers& workers, Call& call) {
    FF_CO_TRY(auto worker, parse_path<model::WorkerId>(call, "worker_id"));
    FF_CO_TRY(auto instance, parse_path<model::WorkerInstanceId>(call, "instance_id"));
    FF_CO_TRY(const std::vector<service::HeldLease> held,
              co_await workers.leases(std::move(worker), std::move(instance)));
    co_return json_response(200, [&held](json::Writer& out) {
        out.key("leases").begin_array();
        for (const service::HeldLease& lease : held) {
            out.begin_object();
            out.key("execution_id").string(lease.execution_id.to_string());
            out.key("lease_id").string(lease.fence.lease_id.to_string());
            out.key("lease_epoch").unsigned_integer(lease.fence.lease_epoch.value);
            out.key("attempt_index").unsigned_integer(lease.attempt_index.value);
            out.key("attempt_id").string(lease.fence.attempt_id.to_string());
            out.key("lease_expires_at").integer(to_ms(lease.lease_expires_at));
            out.key("task_token").string(lease.token);
            out.end_object();
        }
        out.end_array();
    });
}

constexpr std::string_view kInstance = "/v1/workers/{worker_id}/instances/{instance_id}";

std::string instance_path(std::string_view rest) {
    std::string path(kInstance);
    path.append(rest);
    return path;
}

void add_instance_routes(Routes& routes, Workers& workers) {
    routes.add({.method = "PUT",
                .pattern = std::string(kInstance),
                .body = BodyClass::Control,
                .doc = {.id = "registerWorker",
                        .summary = "Register a worker instance, or refresh it",
                        .body = {{.name = "namespace", .required = true, .example = "\"acme\""},
                                 {.name = "lanes", .kind = Kind::Array, .type = "[string]"},
                                 {.name = "capabilities", .kind = Kind::Array, .type = "[string]"},
                                 {.name = "ttl_ms", .kind = Kind::Integer, .about = "60000"},
                                 {.name = "boot_id"},
                                 {.name = "takeover", .kind = Kind::Boolean},
                                 {.name = "max_tasks", .kind = Kind::Integer}},
                        .answer_type = "RegisteredWorker",
                        .errors = {"duplicate_worker_instance", "invalid_capabilities"}},
                .handle = [&workers](Call& call) { return enter(workers, call); }});
    routes.add({.method = "POST",
                .pattern = instance_path("/heartbeat"),
                .body = BodyClass::Control,
                .doc = {.id = "heartbeatWorker",
                        .summary = "Keep a worker instance registered",
                        .body = {{.name = "namespace", .required = true, .example = "\"acme\""},
                                 {.name = "boot_id"}},
                        .answer_type = "Heartbeat"},
                .handle = [&workers](Call& call) { return heartbeat(workers, call); }});
    routes.add(
        {.method = "DELETE",
         .pattern = std::string(kInstance),
         .body = BodyClass::Control,
         .doc = {.id = "unregisterWorker",
                 .summary = "Remove a worker instance from the registry",
                 .query = {{.name = "namespace", .required = true, .example = "\"acme\""}},
                 .body = {{.name = "reason"}, {.name = "revoke_leases", .kind = Kind::Boolean}},
                 .statuses = {204}},
         .handle = [&workers](Call& call) { return leave(workers, call); }});
    routes.add(
        {.method = "GET",
         .pattern = instance_path("/leases"),
         .doc = {.id = "listLeases",
                 .summary =
                     "The leases of a worker instance, for one that lost the answer to a claim",
                 .answer_type = "HeldLeases"},
         .handle = [&workers](Call& call) { return leases(workers, call); }});
}

}  // namespace

void add_worker_routes(Routes& routes, Workers& workers) {
    add_instance_routes(routes, workers);
    routes.add({.method = "GET",
                .pattern = "/v1/workers",
                .doc = {.id = "listWorkers",
                        .summary = "Live workers",
                        .query = {{.name = "namespace", .about = "Absent: all"},
                                  {.name = "cursor"},
                                  {.name = "limit", .kind = Kind::Integer}},
                        .answer_type = "WorkerPage",
                        .errors = {"invalid_cursor"}},
                .handle = [&workers](Call& call) { return list(workers, call); }});
}

}  // namespace ff::api
