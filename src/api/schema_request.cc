#include "api/schema.h"

namespace ff::api {
namespace {

constexpr std::string_view kObjects = R"schema(
ExecutionPolicy+: How an execution is tried, timed, routed and limited
  priority?                   integer
  delay_until?                integer
  retry_policy?               RetryPolicy
  timeout_policy?             TimeoutPolicy
  max_reclaim_count?          integer
  max_replay_count?           integer
  suspension_policy?          SuspensionPolicy
  fallback_policy?            FallbackPolicy
  budget_ids?                 [string]
  quota_policy_id?            string
  routing_requirements?       RoutingRequirements
  dedup_window_ms?            integer
  stream_policy?              StreamPolicy
  max_signals_per_execution?  integer
  max_steps_bytes?            integer
  retention_ms?               integer      How long it is kept after its end
RetryPolicy+: When a failure is tried again
  max_retries?           integer
  backoff?               Backoff
  retryable_categories?  [string]
Backoff+: How long to wait between two attempts
  type?              fixed|exponential
  delay_ms?          integer
  initial_delay_ms?  integer
  max_delay_ms?      integer
  multiplier?        number
  jitter?            boolean
TimeoutPolicy+: How long an attempt and the whole may take
  attempt_timeout_ms?     integer
  execution_deadline_ms?  integer
  max_reclaim_count?      integer
SuspensionPolicy+: What suspensions do that say nothing of their own
  default_timeout_ms?  integer
  timeout_behavior?    TimeoutBehavior
TimeoutBehavior = fail|cancel|expire|auto_resume|auto_resume_with_timeout_signal|escalate
FallbackPolicy+: What to fall back to
  tiers?  [FallbackTier]
FallbackTier+: One thing to fall back to
  provider?    string
  model?       string
  timeout_ms?  integer
RoutingRequirements+: Which workers may take it
  required_capabilities?  [string]
  preferred_locality?     string
  isolation_level?        string
StreamPolicy+: How frames are kept
  durability_mode?   string
  retention_maxlen?  integer
  retention_ttl_ms?  integer
Lease: A lease as a claim gave it; the same as its task_token
  lease_id        string
  lease_epoch     integer
  attempt_id      string
  attempt_index?  integer
NewStep: Something a task has done, so that it is done once
  name       string
  value      bytes
  encoding?  string
NewChild: An execution to call
  name                   string
  execution_kind         string
  lane_id?               string       That of the caller if absent
  payload                bytes
  payload_encoding?      string
  policy?                ExecutionPolicy
  tags?                  {string}
  priority?              integer
  allow_missing_budget?  boolean
Completion: A task to complete
  execution_id      string
  task_token?       string       Or lease
  lease?            Lease
  result            bytes
  result_encoding?  string
  steps?            [NewStep]
LeaseRenewal: A lease to extend
  execution_id  string
  task_token?   string       Or lease
  lease?        Lease
NewFrame: A frame to append
  frame_type       string
  payload          bytes
  encoding?        string
  correlation_id?  string
  ts?              time
  seq?             integer
NewApproval: What a person needs to answer
  prompt?        string
  assignees?     [string]
  form?          {any}        A JSON schema of the answer
  context        bytes
  context_type?  string       The media type of the context
  due_at?        due
WantedWaitpoint: Where signals go; minted where nothing is said
  waitpoint_id?   string
  waitpoint_key?  string
  use_pending?    string      A waitpoint that was made while the work went on
ResumeCondition: Which signals end a suspension
  condition_type?           signal_set|single_signal|operator_only|timeout_only|composite
  required_signal_names?    [string]
  signal_match_mode?        any|all|count
  minimum_signal_count?     integer
  timeout_behavior?         string
  allow_operator_override?  boolean
  required_waitpoint_id?    string
  required_waitpoint_key?   string
  v?                        integer
  composite?                boolean
  tree?                     {any}     Of a composite condition
ResumePolicy: What happens once the signals are there
  resume_target?                        string
  resume_delay_ms?                      integer
  consume_matched_signals?              boolean
  close_waitpoint_on_resume?            boolean
  retain_signal_buffer_until_closed?    boolean
GraphDefaults: What nodes have that say nothing of their own
  lane_id?                string
  execution_kind?         string
  priority?               integer
  creator_identity?       string
  payload_encoding?       string
  policy?                 ExecutionPolicy
GraphNode: An execution of a graph
  name                    string
  ...GraphDefaults
  payload                 bytes
  tags?                   {string}
  delay_until?            due
  execution_deadline_at?  due
  depends_on?             [string,GraphDependency]
  join?                   GraphJoin
GraphDependency: A node, or an execution of the flow, to wait for
  node?          string
  execution_id?  string
  kind?          success_only|always
  data?          string      input:<name>, or anything for the payload
GraphJoin: How many of the inbound edges are waited for
  mode?          all_of|any_of|quorum|count
  k?             integer
  on_satisfied?  cancel_remaining|let_run
)schema";

}  // namespace

std::string_view request_schemas() {
    return kObjects;
}

}  // namespace ff::api
