#include "base/csv.h"

namespace ff {

std::vector<std::string> split_csv(std::string_view csv) {
    std::vector<std::string> pieces;
    while (!csv.empty()) {
        const std::size_t end = csv.find(',');
        if (end != 0) pieces.emplace_back(csv.substr(0, end));
        if (end == std::string_view::npos) break;
        csv.remove_prefix(end + 1);
    }
    return pieces;
}

}  // namespace ff
