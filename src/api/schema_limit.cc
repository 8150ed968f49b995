#include "api/schema.h"

namespace ff::api {
namespace {

constexpr std::string_view kObjects = R"schema(
CreatedBudget: A budget that is there now
  status     created|already_satisfied
  budget_id  string
Budget: What a budget allows and what is used of it
  budget_id          string
  scope_type         string
  scope_id           string
  name?              string
  enforcement_mode   string
  on_hard_limit      string
  on_soft_limit      string
  usage              {integer}
  hard_limits        {integer}
  soft_limits        {integer}
  remaining          {integer}
  exhausted_dims     [string]
  breach_count       integer
  soft_breach_count  integer
  last_breach_at?    time
  last_breach_dim?   string
  reset_interval_ms  integer
  reset_count        integer
  next_reset_at?     time
  created_at?        time
  revision           integer
BudgetPage: Budgets in the order of their ids
  budgets  [Budget]
  ...Page
UsageVerdict: What a budget said
  status          ok|already_applied|soft_breach|hard_breach
  dimension?      string
  current_usage?  integer
  soft_limit?     integer
  hard_limit?     integer
  action?         string          What to do now: fail, suspend, deny_child, close_scope, reroute_fallback or warn
ReleasedUsage: What was given back
  status       released|noop
  dimensions?  {integer}
BudgetReset: When the next period begins
  status         =reset
  next_reset_at  time
Attachment: Whether a policy governs the scope
  status  attached|detached
Revision: The number of the change
  revision  integer
CreatedQuota: A quota policy that is there now
  status           created|already_satisfied
  quota_policy_id  string
Quota: What a quota allows and how much of it is taken
  quota_policy_id          string
  name?                    string
  scope_type               string
  scope_id                 string
  window_seconds           integer
  max_requests_per_window  integer    0 is no limit
  max_concurrent           integer    0 is no limit
  jitter_ms                integer
  window_entries           integer
  held_slots               integer
  next_slot_in_ms          integer
  created_at?              time
QuotaPage: Quota policies in the order of their ids
  quotas  [Quota]
  ...Page
LaneState = active|paused|draining|disabled
LaneList: All lanes
  lanes  [Lane]
Lane: A lane and what waits in it
  lane_id              string
  state                LaneState
  scheduling_weight    integer
  default_priority?    integer
  default_policy_json? string
  counts               {integer}    Executions by state
Overview: How things are, with the last hour of each lane
  at                  time
  points_from         time            When the first point of every lane begins
  point_ms            integer
  lanes               [LaneOverview]
  workers_alive       integer
  approvals_waiting   integer
  budgets_near_limit  [NearBudget]    Used up to 80 % or more, the nearest to its limit first
LaneOverview: A lane with its last hour, a figure for each point
  lane_id          string
  state            LaneState
  counts           {integer}         Executions by state
  workers          integer
  oldest_waiting?  WaitingExecution
  completed        [integer]
  failed           [integer]
  waiting          [integer]
  running          [integer]
WaitingExecution: What has waited longest
  execution_id  string
  created_at    time
NearBudget: A dimension of a budget that is nearly used up
  budget_id       string
  name?           string
  scope_type      string
  scope_id        string
  dimension       string
  used            integer
  hard_limit      integer
  next_reset_at?  time
ChangedLane: A lane that was changed
  status  =set
DeletedLane: A lane that is not there any more
  status  deleted|already_satisfied
)schema";

}  // namespace

std::string_view limit_schemas() {
    return kObjects;
}

}  // namespace ff::api
