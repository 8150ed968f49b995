#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/time.h"

namespace ff::scan {

/// One index that is ordered by time: a partition's, or that of a lane in it.
struct DuePlace {
    std::uint16_t partition = 0;
    std::string lane{};

    friend auto operator<=>(const DuePlace&, const DuePlace&) = default;
};

/// When something falls due where, as far as it is known. Decides only.
class DueAgenda {
  public:
    /// The next due time of a place is this, whatever was known.
    void set(const DuePlace& place, std::optional<Timestamp> at);
    /// Something of the place is due then, perhaps after something else.
    void hear(const DuePlace& place, Timestamp at);
    std::optional<Timestamp> next() const;
    /// Removes and gives the places where something is due.
    std::vector<DuePlace> take_due(Timestamp now);
    std::size_t size() const { return at_.size(); }

  private:
    std::map<DuePlace, Timestamp> at_{};
    std::set<std::pair<Timestamp, DuePlace>> order_{};
};

}  // namespace ff::scan
