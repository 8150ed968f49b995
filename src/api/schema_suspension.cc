#include "api/schema.h"

namespace ff::api {
namespace {

constexpr std::string_view kObjects = R"schema(
BoundWaitpoint: A waitpoint with its credential
  waitpoint_id     string
  waitpoint_key    bytes
  waitpoint_token  string     The credential that a signal needs
SuspensionReceipt: A suspension, or that its signals are there already
  status                 suspended|already_satisfied
  lease_held?            boolean      The task goes on: its lease must be renewed
  replayed?              boolean      The answer to a repeated call
  suspension_id          string
  ...BoundWaitpoint
  additional_waitpoints  [BoundWaitpoint]
ResumeSignals: Signals that resumed an attempt
  signals  [ResumeSignal]
ResumeSignal: A signal that resumed an attempt
  signal_id        string
  signal_name      bytes
  signal_category  bytes
  source_type      bytes
  source_identity  bytes
  correlation_id   bytes
  accepted_at      time?
  payload          bytes
Suspension+: The current or last suspension of an execution
  suspension_id                  string
  execution_id                   string
  attempt_index                  integer
  lease_id?                      string
  waitpoint_id                   string
  waitpoint_key                  bytes
  additional_waitpoints_json?    string
  reason_code                    bytes
  requested_by                   bytes
  created_at                     time
  timeout_at?                    time?
  timeout_behavior?              string
  resume_condition_json          bytes
  resume_policy_json             bytes
  continuation_metadata_pointer  bytes
  buffered_signal_summary_json   bytes
  last_signal_at?                time?
  satisfied_at?                  time?
  closed_at?                     time?
  close_reason?                  string
  already_satisfied?             string
  resume_trigger?                string
  resume_actor                   bytes
  closer_signal_id?              string
  all_satisfier_signals          bytes
  timeout_signal_id?             string
  escalated_at?                  time?
  has_approval?                  string
  waitpoints                     [SuspensionWaitpoint]
SuspensionWaitpoint+: A waitpoint of a suspension, without its token
  waitpoint_id          string
  execution_id?         string
  attempt_index?        integer?
  suspension_id?        string
  waitpoint_key         bytes
  state                 string
  close_reason?         string
  created_at?           time?
  activated_at?         time?
  satisfied_at?         time?
  closed_at?            time?
  last_signal_at?       time?
  expires_at?           time?
  signal_count?         integer?
  matched_signal_count? integer?
  has_approval?         string
  prompt                bytes
  assignees             bytes
  form                  bytes
  context               bytes
  context_type          bytes
  due_at?               time?
ConditionState: What an open suspension still waits for
  suspension_id          string
  condition_type         string
  match_mode             string
  resume_condition_json  bytes
  satisfied              boolean
  remaining              integer?           null where no signal helps
  nodes                  [ConditionNode]
  matchers               [MatcherState]
ConditionNode: A node of a composite condition, parents before members
  path              string
  kind              string
  satisfied         boolean
  remaining         integer?
  sources_by_type?  {integer}
MatcherState: A name that is waited for
  name        bytes
  satisfied   boolean
  signal_id?  string
Approval: What a person needs to answer
  prompt        bytes
  assignees?    [string]
  form?         any        A JSON schema of the answer
  context       bytes
  context_type  bytes      The media type of the context
  due_at?       time
Waitpoint: An open waitpoint
  execution_id           string
  waitpoint_id           string
  waitpoint_key          bytes
  state                  string
  waitpoint_token?       string
  token_kid              string
  token_fingerprint      string
  required_signal_names  [string]     Empty where any signal will do
  created_at?            time
  activated_at?          time
  expires_at?            time
  approval?              Approval
  links?                 [ApprovalLink]
ApprovalLink: An address at which a person answers the waitpoint once
  link_id       string
  label         bytes
  created_at    time
  expires_at    time
  revoked_at?   time
  answer?       string
  answered_at?  time
WaitpointPage: Open waitpoints
  waitpoints  [Waitpoint]
  ...Page
WaitingApproval: An open waitpoint where a person is asked
  ...Waitpoint
  namespace       string
  lane_id         string
  execution_kind  string
ApprovalPage: What people are asked, soonest due first
  approvals  [WaitingApproval]
  ...Page
WaitpointToken: The credential of an open waitpoint
  token  string
PendingWaitpoint: An address for signals while the work goes on
  status       =created
  ...BoundWaitpoint
  expires_at?  time
ClosedWaitpoint: A waitpoint that takes no more signals
  status  =closed
SignalReceipt: What a signal did, or the signal it repeats
  status                  accepted|duplicate
  signal_id?              string
  effect?                 string
  requires_confirmation?  boolean
  existing_signal_id?     string
ResumedExecution: An execution that an operator let go on
  status        =resumed
  public_state  PublicState
SignalPage: Signals, in order
  signals  [Signal]
  ...Page
Signal: A signal that was accepted
  entry_id?                   string
  signal_id                   string
  target_execution_id?        string
  target_waitpoint_id?        string
  matched_waitpoint_id?       string
  target_scope?               string
  signal_name                 bytes
  signal_category             bytes
  source_type                 bytes
  source_identity             bytes
  correlation_id              bytes
  idempotency_key             bytes
  created_at?                 time?
  accepted_at?                time?
  payload_encoding            bytes
  payload_len?                integer?
  observed_effect?            string
  consumed_at?                time?
  consumed_by_suspension_id?  string
  matched?                    string
RotatedSecret: On which partitions new tokens are signed with the new secret
  rotated      integer
  failed       [integer]
  in_progress  [integer]
  new_kid      string
WaitpointKids: The kids that sign and those that are still accepted
  current_kid  string
  in_step      boolean
  kids         [RetiredKid]
RetiredKid: A kid whose tokens are accepted for a while
  kid         string
  expires_at  time
)schema";

}  // namespace

std::string_view suspension_schemas() {
    return kObjects;
}

}  // namespace ff::api
