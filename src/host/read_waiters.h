#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ff::host {

class Work;

/// The reads of one shard that wait for entries: which keys they watch, and until when.
class ReadWaiters {
  public:
    using Time = std::chrono::steady_clock::time_point;

    /// Each work waits once at a time.
    void add(Work& work, std::span<const std::string_view> keys, Time until);
    /// False if it does not wait (any more).
    bool remove(Work& work);
    bool contains(Work& work) const { return waits_.contains(&work); }
    bool empty() const { return waits_.empty(); }
    std::size_t size() const { return waits_.size(); }

    /// Those that watch the key stop waiting and are appended to `woken`, longest wait first.
    void take_watching(std::string_view key, std::vector<Work*>& woken);
    /// The same for those whose time has come.
    void take_due(Time now, std::vector<Work*>& due);
    void take_all(std::vector<Work*>& all);
    std::optional<Time> next_due() const;

  private:
    struct Wait {
        std::uint64_t order = 0;
        Time until{};
        std::vector<std::string> keys{};
    };
    struct TextHash {
        using is_transparent = void;
        std::size_t operator()(std::string_view text) const {
            return std::hash<std::string_view>()(text);
        }
    };

    std::uint64_t next_order_ = 0;
    std::unordered_map<Work*, Wait> waits_{};
    /// Watchers of a key in the order of their coming.
    std::unordered_map<std::string, std::map<std::uint64_t, Work*>, TextHash, std::equal_to<>>
        watchers_{};
    /// By time, then in the order of their coming: an address decides nothing.
    std::map<std::pair<Time, std::uint64_t>, Work*> times_{};
};

}  // namespace ff::host
