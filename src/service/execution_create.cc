#include <algorithm>
#include <map>

#include "base/json.h"
#include "model/error_catalogue.h"
#include "model/execution_policy.h"
#include "sched/claimer.h"
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
    const std::string& given =
        request.policy_json.empty() ? lane.default_policy_json : request.policy_json;
    std::string policy_text;
    model::ExecutionPolicy policy;
    if (!given.empty()) {
        FF_TRY(policy_text, model::ExecutionPolicy::stored_text(given));
        FF_TRY(policy, model::ExecutionPolicy::parse(policy_text));
    }
    std::optional<std::int64_t> priority = request.priority;
    if (!priority) priority = policy.priority;
    if (!priority) priority = lane.default_priority;
    const model::ExecutionId id = place(request);
    engine::CreateExecution& operation =
        operations.emplace_back(id, request.ns, std::move(request.lane));
    operation.execution_kind = std::move(request.execution_kind);
    operation.priority = priority.value_or(0);
    operation.creator_identity = std::move(request.creator_identity);
    operation.policy_json = std::move(policy_text);
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
                          .budgets = std::move(policy.budget_ids),
                          .quota = policy.quota_policy_id};
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
    if (!outcome.duplicate) {
        entry.created_at = context_.clock.now();
        indexes_.add(std::move(entry));
    }
    return {.duplicate = outcome.duplicate,
            .execution_id = outcome.execution_id,
            .public_state = outcome.public_state};
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
    co_return entered(std::move(entry), outcome);
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
    std::size_t sent = 0;
    for (Result<Indexes::Entry>& entry : prepared) {
        if (!entry) {
            results.emplace_back(std::move(entry).error());
            continue;
        }
        Result<engine::CreateExecution::Outcome>& outcome = outcomes[sent++];
        if (outcome) {
            results.emplace_back(entered(*std::move(entry), *outcome));
        } else {
            results.emplace_back(std::move(outcome).error());
        }
    }
    co_return results;
}

}  // namespace ff::service
