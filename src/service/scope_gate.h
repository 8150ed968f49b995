#pragma once

#include <map>
#include <set>
#include <string>

#include "base/task.h"
#include "model/ids.h"
#include "service/context.h"

namespace ff::service {

/// Refuses new work where an exhausted budget says so (spec 06, section 3.3): `deny_child` closes a
/// flow to new members, `close_scope` a lane or a namespace to new executions. Both refuse with
/// `budget_exceeded` and the details budget id and reason. A store error is an error, never "there
/// is room". Lives on the context's loop.
class ScopeGate {
  public:
    explicit ScopeGate(const Context& context) : context_(context) {}

    Task<Done> admit_member(model::FlowId flow);
    Task<Done> admit_executions(std::set<std::string> lanes, model::Namespace ns);

  private:
    /// Budget id to the action that makes it count here.
    Task<Done> ask(std::map<std::string, std::string> budgets);

    Context context_;
};

}  // namespace ff::service
