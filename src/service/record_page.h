#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ff::service {

/// A record as it is stored: names and values.
using Record = std::vector<std::pair<std::string, std::string>>;

struct RecordPage {
    std::vector<Record> records{};
    /// Where the next page begins; empty at the end.
    std::string next_cursor{};
};

}  // namespace ff::service
