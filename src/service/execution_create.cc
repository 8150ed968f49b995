#include <algorithm>
#include <map>

#include "base/json.h"
#include "engine/create_batch.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"
#include "model/execution_policy.h"
#include "service/executions.h"
#include "service/scope_gate.h"

namespace ff::service {
namespace {

/// Payload bytes of one call of a batch.
constexpr std::size_t kBatchBytesMost = 8U * 1024 * 1024;

std::string json_of(const Tags& tags) {
    std::string text;
    if (tags.empty()) return text;
    json::Writer writer(text);
    writer.begin_object();
    for (const auto& [name, value] : tags) writer.key(name).string(value);
    writer.end_object();
    return text;
}

/// One call of a batch and where its items stood in the request.
struct BatchPart {
    engine::CreateBatch batch;
    std::vector<std::size_t> positions{};
    std::size_t bytes = 0;
};

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

Task<Executions::Prepared> Executions::prepare(NewExecution request, Sites& sites) {
    const std::pair name(request.lane.text(), request.ns.text());
    auto site = sites.find(name);
    if (site == sites.end()) {
        Result<sched::LaneConfig> opened = co_await open_lane(request.lane, request.ns);
        site = sites.emplace(name, Site{.lane = std::move(opened)}).first;
    }
    if (!site->second.lane) co_return site->second.lane.error();
    const sched::LaneConfig& lane = *site->second.lane;
    const std::string& given =
        request.policy_json.empty() ? lane.default_policy_json : request.policy_json;
    FF_CO_TRY(std::string policy_text, model::ExecutionPolicy::stored_text(given));
    FF_CO_TRY(model::ExecutionPolicy policy, model::ExecutionPolicy::parse(policy_text));
    std::optional<std::int64_t> priority = request.priority;
    if (!priority) priority = policy.priority;
    if (!priority) priority = lane.default_priority;
    if (!site->second.known) {
        FF_CO_CHECK(co_await indexes_.know(request.lane, request.ns));
        site->second.known = true;
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
    Sites sites;
    FF_CO_TRY(Prepared prepared, co_await prepare(std::move(request), sites));
    FF_CO_TRY(const engine::CreateExecution::Outcome outcome,
              co_await engine::run(context_.store, std::move(prepared.operation)));
    co_return entered(std::move(prepared.entry), outcome);
}

boost::asio::awaitable<std::vector<Result<CreatedExecution>>> Executions::create_batch(
    std::vector<NewExecution> requests) {
    std::vector<Result<CreatedExecution>> results;
    std::vector<std::optional<Indexes::Entry>> entries;
    std::vector<BatchPart> parts;
    std::map<std::uint16_t, std::size_t> open;  // partition -> its last part
    Sites sites;
    for (std::size_t i = 0; i < requests.size(); ++i) {
        Result<Prepared> prepared = co_await prepare(std::move(requests[i]), sites);
        if (!prepared) {
            results.emplace_back(std::move(prepared).error());
            entries.emplace_back();
            continue;
        }
        results.emplace_back(model::make_error("internal"));
        entries.emplace_back(std::move(prepared->entry));
        engine::CreateExecution operation = std::move(prepared->operation);
        const std::size_t bytes = operation.payload.size();
        const model::PartitionKey partition = operation.execution_id.partition();
        const auto found = open.find(partition.index());
        std::size_t part = found == open.end() ? parts.size() : found->second;
        if (part < parts.size() &&
            (parts[part].positions.size() >= engine::CreateBatch::kItemsMax ||
             parts[part].bytes + bytes > kBatchBytesMost)) {
            part = parts.size();
        }
        if (part == parts.size()) parts.push_back(BatchPart{.batch = {.partition = partition}});
        open[partition.index()] = part;
        parts[part].batch.executions.push_back(std::move(operation));
        parts[part].positions.push_back(i);
        parts[part].bytes += bytes;
    }
    std::vector<engine::CreateBatch> batches;
    for (BatchPart& part : parts) batches.push_back(std::move(part.batch));
    const auto outcomes = co_await engine::run_all(context_.store, std::move(batches));
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (std::size_t i = 0; i < parts[p].positions.size(); ++i) {
            const std::size_t at = parts[p].positions[i];
            if (!outcomes[p]) {
                results[at] = outcomes[p].error();
            } else if (!(*outcomes[p])[i]) {
                results[at] = (*outcomes[p])[i].error();
            } else {
                results[at] = entered(*std::move(entries[at]), *(*outcomes[p])[i]);
            }
        }
    }
    co_return results;
}

}  // namespace ff::service
