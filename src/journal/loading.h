#pragma once

#include <algorithm>
#include <atomic>
#include <cstdint>

namespace ff::journal {

/// How far the opening of journals has come, and whether it shall go on. Any thread.
class Loading {
  public:
    void expect(std::uint64_t bytes) { expected_.fetch_add(bytes, std::memory_order_relaxed); }
    void advance(std::uint64_t bytes) { done_.fetch_add(bytes, std::memory_order_relaxed); }
    /// Of the bytes on disk; below 100 until everything else is done, too.
    unsigned percent() const {
        constexpr std::uint64_t kMost = 99;
        const std::uint64_t expected = expected_.load(std::memory_order_relaxed);
        const std::uint64_t done = done_.load(std::memory_order_relaxed);
        return expected == 0 ? 0 : static_cast<unsigned>(std::min(done * 100 / expected, kMost));
    }

    /// The openings under way end soon, refused with `shutting_down`, and leave the files alone.
    void stop() { stopped_.store(true, std::memory_order_relaxed); }
    bool stopped() const { return stopped_.load(std::memory_order_relaxed); }

  private:
    std::atomic<std::uint64_t> expected_{0};
    std::atomic<std::uint64_t> done_{0};
    std::atomic<bool> stopped_{false};
};

}  // namespace ff::journal
