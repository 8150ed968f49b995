#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "base/result.h"
#include "model/execution_id.h"
#include "service/record_page.h"
#include "store/call.h"

namespace ff::service {

/// The lease history of an execution (chapter 04 section 10). A plain task has no stream: what its
/// core and its attempt record tell of its one lease is given as the entries that the stream would
/// have had, and will have, under the same ids, once it begins.

/// What to read for one page, in one pipeline; `after` is the id of the last entry seen, or empty.
std::vector<store::Call> lease_history_calls(const model::ExecutionId& id, const std::string& after,
                                             std::size_t limit);

/// The page, oldest first, from the replies to these calls. `execution_not_found`,
/// `invalid_cursor`.
Result<RecordPage> read_lease_history(const model::ExecutionId& id,
                                      const std::vector<Result<store::Reply>>& replies,
                                      const std::string& after, std::size_t limit);

}  // namespace ff::service
