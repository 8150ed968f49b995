#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "model/execution_id.h"
#include "model/execution_policy.h"
#include "service/context.h"
#include "service/execution_info.h"

namespace ff::service {

/// How long an execution with this policy is kept once it has ended (spec 02 section 10).
Millis retention_of(const model::ExecutionPolicy& policy, Millis otherwise);
/// The same of a policy as it is stored; one that cannot be read says nothing.
Millis retention_of(const std::string& policy_json, Millis otherwise);

/// What a record and the stored policy say together.
Life life_of(const ExecutionInfo& info, const std::string& policy_json, Millis otherwise);

/// The records with their policies and lives, in order; nothing for those that are not there.
Task<std::vector<std::optional<ExecutionInfo>>> describe_all(const Context& context,
                                                             std::vector<model::ExecutionId> ids);

}  // namespace ff::service
