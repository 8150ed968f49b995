#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ff::model {

/// The function library, as every store loads it: the files of lua/ joined by the build.
const std::string& library_text();

/// The version callers are built for (`ff_version`), as a number and as the function answers it.
std::int64_t library_version();
std::string_view library_version_text();

/// The SHA-1 of the text with an empty digest literal, as `ff_library_info` answers it.
std::string_view library_digest();

}  // namespace ff::model
