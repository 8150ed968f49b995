#pragma once

#include <string>

#include "base/random.h"
#include "base/result.h"

namespace ff::app {

/// The name of the file in the data folder.
constexpr const char* kSecretFile = "waitpoint_hmac.secret";

/// 64 hex digits that nobody knows.
std::string make_secret(Random& random);

/// The secret of a data folder; made, with mode 0600, at the first call. `config` when the file
/// cannot be read or written, or holds no secret.
Result<std::string> load_or_make_secret(const std::string& folder, Random& random);

}  // namespace ff::app
