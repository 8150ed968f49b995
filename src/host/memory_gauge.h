#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>

namespace ff::host {

/// How much of its memory a store uses, added up over its shards. Any thread may call anything.
///
/// Two marks lie below the limit. From the warning mark on people should act. From the full mark on
/// whatever starts work or makes it larger is refused; what lies between that mark and the limit is
/// for ending work, which needs memory, too.
class MemoryGauge {
  public:
    enum class State : std::uint8_t { Good, Warning, Full };

    static constexpr std::uint64_t kWarningPercent = 80;
    static constexpr std::uint64_t kFullPercent = 90;
    /// A store that was full takes work again from here on, so that it does not change its mind
    /// with every task.
    static constexpr std::uint64_t kRoomAgainPercent = 87;

    /// 0: no limit.
    explicit MemoryGauge(std::uint64_t limit_bytes) : limit_(limit_bytes) {}

    /// A shard uses so many bytes more than it said before, or fewer.
    void add(std::int64_t bytes);

    std::uint64_t used() const;
    std::uint64_t limit() const { return limit_; }
    State state() const { return state_.load(std::memory_order_relaxed); }
    bool full() const { return state() == State::Full; }

  private:
    State judge(std::uint64_t used, State former) const;

    const std::uint64_t limit_;
    std::atomic<std::int64_t> used_{0};
    std::atomic<State> state_{State::Good};
};

std::string_view to_string(MemoryGauge::State state);

}  // namespace ff::host
