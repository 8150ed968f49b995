#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace ff::cli {

/// `2026-01-31 12:00:00`, local time; `-` for 0.
std::string time_text(std::int64_t unix_ms);
/// In the two largest units: `340 ms`, `12.5 s`, `3 min 20 s`, `4 h 5 min`, `2 d 3 h`.
std::string duration_text(std::int64_t ms);
/// `3 min 20 s ago` or `in 2 h 0 min`; `-` for 0.
std::string age_text(std::int64_t unix_ms, std::int64_t now_ms);
std::int64_t now_ms();

/// The id of an execution as shells leave it alone; another text as it is.
std::string plain_id(const std::string& id);
/// `key=value`, or `key:value` as the API spells it, as the API spells it.
std::string tag_filter(const std::string& given);

}  // namespace ff::cli
