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

}  // namespace

model::ExecutionId Executions::place(const NewExecution& request) {
    if (request.execution_id) return *request.execution_id;
    const model::PartitionConfig& partitions = context_.rules.partitions;
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

Task<Executions::Prepared> Executions::prepare(NewExecution& request, Site& site) {
    if (!site.lane) {
        Result<sched::LaneConfig> opened = co_await open_lane(request.lane, request.ns);
        site.lane = std::move(opened);
    }
    if (!site.lane->has_value()) co_return site.lane->error();
    const sched::LaneConfig& lane = **site.lane;
    const std::string& given =
        request.policy_json.empty() ? lane.default_policy_json : request.policy_json;
    FF_CO_TRY(std::string policy_text, model::ExecutionPolicy::stored_text(given));
    FF_CO_TRY(model::ExecutionPolicy policy, model::ExecutionPolicy::parse(policy_text));
    std::optional<std::int64_t> priority = request.priority;
    if (!priority) priority = policy.priority;
    if (!priority) priority = lane.default_priority;
    if (!site.known) {
        FF_CO_CHECK(co_await indexes_.know(request.lane, request.ns));
        site.known = true;
    }
    const model::ExecutionId id = place(request);
    engine::CreateExecution operation{.execution_id = id,
                                      .ns = request.ns,
                                      .lane = request.lane,
                                      .execution_kind = std::move(request.execution_kind),
                                      .priority = priority.value_or(0),
                                      .creator_identity = std::move(request.creator_identity),
                                      .policy_json = std::move(policy_text),
                                      .payload = std::move(request.payload),
                                      .payload_encoding = std::move(request.payload_encoding),
                                      .delay_until = request.delay_until,
                                      .tags_json = json_of(request.tags),
                                      .execution_deadline = request.execution_deadline,
                                      .hold_for_dependencies = request.hold_for_dependencies,
                                      .idempotency_key = std::move(request.idempotency_key)};
    Indexes::Entry entry{.execution_id = id,
                         .ns = std::move(request.ns),
                         .tags = std::move(request.tags),
                         .budgets = std::move(policy.budget_ids)};
    co_return Prepared{.operation = std::move(operation), .entry = std::move(entry)};
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
    FF_CO_TRY(Prepared prepared, co_await prepare(request, site));
    FF_CO_TRY(const engine::CreateExecution::Outcome outcome,
              co_await creations_.one(prepared.operation));
    co_return entered(std::move(prepared.entry), outcome);
}

boost::asio::awaitable<std::vector<Result<CreatedExecution>>> Executions::create_batch(
    std::vector<NewExecution> requests) {
    std::vector<Result<CreatedExecution>> results;
    std::vector<engine::CreateExecution> operations;
    std::vector<std::pair<std::size_t, Indexes::Entry>> sent;   // where it stood, what it enters
    std::map<std::pair<std::string, std::string>, Site> sites;  // by lane and namespace
    for (std::size_t i = 0; i < requests.size(); ++i) {
        Site& site = sites[{requests[i].lane.text(), requests[i].ns.text()}];
        Result<Prepared> prepared = co_await prepare(requests[i], site);
        // Replaced below where it is sent.
        results.emplace_back(prepared ? model::make_error("internal") : prepared.error());
        if (!prepared) continue;
        operations.push_back(std::move(prepared->operation));
        sent.emplace_back(i, std::move(prepared->entry));
    }
    const Creations::Outcomes outcomes = co_await creations_.many(std::move(operations));
    for (std::size_t i = 0; i < sent.size(); ++i) {
        auto& [at, entry] = sent[i];
        if (outcomes[i]) {
            results[at] = entered(std::move(entry), *outcomes[i]);
        } else {
            results[at] = outcomes[i].error();
        }
    }
    co_return results;
}

}  // namespace ff::service
