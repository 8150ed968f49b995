#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/random.h"
#include "contract/host.h"
#include "twin/pair_of_states.h"
#include "twin/recorded_call.h"

namespace ff::twin {

using contract::List;
using contract::RespValue;

/// The two states did not do the same.
class Difference final : public std::runtime_error {
  public:
    using std::runtime_error::runtime_error;
};

/// How often a function was called, and how often it granted what was asked.
struct FunctionTally {
    std::uint64_t calls = 0;
    std::uint64_t granted = 0;
};

/// A pair of states as the fixtures of the contract tests see a store, so that calls are put
/// together as they are there. What is sent is not always what was asked for: calls are repeated,
/// spoilt, and their replies lost. Throws Difference from whatever shows one.
class TwinHost final : public contract::Host {
  public:
    TwinHost(const PairOptions& options, std::uint64_t seed);

    RespValue command(const List& args) override;
    std::map<std::string, std::string> keys(const std::string& tag) override;
    std::unique_ptr<contract::Listener> listen(const std::string& channel) override;

    /// Reads something to choose the next call by; no call of the run.
    RespValue peek(const List& args);
    /// Lets time pass.
    void pass(std::chrono::microseconds time) { now_ += time; }
    std::int64_t now_ms() const { return now_.count() / 1000; }

    /// Compares the whole keyspace.
    void compare();
    /// Compares it, then deletes everything under a hash tag.
    void retire(const std::string& tag);
    void expire_due() { perform({now_, {std::string(kExpireDue)}}); }

    const std::vector<RecordedCall>& calls() const { return calls_; }
    std::uint64_t function_calls() const { return function_calls_; }
    const std::map<std::string, FunctionTally, std::less<>>& tallies() const { return tallies_; }

  private:
    void perform(RecordedCall call);
    void count(const RecordedCall& call);
    List spoilt(List args);

    PairOfStates states_;
    SeededRandom random_;
    std::chrono::microseconds now_{1'700'000'000'000'000};
    std::vector<RecordedCall> calls_{};
    RespValue reply_{};
    std::uint64_t function_calls_ = 0;
    std::map<std::string, FunctionTally, std::less<>> tallies_{};
};

}  // namespace ff::twin
