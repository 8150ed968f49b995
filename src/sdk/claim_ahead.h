#pragma once

#include <chrono>
#include <cstddef>

namespace ff::sdk {

/// How many tasks a runtime claims beyond its hands: as many as the hands end while one call of the
/// store is under way, so that short handlers do not stand still in between. Handlers that take
/// longer than a call leave nothing to claim ahead, and their work to whoever is free.
class ClaimAhead {
  public:
    using Duration = std::chrono::steady_clock::duration;

    explicit ClaimAhead(std::size_t hands) : hands_(hands) {}

    void handled(Duration took);
    void called(Duration took);
    /// What was claimed ahead has waited for too long: nothing more until handlers are seen again.
    void stalled() { handlers_ = 0; }

    std::size_t tasks() const;

  private:
    std::size_t hands_;
    std::size_t handlers_ = 0;
    double handler_ns_ = 0;
    double call_ns_ = 0;
};

}  // namespace ff::sdk
