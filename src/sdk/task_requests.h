#pragma once

#include <string_view>

#include "flowfabric/json.h"
#include "flowfabric/result.h"
#include "sdk/task_state.h"

namespace ff::sdk {

/// A question about a task, with its lease.
flowfabric::Result<flowfabric::Json> with_lease(TaskState& task, std::string_view operation,
                                                std::string_view rest, flowfabric::Json body);

/// The same for an operation that ends the task, unless nobody answered.
flowfabric::Result<flowfabric::Json> ending(TaskState& task, std::string_view operation,
                                            std::string_view rest,
                                            flowfabric::Json body = flowfabric::Json::object());

}  // namespace ff::sdk
