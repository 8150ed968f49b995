#pragma once

#include <string>

#include "api/call.h"
#include "api/fields.h"
#include "base/json.h"
#include "service/execution_info.h"
#include "service/executions.h"
#include "service/new_execution.h"

namespace ff::api {

/// The members of a create, alone or as an item of a batch.
Result<service::NewExecution> parse_new_execution(const Fields& body,
                                                  const model::PartitionConfig& partitions);
/// The same from the query, for a body that is the payload itself.
Result<service::NewExecution> parse_octet_execution(Call& call,
                                                    const model::PartitionConfig& partitions);

/// The members of ExecutionInfo.
void write_info(json::Writer& out, const service::ExecutionInfo& info);
void write_created(json::Writer& out, const service::CreatedExecution& created);
/// The members of a failed item: `status`, `code`, `class`, `retryable`, `error`, `detail`.
void write_item_error(json::Writer& out, const Error& error);

}  // namespace ff::api
