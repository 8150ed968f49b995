#pragma once

#include <string>

namespace ff::testing {

/// docs/configuration.md and docs/errors.md, as the code has it.
std::string configuration_reference();
std::string error_reference();

}  // namespace ff::testing
