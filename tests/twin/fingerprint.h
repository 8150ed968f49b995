#pragma once

#include <cstdint>
#include <string_view>

namespace ff::twin {

// Sums over what effects say, in which the order of fields and members, and of the members of JSON,
// has no part, nor whether they are told at once or in parts (see canonical.h for why). Equal
// content gives equal sums; different content does not, but for luck.

/// Of what a call did: the order of different effects on one key counts.
std::uint64_t call_fingerprint(std::string_view effects);

/// Of a part of a snapshot: what all its parts say is the sum of theirs.
std::uint64_t content_fingerprint(std::string_view effects);

}  // namespace ff::twin
