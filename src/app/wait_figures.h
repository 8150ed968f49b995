#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/time.h"

namespace ff::app {

/// How long work waits, by lane and kind of execution. Safe to use from any thread.
class WaitFigures {
  public:
    /// Pairs of a lane and a kind that have figures of their own; further kinds share `other`.
    static constexpr std::size_t kPairsMax = 128;

    WaitFigures();
    ~WaitFigures();

    /// First attempts of executions of one kind, by the times of their creation.
    void began(std::string_view lane, std::string_view kind, std::span<const Timestamp> created,
               Timestamp now);
    /// When what has waited longest in the lane was created; nothing where nothing waits.
    void oldest(std::string_view lane, std::optional<Timestamp> created);

    /// In the text format of Prometheus.
    std::string text(Timestamp now) const;

  private:
    struct Families;
    std::unique_ptr<Families> families_;
};

}  // namespace ff::app
