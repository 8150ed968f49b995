#pragma once

#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/random.h"
#include "base/timer.h"
#include "simulation/plan.h"

namespace ff::simulation {

/// The dice of a run. All draws come from one sequence, so the order of events decides them and
/// they decide the order of events.
class Chances {
  public:
    explicit Chances(std::uint64_t seed) : random_(seed) {}

    Random& random() { return random_; }
    bool happens(Odds odds) { return odds > 0 && random_.below(10'000) < odds; }
    bool coin() { return random_.below(2) == 0; }
    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
    std::uint64_t between(std::uint64_t least, std::uint64_t most) {
        return least + random_.below(most - least + 1);
    }
    Millis up_to(Millis most) {
        return Millis(random_.below(static_cast<std::uint64_t>(most.count()) + 1));
    }
    std::chrono::microseconds within(const Span& span) {
        const auto width = static_cast<std::uint64_t>((span.most - span.least).count());
        return span.least + std::chrono::microseconds(random_.below(width + 1));
    }
    std::string bytes(std::size_t most) {
        std::string made(random_.below(most + 1), '\0');
        random_.fill({reinterpret_cast<std::uint8_t*>(made.data()), made.size()});
        return made;
    }

  private:
    SeededRandom random_;
};

/// Virtual time passes.
inline boost::asio::awaitable<void> pass(boost::asio::any_io_executor loop,
                                         std::chrono::microseconds span) {
    Timer timer(std::move(loop), span);
    co_await timer.async_wait(boost::asio::as_tuple(boost::asio::use_awaitable));
}

}  // namespace ff::simulation
