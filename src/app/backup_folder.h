#pragma once

#include <string>

#include "base/result.h"

namespace ff::app {

/// The folder that a request to a server may copy the data into: below `base`, named relative to it
/// or in full, made if it is not there. `invalid_input` of `folder` says why another one, or one
/// that cannot be, is not taken.
Result<std::string> backup_folder(const std::string& base, const std::string& asked);

}  // namespace ff::app
