#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/task.h"
#include "base/task_group.h"
#include "base/timer.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "service/context.h"

namespace ff::service {

using Tags = std::vector<std::pair<std::string, std::string>>;

/// What no function can write because it lies in other partitions: the names of lanes and
/// namespaces, and which executions a namespace, a tag and a budget have. The first are written
/// before work enters; the others follow soon after it, many in one pipeline, and what a crash
/// takes away the index reconciler restores. Lives on the context's loop.
class Indexes {
  public:
    static constexpr std::size_t kPendingMax = 100'000;
    static constexpr std::size_t kNamesMax = 65'536;

    struct Entry {
        model::ExecutionId execution_id;
        model::Namespace ns;
        Timestamp created_at{};
        Tags tags{};
        std::vector<model::BudgetId> budgets{};
        /// Enters no index; named by the policy that the budgets come from.
        std::optional<model::QuotaPolicyId> quota{};
        /// Enters no index either: how long it is kept once it has ended.
        Millis retention{0};
    };

    explicit Indexes(const Context& context);
    ~Indexes();

    /// Scanners and listings know lane and namespace from now on. Asks the store the first time
    /// only.
    Task<Done> know(model::LaneId lane, model::Namespace ns);
    Task<Done> know_namespace(model::Namespace ns);
    /// The lane may be gone: whoever comes next asks the store again.
    void forget(const model::LaneId& lane) { known_lanes_.erase(lane.text()); }
    /// Any lane may be.
    void forget_lanes() { known_lanes_.clear(); }

    /// Enters an execution soon. Too many at once are left to the reconciler.
    void add(Entry entry);
    /// The execution has these tags in place of those.
    void retag(const model::ExecutionId& id, const model::Namespace& ns, const Tags& before,
               const Tags& after);
    /// Returns when all that was added so far is written or has failed.
    boost::asio::awaitable<void> settled();
    /// Writes the rest. Nothing may be added after this.
    boost::asio::awaitable<void> stop();

  private:
    struct Write {
        enum class Kind : std::uint8_t { Score, Member, Remove };
        Kind kind = Kind::Member;
        std::string key{};
        std::string member{};
        std::int64_t score = 0;
    };

    void enqueue(Write write);
    boost::asio::awaitable<void> flush();
    static std::vector<store::Call> calls_for(const std::vector<Write>& writes);

    store::Store& store_;
    const Clock& clock_;
    const Rules& rules_;
    std::set<std::string> known_lanes_{};
    std::set<std::string> known_namespaces_{};
    std::vector<Write> pending_{};
    std::uint64_t added_ = 0;
    std::uint64_t written_ = 0;
    bool flushing_ = false;
    bool dropping_ = false;
    /// Never due; cancelled when a flush has ended.
    Timer flushed_;
    TaskGroup group_;
};

}  // namespace ff::service
