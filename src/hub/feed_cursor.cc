#include "hub/feed_cursor.h"

#include <algorithm>
#include <optional>

#include "base/bytes.h"
#include "model/error_catalogue.h"

namespace ff::hub {
namespace {

constexpr unsigned char kVersion = 0x11;
constexpr unsigned char kOldVersion = 0x01;
constexpr std::size_t kOldSize = 17;

void write_number(std::uint64_t number, std::string& out) {
    while (number >= 0x80U) {
        out.push_back(static_cast<char>((number & 0x7fU) | 0x80U));
        number >>= 7U;
    }
    out.push_back(static_cast<char>(number));
}

/// Reads numbers one after the other; `failed` once one was missing or too long.
class NumberReader {
  public:
    explicit NumberReader(std::string_view bytes) : rest_(bytes) {}

    std::uint64_t next() {
        std::uint64_t number = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (rest_.empty()) break;
            const auto byte = static_cast<unsigned char>(rest_.front());
            rest_.remove_prefix(1);
            if (shift == 63 && byte > 1) break;
            number |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
            const bool shortest = byte != 0 || shift == 0;
            if (byte < 0x80U && shortest) return number;
            if (byte < 0x80U) break;
        }
        failed_ = true;
        return 0;
    }
    bool failed() const { return failed_; }
    bool at_end() const { return rest_.empty(); }

  private:
    std::string_view rest_;
    bool failed_ = false;
};

std::uint64_t big_endian(std::string_view bytes) {
    std::uint64_t number = 0;
    for (const char byte : bytes) number = (number << 8U) | static_cast<unsigned char>(byte);
    return number;
}

Error invalid_cursor() {
    return model::make_error("invalid_cursor");
}

std::optional<FeedCursor> parse_positions(std::string_view bytes) {
    NumberReader reader(bytes);
    FeedCursor cursor;
    const std::uint64_t count = reader.next();
    for (std::uint64_t i = 0; i < count && !reader.failed(); ++i) {
        const std::uint64_t feed = reader.next();
        const std::uint64_t partition = reader.next();
        const EntryId id{.ms = reader.next(), .n = reader.next()};
        if (feed < 1 || feed > 2 || partition > 0xffffU) return std::nullopt;
        const FeedPlace place{.feed = static_cast<Feed>(feed),
                              .partition = static_cast<std::uint16_t>(partition)};
        const auto& known = cursor.positions;
        if (!known.empty() && known.rbegin()->first >= place) return std::nullopt;
        cursor.positions.emplace_hint(known.end(), place, id);
    }
    if (reader.failed() || !reader.at_end()) return std::nullopt;
    return cursor;
}

}  // namespace

Result<FeedCursor> FeedCursor::parse(std::string_view text, const FeedPlace* only) {
    std::string standard(text);
    if (standard.find_first_of("+/=") != standard.npos) return invalid_cursor();
    std::ranges::replace(standard, '-', '+');
    std::ranges::replace(standard, '_', '/');
    const auto bytes = from_base64(standard);
    if (!bytes || bytes->empty()) return invalid_cursor();
    const auto version = static_cast<unsigned char>(bytes->front());
    const std::string_view body = std::string_view(*bytes).substr(1);
    if (version == kOldVersion && bytes->size() == kOldSize && only != nullptr) {
        FeedCursor cursor;
        cursor.positions[*only] = {.ms = big_endian(body.substr(0, 8)),
                                   .n = big_endian(body.substr(8))};
        return cursor;
    }
    if (version != kVersion) return invalid_cursor();
    std::optional<FeedCursor> cursor = parse_positions(body);
    if (!cursor) return invalid_cursor();
    return *std::move(cursor);
}

std::string FeedCursor::to_string() const {
    std::string bytes(1, static_cast<char>(kVersion));
    write_number(positions.size(), bytes);
    for (const auto& [place, id] : positions) {
        bytes.push_back(static_cast<char>(place.feed));
        write_number(place.partition, bytes);
        write_number(id.ms, bytes);
        write_number(id.n, bytes);
    }
    std::string text = to_base64(bytes);
    text.erase(text.find_last_not_of('=') + 1);
    std::ranges::replace(text, '+', '-');
    std::ranges::replace(text, '/', '_');
    return text;
}

EntryId FeedCursor::at(const FeedPlace& place) const {
    const auto found = positions.find(place);
    return found == positions.end() ? EntryId{} : found->second;
}

}  // namespace ff::hub
