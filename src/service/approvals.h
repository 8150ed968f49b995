#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "hub/waitpoints.h"
#include "model/ids.h"
#include "service/context.h"
#include "service/execution_info.h"

namespace ff::service {

struct ApprovalQuery {
    std::optional<model::Namespace> ns{};
    std::size_t limit = 50;
    /// What the page before gave.
    std::string cursor{};
};

/// A suspended execution and the waitpoint at which a person is asked.
struct WaitingApproval {
    ExecutionInfo execution;
    hub::OpenWaitpoint waitpoint;
};

struct ApprovalPage {
    std::vector<WaitingApproval> approvals{};
    /// Empty at the end.
    std::string next_cursor{};
};

/// What people are asked, over all executions. Lives on the context's loop.
class Approvals {
  public:
    explicit Approvals(const Context& context)
        : context_(context), waitpoints_(context.random, context.store) {}

    /// What is due first comes first; what has no time comes last, in the order of its coming. A
    /// page may hold fewer than asked for and still have another behind it.
    Task<ApprovalPage> list(ApprovalQuery query);

  private:
    Task<std::optional<WaitingApproval>> read(model::ExecutionId id);

    Context context_;
    hub::Waitpoints waitpoints_;
};

}  // namespace ff::service
