#pragma once

#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"

namespace ff::model {

/// `invalid_policy_json` with detail `<path>:<why>`, or `<why>` alone for the whole policy.
Error policy_error(std::string_view path, std::string_view why);

/// Functions decode an empty list and an empty object to the same thing, so each is taken for the
/// other.
bool is_policy_object(const json::Value& value);
bool is_policy_list(const json::Value& value);

/// The checks that a function makes at creation as well, in its order.
Result<Done> check_policy(const json::Value& root);

}  // namespace ff::model
