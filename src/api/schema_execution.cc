#include "api/schema.h"

namespace ff::api {
namespace {

constexpr std::string_view kObjects = R"schema(
Life*: How long an execution is kept
  retention_ms  integer   How long it is kept once it has ended
  expires_at?   time      Once it has ended: it is not deleted before
CreatedExecution: An execution that is there now
  status        created|duplicate   duplicate where the id or the idempotency_key was known
  execution_id  string              Of the execution that is there
  public_state  PublicState
  ...Life?
CreatedExecutions: One result for each execution, in order
  results  [BatchCreateResult]
BatchCreateResult: The execution that is there now, or why there is none
  ...ItemError
  execution_id?  string
  public_state?  PublicState
  ...Life?
StateVector: The seven words that are always written together
  lifecycle_phase    LifecyclePhase
  ownership_state    OwnershipState
  eligibility_state  EligibilityState
  blocking_reason    BlockingReason
  terminal_outcome   TerminalOutcome
  attempt_state      AttemptState
  public_state       PublicState
Execution: What is known about an execution
  execution_id           string
  namespace              string
  lane_id                string
  priority               integer
  execution_kind         string
  state_vector           StateVector
  public_state           PublicState
  created_at             time
  started_at?            time         When its first attempt began
  completed_at?          time         When it ended
  delay_until?           time
  execution_deadline_at? time
  current_attempt_index  integer
  total_attempt_count    integer
  flow_id                string?
  blocking_detail        bytes        Why it does not run, where the state does not say it all
  progress_pct?          integer
  progress_message       bytes
  failure_reason         bytes
  failure_category       bytes
  cancellation_reason    bytes
  required_capabilities  bytes        Joined by commas
  payload_encoding       bytes
  result_encoding        bytes
  called_by              bytes        The execution that called it
  called_as              bytes        The name of that call
  ...Life
  policy                 ExecutionPolicy  Its own over the lane's over the server's; empty for none
  retries                string       What follows a failure, in words
ExecutionState: Where an execution stands
  execution_id  string
  public_state  PublicState
ListedExecution: An execution as listings show it
  execution_id    string
  namespace       string
  lane_id         string
  execution_kind  string
  public_state    PublicState
  priority        integer
  created_at      time
  ...Life
ExecutionPage: Executions, or with view=ids their ids
  executions       [ListedExecution,string]
  total_returned?  integer
  ...Page
Explanation: Why an execution is not running
  summary             string           For people
  ...Execution
  blocking_ref        string
  lane_state          string
  worker_instance_id? string           Who holds it
  lease_expires_at?   time
  workers             [WorkerMatch]
  policies            [PolicyState]
WorkerMatch: Whether a live worker could take the execution
  worker_id             string
  worker_instance_id    string
  serves_lane           boolean
  missing_capabilities  [string]
PolicyState: A budget or quota that governs the execution
  ref        string
  exhausted  boolean
  detail     string
AttemptPage: Attempts, first to last
  attempts  [Attempt]
  ...Page
Attempt+: One try at an execution, and usage.<dimension> as text for what was reported as used
  attempt_id                     string
  execution_id                   string
  attempt_index                  integer
  attempt_type                   initial|retry|reclaim|replay|fallback|resumed
  attempt_state                  string
  created_at?                    time?
  started_at?                    time?
  ended_at?                      time?
  suspended_at?                  time?
  suspension_id?                 string
  resumed_at?                    time?
  resumed_suspension_id?         string
  lease_id?                      string      Of its latest lease
  lease_epoch?                   integer?
  worker_id?                     string
  worker_instance_id?            string
  capability_hash?               string
  previous_attempt_index?        integer?    The attempt it follows
  replayed_from_attempt_index?   integer?
  retry_reason                   bytes
  reclaim_reason                 bytes
  replay_reason                  bytes
  replay_requested_by            bytes
  fallback_index?                integer?    The tier it ran on
  failure_reason                 bytes
  failure_category               bytes
  terminalized_by_override?      string      1 where an operator or the engine ended it
  timeout_ms?                    integer?
  timeout_at?                    time?
  attempt_timeout_remaining_ms?  integer?
LeaseHistoryPage: Lease events, oldest first
  events  [LeaseEvent]
  ...Page
LeaseEvent: Something that happened to a lease
  id                    string
  event                 string        acquired, renewed, released, expired, revoked, reclaimed or replay_initiated
  execution_id          string
  ts                    time
  lease_id?             string
  lease_epoch?          integer?
  attempt_index?        integer?
  attempt_id?           string
  worker_id?            string
  worker_instance_id?   string
  reason                bytes
  previous_expires_at?  time?
  expires_at?           time?
  old_lease_epoch?      integer?
  new_lease_id?         string
  new_lease_epoch?      integer?
  new_attempt_id?       string
  new_attempt_index?    integer?
  replay_count?         integer?
  replay_type?          string
StepPage: Recorded steps, in the order of writing
  steps  [RecordedStep]
  ...Page
Step: Something a task has done, so that it is done once
  name       string
  value      bytes
  encoding?  string
RecordedStep: A step with the time of its recording
  ...Step
  attempt_index  integer
  recorded_at    time
RecordedSteps: One answer for each step, in order
  steps  [StepAnswer]
StepAnswer: Whether a step was recorded; a duplicate tells the first value
  ...Step?
  name    string
  status  recorded|duplicate
ChildPage: Children an execution called, in the order of the calls
  children  [CalledChild]
  ...Page
CalledChild: A child an execution called, and how it ended
  name              string
  execution_id      string
  outcome           string?     null until it has ended
  result            bytes
  result_encoding   bytes
  failure_reason    bytes
  failure_category  bytes
CallReceipt: What became of a call of children
  status        moved|eligible
  public_state  PublicState
  replayed      boolean
  children      [CalledChildId]
CalledChildId: The id of a child by its name
  name          string
  execution_id  string
TagCount: How many tags there are now
  count  integer
CancelledExecution: An execution that is cancelled
  status        =cancelled
  execution_id  string
  public_state  PublicState
ChangedPriority: A priority as it was and is
  status        =changed
  execution_id  string
  old_priority  integer
  new_priority  integer
Replay: What runs again; of a subgraph the ids instead of the state
  status          =replayed
  public_state?   PublicState
  count?          integer
  execution_ids?  [string]
RevokedLease: The lease that was taken away, or why none was
  status       revoked|already_satisfied
  lease_id?    string
  lease_epoch? integer
  reason?      string
ReleasedHold: An execution whose initial_hold has ended
  status        =released
  execution_id  string
  public_state  PublicState
TakenExecution: A lease given to a worker by an operator
  status            taken|already_satisfied
  execution_id      string
  lane_id           string
  attempt_index     integer
  attempt_id        string
  attempt_type      initial|retry|replay|fallback|resumed|reclaim
  lease_id          string
  lease_epoch       integer
  lease_ttl_ms      integer
  lease_expires_at  time
  task_token        string
ReclaimGrant: A grant for an execution whose lease was lost, or why there is none
  status          granted|not_reclaimable|reclaim_cap_exceeded
  execution_id?   string
  partition_key?  string
  grant_key?      string
  expires_at_ms?  time
  lane_id?        string
  detail?         [string]
  reclaim_count?  integer
Ending: How an execution ended, or that it has not yet
  execution_id      string
  public_state      PublicState
  terminal_outcome  TerminalOutcome
  completed_at      time?
  timed_out         boolean      It had not ended when the wait was over
)schema";

}  // namespace

std::string_view execution_schemas() {
    return kObjects;
}

}  // namespace ff::api
