#pragma once

#include <string_view>

namespace ff::valkey {

/// Whether a command changes nothing, so that it may be sent again after a connection broke behind
/// it (spec 01, section 10: plain reads and read-only functions). `name` in any letter case.
bool is_plain_read(std::string_view name);

}  // namespace ff::valkey
