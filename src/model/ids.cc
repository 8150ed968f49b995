#include "model/ids.h"

#include <limits>

#include "base/numbers.h"
#include "model/characters.h"
#include "model/refusal.h"

namespace ff::model {
namespace {

constexpr std::size_t kLaneBytesMax = 64;
constexpr std::size_t kNamespaceBytesMax = 128;
constexpr std::size_t kTextBytesMax = 256;

bool is_graphic(char c) {
    return c > 0x20 && c < 0x7f;
}

Result<Done> check_size(std::string_view text, std::string_view field, std::size_t bytes_max) {
    if (text.empty()) return invalid_input(field, "empty");
    if (text.size() > bytes_max) return invalid_input(field, "too_long");
    return Done{};
}

}  // namespace

Result<Done> LaneRules::check(std::string_view text, std::string_view /*field*/) {
    if (text.empty()) return refuse("Empty");
    if (text.size() > kLaneBytesMax) return refuse_with("TooLong", text.size());
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (!is_graphic(c)) return refuse_with("NonPrintable", at);
        if (c == ',' || c == '{' || c == '}') return refuse_with("Forbidden", at);
    }
    return Done{};
}

Result<Done> NamespaceRules::check(std::string_view text, std::string_view field) {
    FF_CHECK(check_size(text, field, kNamespaceBytesMax));
    for (const char c : text) {
        if (!is_graphic(c) || c == ':' || c == '{' || c == '}')
            return invalid_input(field, "bad_character");
    }
    return Done{};
}

Result<Done> WorkerRules::check(std::string_view text, std::string_view field) {
    FF_CHECK(check_size(text, field, kTextBytesMax));
    const Characters found = characters_of(text);
    if (found.control || found.whitespace) return invalid_input(field, "bad_character");
    return Done{};
}

Result<Done> KeyRules::check(std::string_view text, std::string_view field) {
    FF_CHECK(check_size(text, field, kTextBytesMax));
    if (characters_of(text).control) return invalid_input(field, "bad_character");
    return Done{};
}

WaitpointKey default_waitpoint_key(const WaitpointId& id) {
    return *WaitpointKey::parse("wpk:" + id.to_string());
}

Result<LeaseEpoch> LeaseEpoch::parse(std::string_view text) {
    const auto value = parse_u64(text);
    if (!value) return invalid_input("lease_epoch", "not_integer");
    return LeaseEpoch{*value};
}

Result<AttemptIndex> AttemptIndex::parse(std::string_view text) {
    const auto value = parse_u64(text);
    if (!value || *value > std::numeric_limits<std::uint32_t>::max())
        return invalid_input("attempt_index", "not_integer");
    return AttemptIndex{static_cast<std::uint32_t>(*value)};
}

}  // namespace ff::model
