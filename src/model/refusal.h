#pragma once

#include <string_view>

#include "base/error.h"

namespace ff::model {

/// `invalid_input` whose only detail is `word`, for parsers whose errors the specification names:
/// `Empty`, `MissingBraces`, `partition_out_of_range`.
Error refuse(std::string_view word);

/// The same with what was refused in parentheses: `InvalidUuid(abc)`, `TooLong(65)`.
Error refuse_with(std::string_view word, std::string_view what);
Error refuse_with(std::string_view word, std::size_t what);

}  // namespace ff::model
