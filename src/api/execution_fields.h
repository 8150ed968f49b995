#pragma once

#include <string>
#include <vector>

#include "api/call.h"
#include "api/fields.h"
#include "api/route.h"
#include "base/json.h"
#include "service/execution_info.h"
#include "service/executions.h"
#include "service/new_execution.h"

namespace ff::api {

/// What they are, for the description of the API and for the check of their names.
std::vector<FieldDoc> new_execution_fields();
/// The members of a create.
Result<service::NewExecution> parse_new_execution(const Fields& body,
                                                  const model::PartitionConfig& partitions);
/// The same of an item of a batch, whose names nobody has checked yet.
Result<service::NewExecution> parse_batch_item(const Fields& item,
                                               const model::PartitionConfig& partitions);
/// The same from the query, for a body that is the payload itself.
Result<service::NewExecution> parse_octet_execution(Call& call,
                                                    const model::PartitionConfig& partitions);

/// `policy`: an object, without members if there is none.
void write_policy(json::Writer& out, const std::string& policy_json);
/// `retention_ms`, and `expires_at` of what has ended.
void write_life(json::Writer& out, const service::Life& life);
/// The members of a described ExecutionInfo.
void write_info(json::Writer& out, const service::ExecutionInfo& info);
void write_created(json::Writer& out, const service::CreatedExecution& created);
/// The members of a failed item: `status`, `code`, `class`, `retryable`, `error`, `detail`.
void write_item_error(json::Writer& out, const Error& error);

}  // namespace ff::api
