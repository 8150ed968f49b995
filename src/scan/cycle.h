#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/time.h"
#include "engine/operation.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "scan/options.h"
#include "scan/probe.h"
#include "scan/setbacks.h"
#include "scan/territory.h"
#include "store/store.h"

namespace ff::scan {

/// What all scanners of a server share. Outlives them.
struct Ground {
    store::Store& store;
    const Options& options;
    Territory& territory;
    Probe& probe;
    /// Set once, when the scanners are to leave after their current item.
    bool stopping = false;
};

/// One cycle of one scanner: what it may rely on, and where it says what it did.
class Cycle {
  public:
    Cycle(Ground& ground, Setbacks& setbacks, Kind kind, Timestamp now)
        : ground_(ground), setbacks_(setbacks), kind_(kind), now_(now) {}

    /// The store's time, read once.
    Timestamp now() const { return now_; }
    bool stopping() const { return ground_.stopping; }
    store::Store& store() { return ground_.store; }
    const Options& options() const { return ground_.options; }
    const model::PartitionConfig& partitions() const { return ground_.options.partitions; }
    Territory& territory() { return ground_.territory; }
    const std::vector<model::LaneId>& lanes() const { return ground_.territory.lanes(); }
    Probe& probe() { return ground_.probe; }
    Kind kind() const { return kind_; }

    /// Whether an item is left out because it failed too often.
    bool skips(std::string_view item) const { return setbacks_.skips(item); }
    void succeeded(std::string_view item);
    /// Counts a failure against the item, unless its class is informational. True if it counted.
    bool failed(std::string_view item, const Error& error);
    /// The member of an index is no id of what the index holds.
    void malformed(std::string_view item, const Error& error);
    /// Something could not be read.
    void unread(const Error& error);

    std::uint64_t items() const { return items_; }
    std::uint64_t errors() const { return errors_; }

    /// Those of the executions that the filter of this server lets through. What cannot be read
    /// does not match.
    boost::asio::awaitable<std::vector<model::ExecutionId>> matching(
        std::vector<model::ExecutionId> ids);

  private:
    Ground& ground_;
    Setbacks& setbacks_;
    Kind kind_;
    Timestamp now_;
    std::uint64_t items_ = 0;
    std::uint64_t errors_ = 0;
};

/// An operation on behalf of an item.
template <engine::Operation Op>
struct Work {
    std::string item{};
    Op operation;
};

/// How many function calls go out at once, and so how long a stop waits for an answer.
constexpr std::size_t kCallsAtOnce = 128;

/// Runs the operations, pipelined, leaving out items that failed too often, and counts what comes
/// of them. As many outcomes as there was work; none for what failed or was left out.
template <engine::Operation Op>
boost::asio::awaitable<std::vector<std::optional<typename Op::Outcome>>> act(
    Cycle& cycle, std::vector<Work<Op>> work) {
    std::vector<std::optional<typename Op::Outcome>> outcomes(work.size());
    std::size_t next = 0;
    while (next < work.size() && !cycle.stopping()) {
        std::vector<std::size_t> chosen;
        std::vector<Op> operations;
        for (; next < work.size() && chosen.size() < kCallsAtOnce; ++next) {
            if (cycle.skips(work[next].item)) continue;
            chosen.push_back(next);
            operations.push_back(std::move(work[next].operation));
        }
        if (chosen.empty()) break;
        auto results = co_await engine::run_all(cycle.store(), std::move(operations));
        for (std::size_t i = 0; i < chosen.size(); ++i) {
            const std::string& item = work[chosen[i]].item;
            if (results[i].has_value()) {
                cycle.succeeded(item);
                outcomes[chosen[i]] = *std::move(results[i]);
            } else {
                cycle.failed(item, results[i].error());
            }
        }
    }
    co_return outcomes;
}

}  // namespace ff::scan
