#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace ff::model {

/// Lays one policy over another: every member that `over` has, and those of `under` that it does
/// not have. Objects are merged member by member, at every depth; lists and single values are
/// replaced. A null is the same as an absent member. Both are JSON texts of checked policies; an
/// empty text is an empty policy. `invalid_policy_json` if one of them is no object.
Result<std::string> merge_policies(std::string_view over, std::string_view under);

}  // namespace ff::model
