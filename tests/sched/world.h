#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "base/random.h"
#include "engine/create_execution.h"
#include "engine/operation.h"
#include "sched/claimer.h"
#include "store_suite/hosts.h"
#include "support/run.h"

namespace ff::testing {

/// A store with the function library, and what a server has around it. Tests keep apart by lanes of
/// their own: `lane("a")` is another one in every test.
class World {
  public:
    explicit World(std::string_view host_name);
    ~World();

    store::Store& store() { return host_->store(); }
    boost::asio::io_context& loop() { return host_->loop(); }
    /// As `StoreHost::cut`.
    bool cut(const std::string& type) { return host_->cut(type); }
    const Clock& clock() const { return clock_; }
    Random& random() { return random_; }
    const model::LanePartitioner& partitioner() const { return partitioner_; }
    model::PartitionConfig partitions() const { return {}; }

    /// Runs one operation to its end and gives its outcome; throws when it is refused.
    template <engine::Operation Op>
    typename Op::Outcome must(Op operation) {
        auto outcome = run(loop(), engine::run(store(), std::move(operation)));
        if (!outcome.has_value()) throw std::runtime_error(outcome.error().text());
        return *std::move(outcome);
    }
    template <engine::Operation Op>
    Result<typename Op::Outcome> attempt(Op operation) {
        return run(loop(), engine::run(store(), std::move(operation)));
    }
    /// A plain command that must succeed.
    store::Reply command(std::initializer_list<std::string_view> args);

    model::LaneId lane(std::string_view name) const;
    /// A task of a lane in its solo partition, with what `change` makes of it.
    model::ExecutionId create(const model::LaneId& lane);
    model::ExecutionId create(engine::CreateExecution task);
    engine::CreateExecution task(const model::LaneId& lane);

    std::unique_ptr<sched::Claimer> claimer(sched::ClaimerOptions options = {});
    sched::ClaimRequest request(std::vector<model::LaneId> lanes, std::size_t tasks_max = 1);
    std::string core_field(const model::ExecutionId& id, std::string_view field);

  private:
    std::unique_ptr<StoreHost> host_;
    SystemClock clock_{};
    SecureRandom random_{};
    model::LanePartitioner partitioner_{};
};

/// Started once for all tests of the program.
World& world_of(const std::string& host_name);

}  // namespace ff::testing
