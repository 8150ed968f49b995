// Any bytes: base64, hex and JSON are refused, or have exactly one canonical text that reads back
// as the same; numbers and UTF-8 never read past their end.

#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/bytes.h"
#include "base/json.h"
#include "base/numbers.h"

namespace {

void require(bool holds) {
    if (!holds) std::abort();
}

void check_bytes(std::string_view text) {
    require(ff::from_base64(ff::to_base64(text)) == text);
    require(ff::from_hex(ff::to_hex(text)) == text);
    if (const auto bytes = ff::from_base64(text)) {
        std::string padded(text);
        while (padded.size() % 4 != 0) padded += '=';
        require(ff::to_base64(*bytes) == padded);
    }
    require(ff::constant_time_equal(text, std::string(text)));
}

void check_json(std::string_view text) {
    const auto parsed = ff::json::Document::parse(text);
    if (!parsed.has_value()) return;
    require(ff::is_utf8(text));
    const std::string canonical = parsed->root().to_text();
    const auto again = ff::json::Document::parse(canonical);
    require(again.has_value() && again->root().to_text() == canonical);
}

void check_numbers(std::string_view text) {
    const auto number = ff::parse_canonical_u64(text);
    if (number) require(std::to_string(*number) == text);
    const auto integer = ff::parse_i64(text);
    if (integer && *integer >= 0 && !text.starts_with('-'))
        require(ff::parse_u64(text) == static_cast<std::uint64_t>(*integer));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_bytes(text);
    check_json(text);
    check_numbers(text);
    return 0;
}
