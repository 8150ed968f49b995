#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/steady_clock.h"
#include "model/execution_id.h"

namespace ff::simulation {

/// What somebody asked of one execution.
enum class Act : std::uint8_t {
    Claim,
    Renew,
    Complete,
    Fail,
    Retry,  // a failure that is tried again
    GiveBack,
    Suspend,
    Signal,
    Revoke,
    Cancel,
    Replay,
};

/// One call on one execution: from when to when, and what its answer says.
struct Call {
    enum class Answer : std::uint8_t {
        Done,     // it happened now
        Again,    // it happened now, or earlier, by the same call
        Fenced,   // refused: the lease is not the caller's
        Ended,    // refused: the execution has ended
        Unknown,  // no answer: it happened, happens later, or never does
    };
    using Moment = SteadyClock::time_point;

    Act act{};
    /// Of the lease that was used or given; zero for who needs none.
    std::uint64_t epoch = 0;
    /// What makes this call the same as another one: the signal's id, or the lease's epoch.
    std::string key{};
    Answer answer = Answer::Unknown;
    Moment begun{};
    Moment told = Moment::max();

    std::string to_text() const;
};

/// What there is to know about an execution, if calls happen one after the other.
struct OneAtATime {
    enum class End : std::uint8_t { None, Completed, Failed, Cancelled, Other };

    std::uint64_t epoch = 0;
    bool leased = false;
    End end = End::None;
    /// Calls that have happened, by the number of their key.
    std::uint64_t past = 0;

    bool operator==(const OneAtATime&) const = default;
    auto operator<=>(const OneAtATime&) const = default;
};

/// The calls on each execution, and whether there is an order in which they can have happened one
/// after the other, each between its beginning and its answer.
class Interleavings {
  public:
    void add(const model::ExecutionId& id, Call call) { calls_[id].push_back(std::move(call)); }
    /// A lease that somebody was told of. A claim that is sent again tells the same one.
    void add_claim(const model::ExecutionId& id, std::uint64_t epoch, Call::Moment begun);
    /// It may end, or be ended, by nobody's call.
    void may_end_alone(const model::ExecutionId& id) { alone_.insert(id); }

    /// A sentence about the first execution without such an order.
    struct Impossible {
        model::ExecutionId id;
        std::string what{};
    };
    std::optional<Impossible> find() const;

  private:
    std::map<model::ExecutionId, std::vector<Call>> calls_{};
    std::set<model::ExecutionId> alone_{};
    std::set<std::pair<model::ExecutionId, std::uint64_t>> claimed_{};
};

/// True if there is an order for these calls. `ends_alone` allows an end that no call explains.
/// Also true when a bounded search finds neither an order nor that there is none.
bool has_order(const std::vector<Call>& calls, bool ends_alone);

}  // namespace ff::simulation
