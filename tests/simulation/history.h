#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"

namespace ff::simulation {

/// A promise of docs/reliability.md that was not kept.
struct Broken {
    std::string promise{};
    std::string what{};
};

/// What ran and what came of it: enough to read a failure, and a digest to tell two runs apart.
class History {
  public:
    static constexpr std::size_t kLastMost = 60;

    struct Entry {
        Timestamp at{};
        std::string who{};
        std::string what{};
        std::string subject{};
        std::string outcome{};
        std::string to_text() const;
    };

    void note(Entry entry);
    /// The first one counts: what follows from it says nothing new.
    void broke(std::string promise, std::string what);

    bool is_broken() const { return broken_.has_value(); }
    const std::optional<Broken>& broken() const { return broken_; }
    std::uint64_t operations() const { return operations_; }
    /// Of everything that was noted, and of how much was done for it.
    std::uint64_t digest(std::uint64_t store_calls);
    const std::deque<Entry>& last() const { return last_; }
    /// Tells every entry to somebody as it comes.
    void on_entry(std::function<void(const Entry&)> tell) { tell_ = std::move(tell); }

    std::uint64_t faults = 0;
    /// Calls that actors made; an item of a batch is one.
    void count(std::uint64_t operations) { operations_ += operations; }

  private:
    void mix(std::string_view text);

    std::uint64_t operations_ = 0;
    std::uint64_t digest_ = 0xcbf29ce484222325U;
    std::function<void(const Entry&)> tell_{};
    std::deque<Entry> last_{};
    std::optional<Broken> broken_{};
};

}  // namespace ff::simulation
