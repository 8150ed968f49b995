#pragma once

#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "simulation/world.h"

namespace ff::simulation {

// Those who use the system. Each runs until the world is over, forgets some of the answers it
// gets, and asks again with the same ids.

boost::asio::awaitable<void> submitter(World& world, std::string name);
boost::asio::awaitable<void> worker(World& world, std::string name);
boost::asio::awaitable<void> approver(World& world, std::string name);
boost::asio::awaitable<void> operator_at_work(World& world, std::string name);
boost::asio::awaitable<void> flow_author(World& world, std::string name);

/// What somebody knows about an operation after its answer, or without one.
enum class Seen : std::uint8_t {
    Done,
    Refused,
    NotApplied,  // it cannot have happened
    Unknown,
};

inline Seen seen_of(const Error& error) {
    if (error.code == "storage_error" || error.code == "shutting_down")
        return error.cls == ErrorClass::Retryable ? Seen::NotApplied : Seen::Unknown;
    if (error.code == "store_full") return Seen::NotApplied;
    return Seen::Refused;
}

template <class T>
Seen seen_of(const Result<T>& result) {
    return result.has_value() ? Seen::Done : seen_of(result.error());
}

template <class T>
std::string outcome_of(const Result<T>& result) {
    if (result.has_value()) return "ok";
    const Error& error = result.error();
    return error.kind.empty() ? error.code : error.code + "/" + error.kind;
}

/// A call on an execution that begins now; its answer is what really happened, seen or not.
class Asked {
  public:
    Asked(World& world, const model::ExecutionId& id, Act act, std::uint64_t epoch = 0,
          std::string key = "")
        : world_(world), id_(id) {
        call_ = {.act = act, .epoch = epoch, .key = std::move(key), .begun = SteadyClock::now()};
        if (call_.key.empty() && epoch != 0) call_.key = std::to_string(epoch);
    }
    void was(Act act) { call_.act = act; }
    void of(std::uint64_t epoch) {
        call_.epoch = epoch;
        call_.key = std::to_string(epoch);
    }
    void told(Call::Answer answer) {
        call_.answer = answer;
        if (answer != Call::Answer::Unknown) call_.told = SteadyClock::now();
        world_.calls().add(id_, std::move(call_));
    }
    template <class T>
    void told(const Result<T>& result, bool again) {
        told(result.has_value() ? (again ? Call::Answer::Again : Call::Answer::Done)
                                : refusal(result.error()));
    }

  private:
    Call::Answer refusal(const Error& error) const;

    World& world_;
    model::ExecutionId id_;
    Call call_{};
};

/// True for the codes that say that a worker's lease is not (any more) the current one.
inline bool says_fenced(const Error& error) {
    return error.code == "stale_lease" || error.code == "lease_expired" ||
           error.code == "lease_revoked" || error.code == "fence_required";
}

inline Call::Answer Asked::refusal(const Error& error) const {
    const bool inactive = error.code == "execution_not_active";
    if (call_.act == Act::Cancel) return inactive ? Call::Answer::Ended : Call::Answer::Unknown;
    if (call_.act == Act::Signal || call_.act == Act::Replay) return Call::Answer::Unknown;
    return inactive || says_fenced(error) ? Call::Answer::Fenced : Call::Answer::Unknown;
}

}  // namespace ff::simulation
