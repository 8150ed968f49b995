#pragma once

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "scan/set_walk.h"

namespace ff::scan {

/// Walks sorted sets from their lowest score on, page by page, where members may stay or vanish
/// behind it: goes on another time where it stopped, so what stays never hides what comes after.
class ScoreWalk {
  public:
    enum class AtEnd : std::uint8_t {
        BeginAgain,
        /// Only what is added behind the last one seen is looked at, until the process ends.
        Stay,
    };

    ScoreWalk(std::size_t page, AtEnd at_end) : page_(page), at_end_(at_end) {}

    /// Members with a score up to `to`, in the words of the command.
    void begin(std::vector<WalkPlace> places, std::string to);
    bool more() const { return !open_.empty(); }
    boost::asio::awaitable<std::vector<WalkMember>> next(Cycle& cycle);

  private:
    struct Position {
        std::string from = "-inf";
        std::size_t skip = 0;
        /// Of the score `from`.
        std::set<std::string> seen{};
    };
    struct Open {
        std::size_t place = 0;
        int pages = 0;
    };
    /// Moves the position behind the page; the members not seen before are the outcome.
    std::vector<WalkMember> advance(Position& position, const WalkPlace& place,
                                    const store::Reply& reply, bool& full) const;

    std::size_t page_;
    AtEnd at_end_;
    std::string to_{};
    std::vector<WalkPlace> places_{};
    std::deque<Open> open_{};
    /// By key.
    std::map<std::string, Position> positions_{};
};

}  // namespace ff::scan
