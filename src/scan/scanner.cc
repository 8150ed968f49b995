#include "scan/scanner.h"

#include <array>

#include "base/numbers.h"

namespace ff::scan {

Result<Announcement> Announcement::parse(std::string_view message) {
    std::array<std::string_view, 4> words{};
    std::size_t count = 0;
    while (!message.empty() && count < words.size()) {
        const std::size_t end = message.find(' ');
        words[count++] = message.substr(0, end);
        message.remove_prefix(end == std::string_view::npos ? message.size() : end + 1);
    }
    if (count < 3 || !message.empty()) return invalid_input("announcement", "words");
    FF_TRY(const model::PartitionKey partition, model::PartitionKey::parse(words[1]));
    const auto at = parse_i64(words[2]);
    if (!at || *at > kSafeIntegerMax) return invalid_input("announcement", "time");
    return Announcement{.index = std::string(words[0]),
                        .partition = partition,
                        .at = timestamp_from_ms(*at),
                        .lane = std::string(words[3])};
}

}  // namespace ff::scan
