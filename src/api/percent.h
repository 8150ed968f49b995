#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace ff::api {

/// `%41` becomes `A`; nothing where a `%` is not followed by two hex digits. A `+` stays one.
std::optional<std::string> percent_decode(std::string_view text);

/// Everything but letters, digits and `-._~` becomes `%XX`.
std::string percent_encode(std::string_view text);

/// `a=1&b=x%20y`, where `+` is a space; the first of several values wins. `invalid_input` where an
/// escape is broken.
Result<std::map<std::string, std::string>> parse_query(std::string_view query);

}  // namespace ff::api
