#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ff {

/// The pieces of a list kept as text with commas; empty ones do not count.
std::vector<std::string> split_csv(std::string_view csv);

}  // namespace ff
