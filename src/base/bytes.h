#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace ff {

/// Raw bytes: never decoded, re-encoded or cut at a NUL. The alias marks intent in signatures.
using Bytes = std::string;

std::string to_hex(std::string_view bytes);
/// Exactly [0-9a-fA-F], an even number of them; anything else is nullopt.
std::optional<Bytes> from_hex(std::string_view text);

/// Standard alphabet, always padded.
std::string to_base64(std::string_view bytes);
/// Padding is optional; foreign characters, white space, wrong length or stray bits are nullopt.
std::optional<Bytes> from_base64(std::string_view text);

/// Takes the same time for all inputs of the same lengths. A difference in length is no secret.
bool constant_time_equal(std::string_view a, std::string_view b);

/// Well-formed UTF-8: no surrogates, no overlong forms, nothing above U+10FFFF.
bool is_utf8(std::string_view bytes);

}  // namespace ff
