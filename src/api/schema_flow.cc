#include "api/schema.h"

namespace ff::api {
namespace {

constexpr std::string_view kObjects = R"schema(
CreatedFlow: A flow that is there now
  status   created|already_satisfied
  flow_id  string
AddedMember: An execution that is in the flow now
  status        added|already_member
  execution_id  string
  node_count    integer
StagedEdge: An edge that is there now
  status              staged|already_satisfied
  edge_id             string
  new_graph_revision  integer
AppliedEdge: An edge that its downstream waits for
  status             applied|already_applied
  unsatisfied_count  integer
  gated?             boolean
EdgeGroupSet: How the inbound edges of a member join now
  status  set|already_set
SubmittedGraph: The nodes and edges that are there now
  status              submitted|expanded|already_satisfied
  flow_id             string
  graph_revision      integer
  node_count          integer
  edge_count          integer
  eligible_now_count  integer
  nodes               {string}    Node name to execution id
SealedFlow: A flow that takes no more nodes and edges
  status             sealed|already_satisfied
  flow_id            string
  public_flow_state  FlowState
FlowState = open|completed|failed|cancelled
Flow: What is known about a flow
  flow_id              string
  flow_kind            string
  namespace            string
  public_flow_state    FlowState
  graph_revision       integer
  node_count           integer
  edge_count           integer
  sealed               boolean
  failure_policy       string
  outcome_policy       string
  created_by?          string
  created_at?          time
  last_mutation_at?    time
  finished_at?         time
  cancelled_at?        time
  cancel_reason?       string
  cancellation_policy? string
  cancel_completed_at? time
  reopen_count         integer
  ended                {integer}    Members by outcome
FlowDetails: A flow with its tags
  ...Flow
  tags  {string}
FlowPage: Flows, newest first
  flows  [Flow]
  ...Page
FlowMember: An execution of a flow
  execution_id          string
  name?                 string
  public_state          PublicState?   null once the execution was purged
  lane_id?              string
  execution_kind?       string
  priority?             integer
  created_at?           time
  completed_at?         time
  skip_reason?          string
  cancellation_reason?  string
FlowEdge: A dependency between two members
  edge_id                  string
  upstream_execution_id    string
  downstream_execution_id  string
  dependency_kind          string
  data_passing_ref?        string
  edge_state               string
  applied_at?              time
  resolved_at?             time
FlowGroup: How the inbound edges of a member join
  downstream_execution_id  string
  policy                   string
  on_satisfied?            string
  k?                       integer
  state                    string
  n                        integer
  succeeded                integer
  failed                   integer
  skipped                  integer
FlowGraph: A flow with its members, edges and joins
  ...Flow
  nodes   [FlowMember]
  edges   [FlowEdge]
  groups  [FlowGroup]
  ...Page
FlowSummary: How many members are in which state
  flow_id                  string
  public_flow_state        open|running|blocked|completed|failed|cancelled
  exact                    boolean      Every member was counted
  last_summary_update_at?  time
  total_members            integer
  members_waiting?  integer
  members_delayed?  integer
  members_rate_limited?  integer
  members_waiting_children?  integer
  members_active?  integer
  members_suspended?  integer
  members_completed?  integer
  members_failed?  integer
  members_cancelled?  integer
  members_expired?  integer
  members_skipped?  integer
  members_cancelled_benign?  integer
  members_unknown?  integer
FlowMemberPage: Members in the order of their ids
  members  [FlowMember]
  ...Page
FlowEdgePage: Edges in the order of their downstream
  edges  [FlowEdge]
  ...Page
CancelledFlow: How far the cancellation of a flow has come
  status                        cancelled|cancellation_scheduled|partially_cancelled
  cancellation_policy           string
  public_flow_state             FlowState
  member_count                  integer
  member_execution_ids          [string]
  truncated?                    boolean
  failed_member_execution_ids?  [string]
  draining_count?               integer
)schema";

}  // namespace

std::string_view flow_schemas() {
    return kObjects;
}

}  // namespace ff::api
