#pragma once

#include <set>

#include "base/task.h"
#include "model/ids.h"
#include "service/context.h"

namespace ff::service {

// Budgets that keep new work out of a scope while they are exhausted (spec 06, section 3.3). All
// refuse with `budget_exceeded` and the details reason and budget id. What is attached is known at
// most a second late; a store error is an error, never "there is room".

/// `close_scope` of the lane or of the namespace: no new executions there.
Task<Done> check_scope_open(const Context& context, model::LaneId lane, model::Namespace ns);
Task<Done> check_scopes_open(const Context& context, std::set<model::LaneId> lanes,
                             model::Namespace ns);
/// `deny_child` of the flow: no new members.
Task<Done> check_flow_open(const Context& context, model::FlowId flow);

}  // namespace ff::service
