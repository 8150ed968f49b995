#pragma once

#include <string>
#include <string_view>

#include "base/bytes.h"

namespace ff {

/// The 20 raw bytes of SHA-1. Used as a MAC core and a text digest, because it is the one digest
/// that the function sandbox has on every supported store.
Bytes sha1(std::string_view bytes);
/// 40 lower-case hex digits.
std::string sha1_hex(std::string_view bytes);
/// For whoever computes digests on threads of its own, before they start: what the first digest of
/// a process sets up would go with the thread that computed it.
void prepare_digests();
/// 64 lower-case hex digits.
std::string sha256_hex(std::string_view bytes);
/// The 20 raw bytes of HMAC-SHA1.
Bytes hmac_sha1(std::string_view key, std::string_view message);

}  // namespace ff
