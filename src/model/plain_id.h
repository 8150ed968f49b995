#pragma once

#include <string>

#include "model/execution_id.h"

namespace ff::model {

/// `fp.<N>.<uuid>`: the same id for shells and addresses, where braces have a meaning of their own.
std::string to_plain_string(const ExecutionId& id);

}  // namespace ff::model
