#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "base/time.h"
#include "scan/cycle.h"

namespace ff::scan {

/// A message of the channel `ff:due`: something in this index falls due soon, or is due now.
struct Announcement {
    std::string index{};
    model::PartitionKey partition;
    Timestamp at{};
    /// Of indexes that a partition keeps for each lane.
    std::string lane{};

    /// `<index> <tag> <ms> [<lane>]`.
    static Result<Announcement> parse(std::string_view message);
};

/// Finds one kind of work that time or a failure has left, and has it done. Lives on one loop; one
/// cycle at a time. Every action may be repeated and may meet another server doing the same.
class Scanner {
  public:
    virtual ~Scanner() = default;
    virtual Kind kind() const = 0;

    /// Everything, once an interval.
    virtual boost::asio::awaitable<void> cycle(Cycle& cycle) = 0;

    /// Between cycles: what is due by now, and what was asked for at once.
    virtual boost::asio::awaitable<void> serve_due(Cycle& /*cycle*/) { co_return; }
    /// When `serve_due` should be called, by the store's time; nothing if there is no need to.
    virtual std::optional<Timestamp> next_due() const { return std::nullopt; }
    /// Whether messages make it act before its next cycle: lost ones cost it an interval.
    virtual bool heeds_messages() const { return false; }
    /// Told by a function. True if it concerns this scanner, which may have a new `next_due` then.
    virtual bool announced(const Announcement& /*announcement*/) { return false; }
};

}  // namespace ff::scan
