#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace ff::host {

/// What a call may have waited for.
enum class Delay : std::uint8_t {
    Queue,      // calls before it, and keys that expired
    Snapshot,   // slices of a snapshot before it
    Functions,  // its own run
    Collector,  // a full collection of garbage during its own run
    Commit,     // the disk
};
constexpr std::size_t kDelays = 5;
std::string_view to_string(Delay delay);

/// A call that took longer than it should.
struct SlowCall {
    /// The function, or the command.
    std::string what{};
    std::chrono::nanoseconds took{0};
    std::array<std::chrono::nanoseconds, kDelays> spent{};

    /// What it spent most on.
    Delay cause() const;
};

/// When a call met what, as its shard notes it.
struct CallTimes {
    using Time = std::chrono::steady_clock::time_point;
    using Span = std::chrono::nanoseconds;

    Time submitted{};
    /// Zero: it was not run at once, so that its time says nothing.
    Time begun{};
    Time ended{};
    /// What the shard had spent on snapshots when it was submitted, and when it began.
    Span snapshots_before{0};
    Span snapshots_then{0};
    Span collector{0};
};

struct SlowCallOptions {
    /// Zero: no call is slow.
    std::chrono::milliseconds after{0};
    /// Called on a thread of the store, for every slow call.
    std::function<void(const SlowCall&)> tell{};
};

/// Sorts out the calls that took long, and writes at most one a second into the log. Any thread.
class SlowCalls {
  public:
    explicit SlowCalls(SlowCallOptions options) : options_(std::move(options)) {}

    bool is_slow(const CallTimes& times, CallTimes::Time now) const {
        return options_.after.count() > 0 && times.begun != CallTimes::Time{} &&
               now - times.submitted >= options_.after;
    }
    /// One that is.
    void note(std::string_view what, const CallTimes& times, CallTimes::Time now);

  private:
    void write(const SlowCall& call, CallTimes::Time now);

    SlowCallOptions options_;
    std::atomic<std::int64_t> next_line_at_{0};
    std::atomic<std::uint64_t> unwritten_{0};
};

}  // namespace ff::host
