#pragma once

#include <deque>
#include <map>
#include <string>
#include <vector>

#include "scan/cycle.h"

namespace ff::scan {

/// A set or sorted set to walk, and the partition it belongs to.
struct WalkPlace {
    std::uint16_t partition = 0;
    std::string key{};
    /// Of lane indexes.
    std::string lane{};
};

struct WalkMember {
    /// The place it was found at; valid until the walk begins again.
    const WalkPlace* place = nullptr;
    std::string member{};
    std::int64_t score = 0;
};

constexpr std::size_t kPlacesAtOnce = 64;
constexpr int kPagesMax = 20;

/// Walks sets page by page, many sets at once, and goes on another time where it had to stop.
class SetWalk {
  public:
    explicit SetWalk(std::size_t page) : page_(page) {}

    void begin(std::vector<WalkPlace> places);
    bool more() const { return !open_.empty(); }
    /// A page of up to 64 sets.
    boost::asio::awaitable<std::vector<WalkMember>> next(Cycle& cycle);

  private:
    struct Open {
        std::size_t place = 0;
        std::string cursor = "0";
        int pages = 0;
    };

    std::size_t page_;
    std::vector<WalkPlace> places_{};
    std::deque<Open> open_{};
    /// By key, of sets that are longer than one cycle reads.
    std::map<std::string, std::string> left_at_{};
};

}  // namespace ff::scan
