#include "service/creations.h"

#include <map>
#include <optional>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "engine/create_batch.h"
#include "engine/operation.h"
#include "model/error_catalogue.h"

namespace ff::service {
namespace asio = boost::asio;

namespace {

/// Payload bytes of one call.
constexpr std::size_t kCallBytesMost = 8U * 1024 * 1024;
/// With more of them the store waits for the loop, and then the loop for the store.
constexpr std::size_t kTogetherMost = 8;

/// One call and where its items stood in the request.
struct Part {
    engine::CreateBatch batch;
    std::vector<std::size_t> positions{};
    std::size_t bytes = 0;

    bool has_room(std::size_t more) const {
        return positions.size() < engine::CreateBatch::kItemsMax && bytes + more <= kCallBytesMost;
    }
};

/// All of one partition, and not too many for one call: then they need not be sorted.
bool fits_one_call(const std::vector<engine::CreateExecution>& operations) {
    if (operations.empty() || operations.size() > engine::CreateBatch::kItemsMax) return false;
    const std::uint16_t partition = operations.front().execution_id.partition_index();
    std::size_t bytes = 0;
    for (const engine::CreateExecution& one : operations) {
        bytes += one.payload.size();
        if (one.execution_id.partition_index() != partition || bytes > kCallBytesMost) return false;
    }
    return true;
}

std::vector<Part> parts_of(std::vector<engine::CreateExecution> operations) {
    std::vector<Part> parts;
    std::map<std::uint16_t, std::size_t> last;  // partition -> its last part
    for (std::size_t i = 0; i < operations.size(); ++i) {
        const std::size_t bytes = operations[i].payload.size();
        const model::PartitionKey partition = operations[i].execution_id.partition();
        const auto found = last.find(partition.index());
        std::size_t at = found == last.end() ? parts.size() : found->second;
        if (at == parts.size() || !parts[at].has_room(bytes)) {
            at = parts.size();
            parts.push_back(Part{.batch = {.partition = partition}});
            last[partition.index()] = at;
        }
        parts[at].batch.executions.push_back(std::move(operations[i]));
        parts[at].positions.push_back(i);
        parts[at].bytes += bytes;
    }
    return parts;
}

}  // namespace

/// A coroutine with its request, until one of its group has run it.
struct Creations::Waiting {
    using Handler = asio::async_result<asio::use_awaitable_t<>, void()>::handler_type;

    engine::CreateExecution& operation;
    std::optional<Result<Outcome>> outcome{};
    std::optional<Handler> handler{};
    /// Those to run, for the first of them.
    std::vector<Waiting*> group{};

    asio::awaitable<void> suspended() {
        auto initiate = [](Handler given, Waiting* self) {
            self->handler.emplace(std::move(given));
        };
        return asio::async_initiate<const asio::use_awaitable_t<>, void()>(
            std::move(initiate), asio::use_awaitable, this);
    }
    /// This object is gone afterwards.
    void resume() {
        Handler going = *std::move(handler);
        going();
    }
};

Task<Creations::Outcome> Creations::one(engine::CreateExecution& operation) {
    Waiting mine{.operation = operation};
    waiting_.push_back(&mine);
    if (waiting_.size() == 1) {
        asio::post(loop_, [this, group = groups_] {
            if (group == groups_) start();
        });
    } else if (waiting_.size() == kTogetherMost) {
        start();
    }
    co_await mine.suspended();
    if (mine.group.empty()) co_return *std::move(mine.outcome);
    const std::vector<Waiting*> group = std::move(mine.group);
    co_await run(group);
    for (std::size_t i = 1; i < group.size(); ++i) group[i]->resume();
    co_return *std::move(mine.outcome);
}

void Creations::start() {
    ++groups_;
    Waiting& first = *waiting_.front();
    first.group = std::exchange(waiting_, {});
    first.resume();
}

asio::awaitable<void> Creations::run(const std::vector<Waiting*>& turn) {
    if (turn.size() == 1) {
        Result<Outcome> outcome = co_await engine::run(store_, std::move(turn.front()->operation));
        turn.front()->outcome = std::move(outcome);
        co_return;
    }
    std::vector<engine::CreateExecution> operations;
    operations.reserve(turn.size());
    for (Waiting* waiting : turn) operations.push_back(std::move(waiting->operation));
    Outcomes outcomes = co_await many(std::move(operations));
    for (std::size_t i = 0; i < turn.size(); ++i) turn[i]->outcome = std::move(outcomes[i]);
}

asio::awaitable<Creations::Outcomes> Creations::many(
    std::vector<engine::CreateExecution> operations) {
    if (fits_one_call(operations)) {
        const std::size_t count = operations.size();
        engine::CreateBatch batch{.partition = operations.front().execution_id.partition(),
                                  .executions = std::move(operations)};
        Result<Outcomes> reply = co_await engine::run(store_, std::move(batch));
        if (!reply) co_return Outcomes(count, std::move(reply).error());
        co_return *std::move(reply);
    }
    Outcomes outcomes(operations.size(), model::make_error("internal"));
    std::vector<Part> parts = parts_of(std::move(operations));
    std::vector<engine::CreateBatch> batches;
    for (Part& part : parts) batches.push_back(std::move(part.batch));
    auto replies = co_await engine::run_all(store_, std::move(batches));
    for (std::size_t p = 0; p < parts.size(); ++p) {
        for (std::size_t i = 0; i < parts[p].positions.size(); ++i) {
            outcomes[parts[p].positions[i]] =
                replies[p] ? std::move((*replies[p])[i]) : Result<Outcome>(replies[p].error());
        }
    }
    co_return outcomes;
}

}  // namespace ff::service
