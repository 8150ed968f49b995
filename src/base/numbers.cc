#include "base/numbers.h"

#include <charconv>

namespace ff {
namespace {

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
    Number value{};
    const char* end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || stopped != end) return std::nullopt;
    return value;
}

}  // namespace

std::optional<std::int64_t> parse_i64(std::string_view text) {
    return parse_whole<std::int64_t>(text);
}

std::optional<std::uint64_t> parse_u64(std::string_view text) {
    return parse_whole<std::uint64_t>(text);
}

std::optional<std::uint64_t> parse_canonical_u64(std::string_view text) {
    if (text.size() > 1 && text.front() == '0') return std::nullopt;
    return parse_u64(text);
}

}  // namespace ff
