#pragma once

#include "api/fields.h"

namespace ff::api {

/// Refuses members of `resume_condition` and `resume_policy` that nobody would read; everything
/// else about them is the functions' to check.
Result<Done> check_condition_members(const Fields& body);

}  // namespace ff::api
