#include "keyspace/arguments.h"

#include <cctype>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

#include "base/numbers.h"

namespace ff::keyspace {
namespace {

/// strtod on a copy that ends where C expects it to.
struct LooseDouble {
    double value = 0;
    std::size_t read = 0;
    bool out_of_range = false;
    bool at_end = false;
};

LooseDouble read_double(std::string_view text) {
    const std::string copy(text);
    char* end = nullptr;
    errno = 0;
    LooseDouble loose;
    loose.value = std::strtod(copy.c_str(), &end);
    loose.out_of_range = errno == ERANGE;
    loose.read = static_cast<std::size_t>(end - copy.c_str());
    loose.at_end = *end == '\0';
    return loose;
}

/// Plain decimal numbers, which is what nearly all scores are.
std::optional<double> read_plain_double(std::string_view text) {
    double value = 0;
    const char* end = text.data() + text.size();
    const auto [stopped, failure] = std::from_chars(text.data(), end, value);
    if (failure != std::errc{} || stopped != end || std::isnan(value)) return std::nullopt;
    return value;
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
    const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
    if (digits.starts_with('0') && text.size() > 1) return std::nullopt;
    return parse_i64(text);
}

std::optional<double> parse_score(std::string_view text) {
    if (const auto plain = read_plain_double(text)) return plain;
    if (text.empty() || std::isspace(static_cast<unsigned char>(text.front())) != 0) {
        return std::nullopt;
    }
    const LooseDouble loose = read_double(text);
    if (loose.read != text.size() || std::isnan(loose.value)) return std::nullopt;
    if (loose.out_of_range && (std::isinf(loose.value) || loose.value == 0)) return std::nullopt;
    return loose.value;
}

std::optional<ScoreBound> parse_score_bound(std::string_view text) {
    ScoreBound bound;
    if (text.starts_with('(')) {
        bound.exclusive = true;
        text.remove_prefix(1);
    }
    if (const auto plain = read_plain_double(text)) {
        bound.score = *plain;
        return bound;
    }
    const LooseDouble loose = read_double(text);
    if (!loose.at_end || std::isnan(loose.value)) return std::nullopt;
    bound.score = loose.value;
    return bound;
}

std::optional<std::uint64_t> parse_unsigned(std::string_view text) {
    if (const auto plain = parse_u64(text)) return plain;
    if (parse_integer(text)) return std::nullopt;
    const std::string copy(text);
    char* end = nullptr;
    errno = 0;
    const std::uint64_t value = std::strtoull(copy.c_str(), &end, 10);
    if (errno != 0 || copy.empty() || end == copy.c_str() || *end != '\0') return std::nullopt;
    return value;
}

std::optional<StreamId> parse_stream_id(std::string_view text, std::uint64_t missing_seq) {
    constexpr std::size_t kStreamIdBytesMax = 127;
    if (text.size() > kStreamIdBytesMax) return std::nullopt;
    const std::size_t hyphen = text.find('-');
    const auto ms = parse_unsigned(text.substr(0, hyphen));
    if (!ms) return std::nullopt;
    if (hyphen == std::string_view::npos) return StreamId{.ms = *ms, .seq = missing_seq};
    const auto seq = parse_unsigned(text.substr(hyphen + 1));
    if (!seq) return std::nullopt;
    return StreamId{.ms = *ms, .seq = *seq};
}

bool same_word(std::string_view text, std::string_view lower) {
    if (text.size() != lower.size()) return false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i] >= 'A' && text[i] <= 'Z' ? static_cast<char>(text[i] + 32) : text[i];
        if (c != lower[i]) return false;
    }
    return true;
}

IntegerText::IntegerText(std::int64_t value)
    : size_(static_cast<std::size_t>(std::to_chars(text_, text_ + sizeof(text_), value).ptr -
                                     text_)) {}

}  // namespace ff::keyspace
