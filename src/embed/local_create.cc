// Batches of plain executions, without the detour over JSON: payloads would be most of it.

#include <algorithm>
#include <utility>

#include "embed/local_door.h"
#include "flowfabric/types.h"
#include "model/state.h"
#include "service/executions.h"

namespace ff::embed {
namespace asio = boost::asio;

namespace {

using service::Executions;
using CreatedAll = std::vector<Result<service::CreatedExecution>>;

/// Far below every limit of a request's body, so that both ways refuse the same.
constexpr std::size_t kBytesMost = 4U * 1024 * 1024;
constexpr std::size_t kKindBytesMost = 256;

bool is_plain_word(const std::string& kind) {
    return !kind.empty() && kind.size() <= kKindBytesMost &&
           std::ranges::all_of(kind, [](char c) { return c > ' ' && c < '\x7f'; });
}

/// False for what the routes have to read: rarer fields, and whatever they would refuse. The
/// payload stays with the caller, who waits for the answer.
bool add_plain(const flowfabric::NewExecution& given, std::vector<service::NewExecution>& batch) {
    const bool rare = !given.execution_id.empty() || !given.colocate_with_flow.empty() ||
                      !given.payload_encoding.empty() || !given.creator_identity.empty() ||
                      !given.tags.empty() || !given.policy.empty() || given.delay_until ||
                      given.deadline || given.hold_for_dependencies;
    auto ns = model::Namespace::parse(given.ns);
    auto lane = model::LaneId::parse(given.lane);
    if (rare || !is_plain_word(given.kind) || !ns || !lane) return false;
    service::NewExecution made{.ns = *std::move(ns),
                               .lane = *std::move(lane),
                               .execution_kind = given.kind,
                               .payload = LentBytes::lent(given.payload)};
    if (given.priority != 0) made.priority = given.priority;
    if (!given.idempotency_key.empty()) {
        auto key = model::IdempotencyKey::parse(given.idempotency_key);
        if (!key) return false;
        made.idempotency_key = *std::move(key);
    }
    batch.push_back(std::move(made));
    return true;
}

std::optional<std::vector<service::NewExecution>> plain_batch(
    const std::vector<flowfabric::NewExecution>& given) {
    if (given.empty() || given.size() > Executions::kBatchMost) return std::nullopt;
    std::size_t bytes = 0;
    for (const flowfabric::NewExecution& one : given) bytes += one.payload.size();
    if (bytes > kBytesMost) return std::nullopt;
    std::vector<service::NewExecution> batch;
    batch.reserve(given.size());
    for (const flowfabric::NewExecution& one : given) {
        if (!add_plain(one, batch)) return std::nullopt;
    }
    return batch;
}

asio::awaitable<Result<CreatedAll>> create_all(app::Instance& instance,
                                               std::vector<service::NewExecution> batch) {
    CreatedAll created = co_await instance.services().executions.create_batch(std::move(batch));
    co_return created;
}

flowfabric::Result<flowfabric::CreatedExecution> public_item(
    const Result<service::CreatedExecution>& item) {
    if (!item) {
        flowfabric::Error error = public_error(item.error());
        error.message = item.error().text();
        return error;
    }
    flowfabric::CreatedExecution created{
        .execution_id = item->execution_id.to_string(),
        .public_state = std::string(model::to_string(item->public_state)),
        .duplicate = item->duplicate};
    if (item->life) {
        created.retention_ms = item->life->retention.count();
        if (item->life->expires_at) created.expires_at = to_ms(*item->life->expires_at);
    }
    return created;
}

}  // namespace

std::optional<flowfabric::Result<sdk::CreatedItems>> LocalDoor::create(
    const std::vector<flowfabric::NewExecution>& executions) {
    auto batch = plain_batch(executions);
    if (!batch) return std::nullopt;
    const auto created = engine_->wait_for<CreatedAll>(
        [&](app::Instance& instance) { return create_all(instance, *std::move(batch)); });
    if (!created) return created.error();
    sdk::CreatedItems items;
    items.reserve(created->size());
    for (const auto& item : *created) items.push_back(public_item(item));
    return items;
}

}  // namespace ff::embed
