#include "api/schema.h"

namespace ff::api {
namespace {

constexpr std::string_view kObjects = R"schema(
Task: Work that a worker holds
  execution_id      string
  namespace         string
  lane_id           string
  execution_kind    string
  priority          integer
  created_at        time
  flow_id           string?
  attempt_index     integer
  attempt_id        string
  attempt_type      initial|retry|replay|fallback|resumed|reclaim
  lease_id          string
  lease_epoch       integer
  lease_ttl_ms      integer
  lease_expires_at  time
  tags              {string}
  payload_state     inline|omitted|none   omitted where it did not fit; fetch it from /payload
  payload           bytes
  steps_state       inline|omitted|none
  steps?            [Step]                What earlier attempts recorded, in order
  children_state    inline|omitted|none
  children?         [CalledChild]         What earlier attempts called, in order
  payload_encoding? string
  suspension_id?    string                Of the suspension that it comes back from
  continuation_metadata_pointer  bytes
  task_token        string                Sent with every call about the task
ClaimedTasks: Tasks, and with completions what became of them
  tasks     [Task]
  results?  [CompletionResult]
CompletionResult: What became of one completion
  execution_id  string
  ...ItemError
  replayed?     boolean
Grant: Leave to claim an execution against the store itself
  execution_id   string
  partition_key  string
  grant_key      string
  expires_at_ms  time
  kind           claim|resume|reclaim
  lane_id        string
CompletedTask: A task that is complete
  status        =completed
  public_state  PublicState
  replayed      boolean      The answer to a repeated call
FailedTask: What follows from a failure
  status               retry_scheduled|terminal_failed
  delay_until?         time
  next_attempt_index?  integer
  why?                 string      Why it is not tried again
  message?             string      The same for people
  policy               ExecutionPolicy  Its own over the lane's over the server's; empty for none
  replayed             boolean     The answer to a repeated call
DelayedTask: A task that was given back until a time
  status        =delayed
  public_state  PublicState
  delay_until   time
  replayed      boolean      The answer to a repeated call
ReleasedTask: A task that was given back
  status  =released
WaitingTask: A task that waits for its dependencies, or need not
  status        moved|eligible
  public_state  PublicState
  replayed      boolean      The answer to a repeated call
Progress: Progress that was noted
  status  =updated
TaskUsageResults: What each budget said
  results  [BudgetUsageResult]
BudgetUsageResult: What one budget said
  budget_id       string
  ...ItemError
  dimension?      string
  current_usage?  integer
  hard_limit?     integer
  soft_limit?     integer
  action?         string     What to do now: fail, suspend, deny_child, close_scope, reroute_fallback or warn
RenewedLease: A lease and its new end
  status            =renewed
  lease_expires_at  time
RenewedLeases: One result for each lease, in order
  results  [RenewalResult]
RenewalResult: The new end of one lease, or why there is none
  execution_id       string
  ...ItemError
  lease_expires_at?  time
RegisteredWorker: A worker instance in the registry
  status      registered|refreshed
  expires_at  time
Heartbeat: What the registry knows of the instance
  status           refreshed|not_registered|superseded
  next_expiry_ms?  integer
WorkerPage: Live workers
  workers  [Worker]
  ...Page
Worker: A live worker instance
  namespace           string
  worker_id           string
  worker_instance_id  string
  lanes               [string]
  capabilities        [string]
  registered_at_ms    time
  last_heartbeat_ms   time
HeldLeases: What an instance holds
  leases  [HeldLease]
HeldLease: A lease and the token to go on with it
  execution_id      string
  lease_id          string
  lease_epoch       integer
  attempt_index     integer
  attempt_id        string
  lease_expires_at  time
  task_token        string
)schema";

}  // namespace

std::string_view work_schemas() {
    return kObjects;
}

}  // namespace ff::api
