#pragma once

#include <span>
#include <string>
#include <string_view>

#include "base/error.h"

namespace ff {

/// The one of `known` that `given` was probably meant to be, by the number of letters to change,
/// add, drop or swap, or because it is a part of that name; empty when none is near.
std::string_view nearest_name(std::string_view given, std::span<const std::string_view> known);

/// "unknown field `paylod`; did you mean `payload`?", or which ones there are.
std::string unknown_name_text(std::string_view what, std::string_view given,
                              std::span<const std::string_view> known);

/// `invalid_input` with detail `<place><given>:unknown`.
Error unknown_name(std::string_view what, std::string_view place, std::string_view given,
                   std::span<const std::string_view> known);

}  // namespace ff
