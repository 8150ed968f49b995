#pragma once

#include <string>

#include "base/result.h"
#include "model/partition.h"

namespace ff::service {

/// The scope as attachments know it: `namespace` is another word for `tenant`, and everything is
/// `global`, `*`. `code` with detail `scope_type` for a type that nothing is governed by.
Result<model::PolicyScope> attachable_scope(model::PolicyScope given, std::string_view code);

}  // namespace ff::service
