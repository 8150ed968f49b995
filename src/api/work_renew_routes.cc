#include <utility>

#include "api/execution_fields.h"
#include "api/fields.h"
#include "api/json_response.h"
#include "api/lease_fields.h"
#include "api/parse_path.h"
#include "api/work_routes.h"
#include "model/error_catalogue.h"

namespace ff::api {
namespace {

using Kind = FieldDoc::Kind;
using service::Work;
using service::Workers;

constexpr IntegerLimits kLeaseTtl{.least = 1000, .most = 3'600'000};
constexpr std::size_t kLeasesMost = 256;
constexpr Millis kLeaseTtlDefault{30'000};

Result<engine::RenewLease> renewal(const model::ExecutionId& id, const PresentedLease& lease,
                                   std::optional<std::int64_t> ttl) {
    if (!lease.attempt_index) return invalid_input("attempt_index", "missing");
    engine::RenewLease request{.execution_id = id,
                               .attempt_index = *lease.attempt_index,
                               .fence = lease.fence,
                               .lease_ttl = lease.lease_ttl.value_or(kLeaseTtlDefault)};
    if (ttl) request.lease_ttl = Millis(*ttl);
    return request;
}

Result<engine::RenewLease> parse_renew(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(const model::ExecutionId id, parse_path_execution(call, partitions));
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_CHECK(body.matches_path("execution_id", id.to_string()));
    FF_TRY(const PresentedLease lease, required_lease(call, id));
    FF_TRY(const auto ttl, body.integer_if("lease_ttl_ms", kLeaseTtl));
    return renewal(id, lease, ttl);
}

void write_renewed(json::Writer& out, Timestamp expires_at) {
    out.key("status").string("renewed");
    out.key("lease_expires_at").integer(to_ms(expires_at));
}

Task<http::Response> renew(Work& work, model::PartitionConfig partitions, Call& call) {
    FF_CO_TRY(engine::RenewLease request, parse_renew(call, partitions));
    FF_CO_TRY(const Timestamp expires_at, co_await work.renew(std::move(request)));
    co_return json_response(200,
                            [expires_at](json::Writer& out) { write_renewed(out, expires_at); });
}

Result<engine::RenewLease> parse_item(const Fields& item, const model::PartitionConfig& partitions,
                                      std::optional<std::int64_t> ttl) {
    FF_CHECK(item.only({"execution_id", "task_token", "lease", "lease_id", "lease_epoch",
                        "attempt_id", "attempt_index"}));
    FF_TRY(const auto id, item.id<model::ExecutionId>("execution_id"));
    FF_CHECK(model::check_in_range(id, partitions));
    FF_TRY(const auto lease, find_lease(item.value(), std::nullopt, id));
    if (!lease) return model::make_error("fence_required");
    return renewal(id, *lease, ttl);
}

struct BatchRenewal {
    std::vector<std::string> ids{};
    /// As many; those that were understood are sent.
    std::vector<Result<engine::RenewLease>> items{};
    std::optional<model::WorkerInstanceId> instance{};
    std::optional<model::Namespace> ns{};
};

Result<BatchRenewal> parse_batch(Call& call, const model::PartitionConfig& partitions) {
    FF_TRY(const json::Value object, call.object());
    const Fields body(object);
    FF_TRY(const auto worker, parse_path<model::WorkerId>(call, "worker_id"));
    FF_CHECK(body.matches_path("worker_id", worker.text()));
    BatchRenewal batch;
    FF_TRY(batch.instance, body.id_if<model::WorkerInstanceId>("worker_instance_id"));
    FF_TRY(batch.ns, body.id_if<model::Namespace>("namespace"));
    FF_TRY(const auto ttl, body.integer_if("lease_ttl_ms", kLeaseTtl));
    FF_TRY(const auto leases, body.objects("leases", {.least = 1, .most = kLeasesMost}));
    for (const Fields& item : leases) {
        FF_TRY(std::string id, item.text("execution_id"));
        batch.ids.push_back(std::move(id));
        batch.items.push_back(parse_item(item, partitions, ttl));
    }
    return batch;
}

Task<http::Response> renew_batch(Work& work, Workers& workers, model::PartitionConfig partitions,
                                 Call& call) {
    FF_CO_TRY(BatchRenewal batch, parse_batch(call, partitions));
    std::vector<engine::RenewLease> requests;
    for (const Result<engine::RenewLease>& item : batch.items) {
        if (item) requests.push_back(*item);
    }
    const auto renewed = co_await work.renew_all(std::move(requests));
    if (batch.instance) {
        // The answer is about the leases; a heartbeat that fails is made up for by the next.
        const Result<Done> noted = co_await workers.seen(*batch.instance, batch.ns);
        static_cast<void>(noted.has_value());
    }
    co_return json_response(200, [&](json::Writer& out) {
        out.key("results").begin_array();
        std::size_t sent = 0;
        for (std::size_t i = 0; i < batch.items.size(); ++i) {
            out.begin_object();
            out.key("execution_id").string(batch.ids[i]);
            const auto* result = batch.items[i] ? &renewed[sent++] : nullptr;
            if (result != nullptr && *result) {
                write_renewed(out, (*result)->lease_expires_at);
            } else {
                write_item_error(out, result != nullptr ? result->error() : batch.items[i].error());
            }
            out.end_object();
        }
        out.end_array();
    });
}

}  // namespace

void add_renew_routes(Routes& routes, Work& work, Workers& workers,
                      model::PartitionConfig partitions) {
    routes.add(
        {.method = "POST",
         .pattern = "/v1/executions/{id}/renew",
         .body = BodyClass::Control,
         .doc = {.id = "renewLease",
                 .summary = "Extend a lease from now",
                 .body = {{.name = "task_token"},
                          {.name = "lease", .kind = Kind::Object, .type = "Lease"},
                          {.name = "lease_ttl_ms", .kind = Kind::Integer}},
                 .answer_type = "RenewedLease",
                 .errors = {"execution_not_found", "fence_required", "stale_lease", "lease_expired",
                            "lease_revoked", "execution_not_active"}},
         .handle = [&work, partitions](Call& call) { return renew(work, partitions, call); }});
    routes.add({.method = "POST",
                .pattern = "/v1/workers/{worker_id}/leases/renew",
                .body = BodyClass::Large,
                .doc = {.id = "renewLeases",
                        .summary = "Extend up to 256 leases; refreshes a registered instance too",
                        .body = {{.name = "worker_instance_id"},
                                 {.name = "namespace", .about = "Where the instance is registered"},
                                 {.name = "lease_ttl_ms", .kind = Kind::Integer},
                                 {.name = "leases",
                                  .kind = Kind::Array,
                                  .type = "[LeaseRenewal]",
                                  .required = true}},
                        .answer_type = "RenewedLeases"},
                .handle = [&work, &workers, partitions](Call& call) {
                    return renew_batch(work, workers, partitions, call);
                }});
}

void add_work_routes(Routes& routes, Work& work, Workers& workers,
                     model::PartitionConfig partitions) {
    add_claim_routes(routes, work, partitions);
    add_task_routes(routes, work, partitions);
    add_step_routes(routes, work, partitions);
    add_renew_routes(routes, work, workers, partitions);
}

}  // namespace ff::api
