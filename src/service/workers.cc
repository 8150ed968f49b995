#include "service/workers.h"

#include <algorithm>
#include <set>

#include "base/numbers.h"
#include "engine/lease.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"
#include "model/global_keys.h"
#include "model/index_keys.h"
#include "service/execution_listing.h"
#include "service/task_token.h"

namespace ff::service {
namespace {

std::string lanes_csv(const std::vector<model::LaneId>& lanes) {
    std::set<std::string> names;
    for (const model::LaneId& lane : lanes) names.insert(lane.text());
    std::string csv;
    for (const std::string& name : names) csv += (csv.empty() ? "" : ",") + name;
    return csv;
}

Task<std::vector<model::ExecutionId>> leased_by(const Context& context,
                                                model::WorkerInstanceId instance_id) {
    std::vector<store::Call> reads;
    for (std::uint32_t p = 0; p < context.rules.partitions.num_flow_partitions(); ++p) {
        const model::IndexKeys keys(static_cast<std::uint16_t>(p));
        reads.push_back(store::plain({"SMEMBERS", keys.worker_leases(instance_id)}, true));
    }
    const auto replies = co_await context.store.pipeline(std::move(reads));
    std::vector<model::ExecutionId> ids;
    for (const Result<store::Reply>& reply : replies) {
        if (!reply) co_return reply.error();
        for (const store::Reply& item : reply->items()) {
            const auto id = model::ExecutionId::parse(item.text().value_or(""));
            if (id) ids.push_back(*id);
        }
    }
    co_return ids;
}

store::Call lease_call(const model::ExecutionId& id) {
    return store::plain(
        {"HMGET", model::ExecKeys(id).core(), "ownership_state", "current_worker_instance_id",
         "current_worker_id", "current_lease_id", "current_lease_epoch", "current_attempt_id",
         "current_attempt_index", "lease_expires_at", "lease_last_renewed_at", "lease_acquired_at",
         "lane_id"},
        true);
}

/// Nothing if the lease is another's by now.
Result<std::optional<HeldLease>> read_lease(const Context& context, const model::ExecutionId& id,
                                            const store::Reply& core,
                                            const model::WorkerId& worker_id,
                                            const model::WorkerInstanceId& instance_id) {
    const auto fields = core.items();
    if (fields.size() != 11) return model::make_error("parse_error", {"exec_core"});
    const auto text = [&](std::size_t at) { return fields[at].text().value_or(""); };
    const bool held = text(0) == "leased" && text(1) == instance_id.text();
    if (!held || text(2) != worker_id.text()) return std::optional<HeldLease>();
    FF_TRY(const auto lease_id, model::LeaseId::parse(text(3)));
    FF_TRY(const auto epoch, model::LeaseEpoch::parse(text(4)));
    FF_TRY(const auto attempt_id, model::AttemptId::parse(text(5)));
    FF_TRY(const auto index, model::AttemptIndex::parse(text(6)));
    FF_TRY(const auto lane, model::LaneId::parse(text(10)));
    const std::int64_t expires = parse_i64(text(7)).value_or(0);
    const std::int64_t since = parse_i64(text(8)).value_or(parse_i64(text(9)).value_or(expires));
    HeldLease lease{.execution_id = id,
                    .fence = {.lease_id = lease_id, .lease_epoch = epoch, .attempt_id = attempt_id},
                    .attempt_index = index,
                    .lease_expires_at = timestamp_from_ms(expires)};
    lease.token = TaskToken{.store = context.rules.token_store,
                            .execution_id = id,
                            .attempt_index = index,
                            .fence = lease.fence,
                            .lease_ttl = Millis(std::max<std::int64_t>(expires - since, 1)),
                            .lane_id = lane,
                            .worker_instance_id = instance_id}
                      .encode();
    return std::optional(std::move(lease));
}

}  // namespace

Task<RegisteredWorker> Workers::enter(WorkerRegistration registration) {
    FF_CO_CHECK(co_await indexes_.know_namespace(registration.ns));
    const Millis ttl = registration.ttl;
    const std::string instance = registration.instance_id.text();
    const model::Namespace ns = registration.ns;
    engine::RegisterWorker operation{.ns = registration.ns,
                                     .instance_id = registration.instance_id,
                                     .worker_id = registration.worker_id,
                                     .lanes_csv = lanes_csv(registration.lanes),
                                     .capabilities_csv = registration.capabilities.csv(),
                                     .ttl = ttl,
                                     .boot_id = std::move(registration.boot_id),
                                     .takeover = registration.takeover,
                                     .tasks_max = registration.tasks_max};
    FF_CO_TRY(const engine::RegisterWorker::Outcome outcome,
              co_await engine::run(context_.store, std::move(operation)));
    if (namespace_of_.size() >= kRememberedMax) namespace_of_.clear();
    namespace_of_.insert_or_assign(instance, ns);
    co_return RegisteredWorker{.registered = outcome.registered,
                               .expires_at = context_.clock.now() + ttl};
}

Task<engine::HeartbeatWorker::Outcome> Workers::heartbeat(model::Namespace ns,
                                                          model::WorkerInstanceId instance_id,
                                                          std::string boot_id) {
    engine::HeartbeatWorker operation{
        .ns = std::move(ns), .instance_id = std::move(instance_id), .boot_id = std::move(boot_id)};
    co_return co_await engine::run(context_.store, std::move(operation));
}

Task<Done> Workers::seen(model::WorkerInstanceId instance_id, std::optional<model::Namespace> ns) {
    if (!ns) {
        const auto known = namespace_of_.find(instance_id.text());
        if (known == namespace_of_.end()) co_return Done{};
        ns = known->second;
    }
    std::string any_boot;
    FF_CO_TRY(const engine::HeartbeatWorker::Outcome outcome,
              co_await heartbeat(*std::move(ns), instance_id, std::move(any_boot)));
    if (outcome.state == engine::HeartbeatWorker::State::NotRegistered) {
        namespace_of_.erase(instance_id.text());
    }
    co_return Done{};
}

Task<Done> Workers::leave(model::Namespace ns, model::WorkerId worker_id,
                          model::WorkerInstanceId instance_id, std::string reason,
                          bool revoke_leases) {
    engine::MarkWorkerDead operation{
        .ns = std::move(ns), .instance_id = instance_id, .reason = reason};
    FF_CO_CHECK(co_await engine::run(context_.store, std::move(operation)));
    namespace_of_.erase(instance_id.text());
    if (!revoke_leases) co_return Done{};
    FF_CO_TRY(const std::vector<HeldLease> held, co_await leases(worker_id, instance_id));
    std::vector<engine::RevokeLease> revocations;
    for (const HeldLease& lease : held) {
        revocations.push_back({.execution_id = lease.execution_id,
                               .expected_lease_id = lease.fence.lease_id,
                               .reason = reason.empty() ? "worker_left" : reason});
    }
    if (revocations.empty()) co_return Done{};
    const auto revoked = co_await engine::run_all(context_.store, std::move(revocations));
    for (const auto& one : revoked) {
        if (!one && one.error().code == "storage_error") co_return one.error();
    }
    co_return Done{};
}

Task<WorkerPage> Workers::list(std::optional<model::Namespace> ns, std::string cursor,
                               std::size_t limit) {
    if (!ns) co_return co_await list_all(std::move(cursor), limit);
    engine::ListWorkers operation{.ns = *std::move(ns),
                                  .after = std::move(cursor),
                                  .limit = static_cast<std::int64_t>(limit)};
    FF_CO_TRY(engine::ListWorkers::Outcome outcome,
              co_await engine::run(context_.store, std::move(operation)));
    co_return WorkerPage{.workers = std::move(outcome.workers),
                         .next_cursor = std::move(outcome.next_after)};
}

Task<WorkerPage> Workers::list_all(std::string cursor, std::size_t limit) {
    IndexPlace place;
    if (!cursor.empty()) {
        FF_CO_TRY(place, IndexPlace::decode(cursor));
    }
    store::Call call = store::plain({"SMEMBERS", model::kNamespacesKey}, true);
    FF_CO_TRY(const store::Reply reply, co_await context_.store.call(std::move(call)));
    std::set<std::string> names;
    for (const store::Reply& item : reply.items()) names.emplace(item.text().value_or(""));
    WorkerPage page;
    // A cursor's score is the namespace it stopped in.
    for (auto name = names.lower_bound(place.score); name != names.end(); ++name) {
        const auto parsed = model::Namespace::parse(*name);
        if (!parsed) continue;
        std::optional<model::Namespace> ns = *parsed;
        std::string after = *name == place.score ? place.member : std::string();
        FF_CO_TRY(WorkerPage part,
                  co_await list(std::move(ns), std::move(after), limit - page.workers.size()));
        std::ranges::move(part.workers, std::back_inserter(page.workers));
        if (page.workers.size() < limit && part.next_cursor.empty()) continue;
        const bool more = !part.next_cursor.empty() || std::next(name) != names.end();
        if (more) {
            // A part can be cut among workers that are gone.
            const bool cut = !part.next_cursor.empty();
            page.next_cursor =
                IndexPlace{.score = *name,
                           .member = cut ? part.next_cursor : page.workers.back().instance_id}
                    .encode();
        }
        break;
    }
    co_return page;
}

Task<std::vector<HeldLease>> Workers::leases(model::WorkerId worker_id,
                                             model::WorkerInstanceId instance_id) {
    FF_CO_TRY(const std::vector<model::ExecutionId> ids, co_await leased_by(context_, instance_id));
    std::vector<HeldLease> held;
    if (ids.empty()) co_return held;
    std::vector<store::Call> reads;
    for (const model::ExecutionId& id : ids) reads.push_back(lease_call(id));
    const auto cores = co_await context_.store.pipeline(std::move(reads));
    for (std::size_t i = 0; i < cores.size(); ++i) {
        if (!cores[i]) co_return cores[i].error();
        FF_CO_TRY(std::optional<HeldLease> lease,
                  read_lease(context_, ids[i], *cores[i], worker_id, instance_id));
        if (lease) held.push_back(*std::move(lease));
    }
    co_return held;
}

}  // namespace ff::service
