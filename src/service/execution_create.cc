#include <algorithm>
#include <map>

#include "base/json.h"
#include "base/log.h"
#include "model/error_catalogue.h"
#include "sched/claimer.h"
#include "service/effective_policy.h"
#include "service/execution_life.h"
#include "service/executions.h"
#include "service/scope_gate.h"

namespace ff::service {
namespace {

std::string json_of(const Tags& tags) {
    std::string text;
    if (tags.empty()) return text;
    json::Writer writer(text);
    writer.begin_object();
    for (const auto& [name, value] : tags) writer.key(name).string(value);
    writer.end_object();
    return text;
}

/// Whether somebody must look if the limits of a new execution exist.
bool names_limits(const NewExecution& request, const Indexes::Entry& entry) {
    return !request.allow_missing_budget && (!entry.budgets.empty() || entry.quota);
}

}  // namespace

model::ExecutionId Executions::place(const NewExecution& request) {
    if (request.execution_id) return *request.execution_id;
    const model::PartitionConfig& partitions = context_.rules.partitions;
    if (request.partition) {
        const model::Uuid uuid = model::Uuid::mint_v4(context_.random);
        return model::ExecutionId::in_partition(*request.partition, uuid);
    }
    if (request.colocate_with_flow) {
        return model::ExecutionId::for_flow(*request.colocate_with_flow, partitions,
                                            context_.random);
    }
    const auto& overrides = context_.rules.lane_spread_overrides;
    const auto found = overrides.find(request.lane.text());
    const std::uint16_t width =
        found == overrides.end() ? context_.rules.lane_spread : found->second;
    return model::ExecutionId::spread_solo({.lane = request.lane,
                                            .config = partitions,
                                            .partitioner = context_.partitioner,
                                            .spread = {.width = width},
                                            .idempotency_key = request.idempotency_key},
                                           model::Uuid::mint_v4(context_.random));
}

Task<sched::LaneConfig> Executions::open_lane(model::LaneId lane, model::Namespace ns) {
    FF_CO_TRY(sched::LaneConfig config, co_await context_.claimer.lanes().lane(lane));
    if (!config.takes_work()) {
        co_return model::make_error("lane_not_accepting", {lane.text()});
    }
    FF_CO_CHECK(co_await check_scope_open(context_, lane, std::move(ns)));
    co_return config;
}

Result<Indexes::Entry> Executions::prepare(NewExecution& request, const sched::LaneConfig& lane,
                                           std::vector<engine::CreateExecution>& operations) {
    FF_TRY(EffectivePolicy effective,
           effective_policy(request.policy_json, request.priority, lane));
    const Millis retention = retention_of(effective.policy, context_.rules.retention_default);
    const model::ExecutionId id = place(request);
    engine::CreateExecution& operation =
        operations.emplace_back(id, request.ns, std::move(request.lane));
    operation.execution_kind = std::move(request.execution_kind);
    operation.priority = effective.priority;
    operation.creator_identity = std::move(request.creator_identity);
    operation.policy_json = std::move(effective.text);
    operation.payload = std::move(request.payload);
    operation.payload_encoding = std::move(request.payload_encoding);
    operation.delay_until = request.delay_until;
    operation.tags_json = json_of(request.tags);
    operation.execution_deadline = request.execution_deadline;
    operation.hold_for_dependencies = request.hold_for_dependencies;
    operation.idempotency_key = std::move(request.idempotency_key);
    return Indexes::Entry{.execution_id = id,
                          .ns = std::move(request.ns),
                          .tags = std::move(request.tags),
                          .budgets = std::move(effective.policy.budget_ids),
                          .quota = effective.policy.quota_policy_id,
                          .retention = retention};
}

Task<Indexes::Entry> Executions::with_limits(Indexes::Entry entry,
                                             std::vector<engine::CreateExecution>& operations) {
    const Result<Done> there = co_await limits_.require(entry.budgets, entry.quota);
    if (there) co_return entry;
    operations.pop_back();
    co_return there.error();
}

Task<Indexes::Entry> Executions::prepare_at(Site& site, NewExecution& request,
                                            std::vector<engine::CreateExecution>& operations) {
    if (!site.lane) {
        Result<sched::LaneConfig> opened = co_await open_lane(request.lane, request.ns);
        site.lane = std::move(opened);
    }
    if (!site.lane->has_value()) co_return site.lane->error();
    const model::LaneId lane = request.lane;
    FF_CO_TRY(Indexes::Entry entry, prepare(request, **site.lane, operations));
    if (!site.known) {
        Result<Done> known = co_await indexes_.know(lane, entry.ns);
        if (!known) {
            operations.pop_back();
            co_return std::move(known).error();
        }
        site.known = true;
    }
    co_return entry;
}

CreatedExecution Executions::entered(Indexes::Entry entry,
                                     const engine::CreateExecution::Outcome& outcome) {
    CreatedExecution created{.duplicate = outcome.duplicate,
                             .execution_id = outcome.execution_id,
                             .public_state = outcome.public_state};
    if (outcome.duplicate) return created;
    created.life = Life{.retention = entry.retention};
    entry.created_at = context_.clock.now();
    indexes_.add(std::move(entry));
    return created;
}

boost::asio::awaitable<void> Executions::tell_lives(std::vector<CreatedExecution*> duplicates) {
    std::vector<model::ExecutionId> ids;
    for (const CreatedExecution* one : duplicates) ids.push_back(one->execution_id);
    const auto found = co_await describe_all(context_, std::move(ids));
    if (!found) {
        log::debug("service", "lives_not_told", {{"error", found.error().text()}});
        co_return;
    }
    for (std::size_t i = 0; i < found->size(); ++i) {
        const std::optional<ExecutionInfo>& info = (*found)[i];
        if (info) duplicates[i]->life = info->life;
    }
}

Task<CreatedExecution> Executions::create(NewExecution request) {
    Site site;
    std::vector<engine::CreateExecution> operations;
    FF_CO_TRY(Indexes::Entry entry, co_await prepare_at(site, request, operations));
    if (names_limits(request, entry)) {
        FF_CO_TRY(entry, co_await with_limits(std::move(entry), operations));
    }
    FF_CO_TRY(const engine::CreateExecution::Outcome outcome,
              co_await creations_.one(operations.front()));
    CreatedExecution created = entered(std::move(entry), outcome);
    if (created.duplicate) {
        std::vector<CreatedExecution*> duplicates{&created};
        co_await tell_lives(std::move(duplicates));
    }
    co_return created;
}

boost::asio::awaitable<std::vector<Result<CreatedExecution>>> Executions::create_batch(
    std::vector<NewExecution> requests) {
    std::vector<engine::CreateExecution> operations;
    operations.reserve(requests.size());
    std::vector<Result<Indexes::Entry>> prepared;  // what each enters, or why it does not
    prepared.reserve(requests.size());
    std::map<std::pair<std::string, std::string>, Site> sites;  // by lane and namespace
    // Most batches are all for one lane: the site of the one before is looked at first.
    Site* site = nullptr;
    std::optional<model::LaneId> lane;
    std::optional<model::Namespace> ns;
    for (NewExecution& request : requests) {
        if (site == nullptr || request.lane != *lane || request.ns != *ns) {
            site = &sites[{request.lane.text(), request.ns.text()}];
            lane = request.lane;
            ns = request.ns;
        }
        if (site->known) {
            prepared.push_back(prepare(request, **site->lane, operations));
        } else {
            Result<Indexes::Entry> entry = co_await prepare_at(*site, request, operations);
            prepared.push_back(std::move(entry));
        }
        if (prepared.back() && names_limits(request, *prepared.back())) {
            Result<Indexes::Entry> checked =
                co_await with_limits(*std::move(prepared.back()), operations);
            prepared.back() = std::move(checked);
        }
    }
    Creations::Outcomes outcomes = co_await creations_.many(std::move(operations));
    std::vector<Result<CreatedExecution>> results;
    results.reserve(prepared.size());
    std::vector<CreatedExecution*> duplicates;
    std::size_t sent = 0;
    for (Result<Indexes::Entry>& entry : prepared) {
        if (!entry) {
            results.emplace_back(std::move(entry).error());
            continue;
        }
        Result<engine::CreateExecution::Outcome>& outcome = outcomes[sent++];
        if (outcome) {
            results.emplace_back(entered(*std::move(entry), *outcome));
            if (outcome->duplicate) duplicates.push_back(&*results.back());
        } else {
            results.emplace_back(std::move(outcome).error());
        }
    }
    co_await tell_lives(std::move(duplicates));
    co_return results;
}

}  // namespace ff::service
