// What the API takes and gives, under the API's own names. A test compares it with /openapi.json.

/** An ms time, or `"+<ms>"` from now on the store's clock. */
export type DueTime = number | string;
/** Free words that belong to an execution or flow. */
export type Tags = Record<string, string>;

/** `payload` holds UTF-8 text, `payload_base64` any bytes; one of them at most. */
export interface PayloadFields {
  payload?: string;
  payload_base64?: string;
}

/** How failed attempts are repeated. */
export interface RetryPolicy {
  max_retries?: number;
  backoff?:
    | { type: 'fixed'; delay_ms?: number }
    | { type: 'exponential'; initial_delay_ms?: number; max_delay_ms?: number; multiplier?: number; jitter?: boolean };
  retryable_categories?: string[];
}

/** The rules of one execution. Members that are not named here are sent as given. */
export interface ExecutionPolicy {
  priority?: number;
  retry_policy?: RetryPolicy;
  timeout_policy?: { attempt_timeout_ms?: number; execution_deadline_ms?: number; max_reclaim_count?: number };
  routing_requirements?: { required_capabilities?: string[] } & Record<string, unknown>;
  budget_ids?: string[];
  quota_policy_id?: string;
  retention_ms?: number;
  [member: string]: unknown;
}

/** A new execution: its kind, lane, payload and policy. */
export interface CreateExecution extends PayloadFields {
  execution_kind: string;
  execution_id?: string;
  colocate_with_flow?: string;
  namespace?: string;
  lane_id?: string;
  payload_encoding?: string;
  priority?: number;
  creator_identity?: string;
  idempotency_key?: string;
  tags?: Tags;
  policy?: ExecutionPolicy;
  delay_until?: DueTime;
  execution_deadline_at?: DueTime;
  initial_hold?: string;
  partition_id?: number;
  allow_missing_budget?: boolean;
}

/** How long an execution is kept once it has ended, and when it may be deleted if it has. */
export interface Kept {
  retention_ms?: number;
  expires_at?: number;
}

/** Which execution there is now, and whether it was new. */
export interface Created extends Kept {
  status: 'created' | 'duplicate';
  execution_id: string;
  public_state: string;
}

/** Why one item of a batch was refused. */
export interface ItemError {
  status: 'error';
  code: string;
  class: string;
  retryable: boolean;
  error?: string;
  execution_id?: string;
}

/** An execution as listings show it. */
export interface ExecutionSummary extends Kept {
  execution_id: string;
  namespace: string;
  lane_id: string;
  execution_kind: string;
  public_state: string;
  priority: number;
  created_at: number;
}

/** Everything about one execution but its bytes. */
export interface ExecutionInfo extends Kept {
  execution_id: string;
  namespace: string;
  lane_id: string;
  execution_kind: string;
  priority: number;
  public_state: string;
  state_vector: Record<string, string>;
  created_at: number;
  started_at?: number;
  completed_at?: number;
  delay_until?: number;
  execution_deadline_at?: number;
  current_attempt_index: number;
  total_attempt_count: number;
  flow_id: string | null;
  /** Of a called child: its parent, and its name there. */
  called_by?: string;
  called_as?: string;
  blocking_detail?: string;
  progress_pct?: number;
  progress_message?: string;
  failure_reason?: string;
  failure_category?: string;
  cancellation_reason?: string;
  worker_id?: string;
  worker_instance_id?: string;
  lease_expires_at?: number;
  retry_count?: number;
  max_retries?: number;
  result_encoding?: string;
  payload_encoding?: string;
  tags?: Tags;
  required_capabilities?: string[];
  /** The policy in force: its own over the lane's over the server's. */
  policy?: ExecutionPolicy;
  /** What follows a failure, in words. */
  retries?: string;
  [member: string]: unknown;
}

/** Which executions to list, and how many at a time. */
export interface ListExecutions {
  limit?: number;
  cursor?: string;
  partition?: number;
  lane?: string;
  state?: string;
  offset?: number;
  namespace?: string;
  order?: 'newest';
  tag?: string;
  view?: string;
}

/** How an execution ended, or that it has not within the wait. */
export interface WaitAnswer {
  public_state: string;
  terminal_outcome?: string;
  completed_at?: number;
  timed_out: boolean;
}

/** One piece of output as it is stored. */
export interface Frame {
  id: string;
  attempt_index?: number;
  fields: {
    frame_type: string;
    ts: number;
    payload?: string;
    payload_base64?: string;
    encoding: string;
    source: string;
    mode: string;
    correlation_id?: string;
    [member: string]: unknown;
  };
}

/** One piece of output to append. */
export interface NewFrame extends PayloadFields {
  frame_type: string;
  encoding?: string;
  correlation_id?: string;
  ts?: number;
  seq?: number;
}

/** Output of an attempt, appended under its lease. */
export interface AppendFrames {
  task_token: string;
  mode?: 'durable' | 'summary' | 'best_effort';
  ttl_ms?: number;
  frames: NewFrame[];
}

/** A range of frames. */
export interface FramePage {
  frames: Frame[];
  count: number;
  next: string;
  more: boolean;
  closed_at?: number;
  closed_reason?: string;
}

/** Which frames of a stream to read. */
export interface StreamQuery {
  visibility?: string;
  types?: string;
  payload?: 'base64';
}

/** Which events of a feed to read, and from where. */
export interface FeedQuery {
  cursor?: string;
  since?: number;
  namespace?: string;
  tag?: string | string[];
  execution_id?: string;
  flow_id?: string;
  lane?: string;
  type?: string;
  partition?: number;
}

/** Something that happened to an execution or a flow. */
export interface FeedEvent {
  event_id: string;
  family: string;
  execution_id: string;
  namespace: string;
  lane_id: string;
  flow_id: string;
  at: number;
  [member: string]: unknown;
}

/** Events that were gone before they were read. */
export interface FeedGap {
  feed: string;
  partition: number;
  lost: number | null;
}

/** A range of events, and the cursor behind it. */
export interface FeedPage {
  events: FeedEvent[];
  gaps: FeedGap[];
  cursor: string;
}

/** Where signals for a waiting execution arrive. */
export interface Waitpoint {
  waitpoint_id: string;
  waitpoint_key: string;
  state: string;
  waitpoint_token?: string;
  required_signal_names: string[];
  created_at: number;
  activated_at?: number;
  expires_at?: number;
  execution_id: string;
  [member: string]: unknown;
}

/** A signal that has come. */
export interface SignalRecord extends PayloadFields {
  entry_id?: string;
  signal_id: string;
  signal_name: string;
  signal_category: string;
  source_type: string;
  source_identity: string;
  correlation_id?: string;
  accepted_at: number;
  matched?: string | number;
  payload_encoding?: string;
}

/** A signal to send. */
export interface SendSignal extends PayloadFields {
  signal_name: string;
  waitpoint_id?: string;
  waitpoint_key?: string;
  waitpoint_token?: string;
  signal_id?: string;
  signal_category?: string;
  source_type?: string;
  source_identity?: string;
  payload_encoding?: string;
  correlation_id?: string;
  idempotency_key?: string;
  target_scope?: string;
  created_at?: number;
  dedup_ttl_ms?: number;
  resume_delay_ms?: number;
  signal_maxlen?: number;
  max_signals_per_execution?: number;
}

/** What a signal has done. */
export interface SignalAnswer {
  status: 'accepted' | 'duplicate';
  signal_id?: string;
  effect?: string;
  requires_confirmation?: boolean;
  existing_signal_id?: string;
}

/** The answer of a person who was asked. */
export interface Approve {
  waitpoint_id: string;
  signal_name: string;
  idempotency_suffix?: string;
  dedup_ttl_ms?: number;
  actor?: string;
}

/** A link by which a person answers without an account. */
export interface CreateApprovalLink {
  expires_in_ms?: number;
  label?: string;
}

/** The link that was made, and until when it holds. */
export interface ApprovalLink {
  status: string;
  link_id: string;
  url: string;
  expires_at: number;
}

/** A step to record; the value is text or base64 of bytes. */
export interface NewStep {
  name: string;
  value?: string;
  value_base64?: string;
  encoding?: string;
}

/** A step that an execution has recorded. */
export interface RecordedStep extends NewStep {
  status?: 'recorded' | 'duplicate';
}

/** How a called execution ended. */
export interface ChildOutcome {
  name: string;
  execution_id: string;
  outcome?: string;
  result?: string;
  result_base64?: string;
  result_encoding?: string;
  failure_reason?: string;
  failure_category?: string;
  [member: string]: unknown;
}

/** An execution to call. */
export interface NewChild extends PayloadFields {
  name: string;
  execution_kind: string;
  lane_id?: string;
  payload_encoding?: string;
  policy?: ExecutionPolicy;
  tags?: Tags;
  priority?: number;
}

/** What a task waits for before it goes on. */
export interface Suspend {
  task_token: string;
  reason_code?: string;
  signals?: string[];
  match?: 'any' | 'all';
  resume_condition?: object;
  resume_policy?: object;
  timeout_at?: DueTime;
  timeout_ms?: number;
  timeout_behavior?: string;
  waitpoint?: { waitpoint_id?: string; waitpoint_key?: string } | { use_pending: string };
  additional_waitpoints?: { waitpoint_id?: string; waitpoint_key?: string }[];
  continuation_metadata_pointer?: string;
  continuation_metadata_pointer_base64?: string;
  suspension_id?: string;
  idempotency_key?: string;
  steps?: NewStep[];
  approval?: ApprovalFields;
}

/** The wait that has begun, or that it was over already. */
export interface Suspended {
  status: 'suspended' | 'already_satisfied';
  suspension_id: string;
  waitpoint_id: string;
  waitpoint_key: string;
  waitpoint_token: string;
  lease_held?: boolean;
  replayed?: boolean;
}

/** A task that ends with a result. */
export interface CompleteTask {
  task_token: string;
  result?: string;
  result_base64?: string;
  result_encoding?: string;
  steps?: NewStep[];
}

/** A task that ends with a failure. */
export interface FailTask {
  task_token: string;
  reason: string;
  category: string;
  no_retry?: boolean;
  fallback_to?: string;
  steps?: NewStep[];
}

/** A task that goes on later. */
export interface DelayTask {
  task_token: string;
  delay_ms?: number;
  delay_until?: DueTime;
  steps?: NewStep[];
}

/** A task that goes on when other executions have ended. */
export interface CallChildren {
  task_token: string;
  children: NewChild[];
  on_child_failure?: 'fail' | 'continue';
  steps?: NewStep[];
}

/** What a person is asked at a waitpoint. */
export interface ApprovalFields {
  prompt?: string;
  assignees?: string[];
  /** A small JSON schema of the answer. */
  form?: object;
  context?: string;
  context_base64?: string;
  context_type?: string;
  due_at?: DueTime;
}

/** A waitpoint to make before its task waits. */
export interface CreateWaitpoint {
  task_token: string;
  waitpoint_key?: string;
  expires_in_ms: number;
  approval?: ApprovalFields;
}

/** How an ended execution is run again. */
export interface Replay {
  reason?: string;
  requested_by?: string;
  keep_steps?: boolean;
}

/** Who takes over work whose lease is lost. */
export interface Reclaim {
  worker_id: string;
  worker_instance_id: string;
  lane_id: string;
  grant_ttl_ms?: number;
  worker_capabilities?: string[];
  capability_hash?: string;
  route_snapshot_json?: string;
  admission_summary?: string;
}

/** Work that a worker may claim from the store itself. */
export interface ClaimGrant {
  lane_id: string;
  worker_instance_id: string;
  capabilities?: string[];
  grant_ttl_ms?: number;
}

/** One result of a batch. */
export interface Completion {
  execution_id: string;
  task_token: string;
  result?: string;
  result_base64?: string;
  result_encoding?: string;
}

/** What a worker asks for, and the results it hands in with that. */
export interface ClaimTasks {
  worker_instance_id: string;
  lanes: string[];
  namespace?: string;
  capabilities?: string[];
  kinds?: string[];
  max_tasks?: number;
  wait_ms?: number;
  lease_ttl_ms?: number;
  include_payload?: boolean;
  max_payload_bytes?: number;
  claim_id?: string;
  first_try?: boolean;
  completions?: Completion[];
}

/** A task with its lease, payload, steps and children. */
export interface ClaimedTask extends PayloadFields {
  execution_id: string;
  namespace: string;
  lane_id: string;
  execution_kind: string;
  priority: number;
  created_at: number;
  flow_id: string | null;
  attempt_index: number;
  attempt_id: string;
  attempt_type: string;
  lease_id: string;
  lease_epoch: number;
  lease_ttl_ms: number;
  lease_expires_at: number;
  tags?: Tags;
  payload_state: 'inline' | 'omitted' | 'none';
  payload_encoding?: string;
  suspension_id?: string;
  task_token: string;
  steps_state?: 'inline' | 'omitted' | 'none';
  steps?: RecordedStep[];
  children_state?: 'inline' | 'omitted' | 'none';
  children?: ChildOutcome[];
}

/** One item of a batch that was done. */
export interface ItemDone {
  execution_id: string;
  status: 'completed' | 'renewed';
  replayed?: boolean;
  lease_expires_at?: number;
}

/** Tasks, and what became of the results that were handed in. */
export interface Claimed {
  tasks: ClaimedTask[];
  results?: (ItemDone | ItemError)[];
}

/** One node of a flow: an execution and what it waits for. */
export interface FlowNode extends PayloadFields {
  name: string;
  execution_kind?: string;
  lane_id?: string;
  payload_encoding?: string;
  priority?: number;
  policy?: ExecutionPolicy;
  tags?: Tags;
  delay_until?: DueTime;
  depends_on?: (string | { node?: string; execution_id?: string; kind?: string; data?: string })[];
  join?: { mode?: 'all_of' | 'any_of' | 'quorum'; k?: number; on_satisfied?: 'cancel_remaining' | 'let_run' };
}

/** What holds for all nodes of a flow that do not say otherwise. */
export interface FlowDefaults {
  lane_id?: string;
  priority?: number;
  execution_kind?: string;
  creator_identity?: string;
  policy?: ExecutionPolicy;
  payload_encoding?: string;
}

/** Nodes to add to a flow that runs. */
export interface ExpandFlow {
  nodes: FlowNode[];
  defaults?: FlowDefaults;
  seal?: boolean;
  allow_missing_budget?: boolean;
  mutation_id?: string;
  expected_graph_revision?: number;
}

/** A whole flow in one request. */
export interface SubmitFlow {
  nodes: FlowNode[];
  defaults?: FlowDefaults;
  seal?: boolean;
  allow_missing_budget?: boolean;
  namespace: string;
  flow_id?: string;
  flow_kind?: string;
  created_by?: string;
  failure_policy?: 'isolate_failures' | 'fail_fast';
  outcome_policy?: string;
  tags?: Tags;
}

/** The flow and the executions of its nodes. */
export interface FlowSubmitted {
  status: string;
  flow_id: string;
  graph_revision: number;
  node_count: number;
  edge_count: number;
  eligible_now_count: number;
  nodes: Record<string, string>;
}

/** A flow and how far it is. */
export interface FlowInfo {
  flow_id: string;
  public_flow_state: string;
  [member: string]: unknown;
}

/** A flow that is put together step by step. */
export interface CreateFlow {
  namespace: string;
  flow_id?: string;
  flow_kind?: string;
  failure_policy?: string;
  outcome_policy?: string;
  created_by?: string;
}

/** A dependency between two members of a flow. */
export interface StageEdge {
  edge_id?: string;
  upstream_execution_id: string;
  downstream_execution_id: string;
  dependency_kind?: string;
  data_passing_ref?: string;
  expected_graph_revision?: number;
}

/** How far the end of a flow has come. */
export interface CancelFlowAnswer {
  status: string;
  public_flow_state: string;
  cancellation_policy: string;
  member_count: number;
  member_execution_ids: string[];
  failed_member_execution_ids?: string[];
}

/** A budget: its dimensions, limits and what happens at them. */
export interface CreateBudget {
  scope_type: string;
  scope_id?: string;
  budget_id?: string;
  enforcement_mode?: string;
  on_hard_limit?: string;
  on_soft_limit?: string;
  dimensions?: string[];
  hard_limits?: number[];
  soft_limits?: number[];
  reset_interval_ms?: number;
  attach?: boolean;
  name?: string;
  created_by?: string;
  currency?: string;
  cost_unit?: string;
  escalation_target?: string;
}

/** What is to change about a budget. */
export interface UpdateBudget {
  enforcement_mode?: string;
  on_hard_limit?: string;
  on_soft_limit?: string;
  dimensions?: string[];
  hard_limits?: number[];
  soft_limits?: number[];
  actor?: string;
  reason?: string;
}

/** A budget and what of it is used. */
export interface BudgetStatus {
  budget_id: string;
  usage: Record<string, number>;
  hard_limits: Record<string, number>;
  soft_limits: Record<string, number>;
  [member: string]: unknown;
}

/** Amounts to count against one budget. */
export interface Usage {
  dimensions: Record<string, number>;
  dedup_key?: string;
}

/** Amounts that an execution has spent of one budget. */
export interface Spend extends Usage {
  execution_id: string;
  mode?: 'spent' | 'check';
}

/** Amounts that a task has spent of its budgets. */
export interface TaskUsage extends Usage {
  task_token: string;
  budget_id?: string;
  mode?: 'spent' | 'check';
}

/** What each budget says to the amounts. */
export interface UsageAnswer {
  budget_id?: string;
  status: 'ok' | 'soft_breach' | 'hard_breach' | 'already_applied';
  dimension?: string;
  current_usage?: number;
  soft_limit?: number;
  hard_limit?: number;
  action?: string;
}

/** What a budget or quota is attached to. */
export interface Scope {
  scope_type: string;
  scope_id?: string;
}

/** A quota: how many at a time, or in a window. */
export interface CreateQuota {
  scope_type?: string;
  scope_id?: string;
  quota_policy_id?: string;
  window_seconds?: number;
  max_requests_per_window?: number;
  max_concurrent?: number;
  jitter_ms?: number;
  name?: string;
  attach?: boolean;
}

/** What is to change about a quota. */
export interface UpdateQuota {
  window_seconds?: number;
  max_requests_per_window?: number;
  max_concurrent?: number;
  jitter_ms?: number;
  name?: string;
  actor?: string;
  reason?: string;
}

/** What a lane accepts, and its share of workers. */
export interface SetLane {
  state?: 'active' | 'paused' | 'draining' | 'disabled';
  scheduling_weight?: number;
  default_priority?: number;
  default_policy_json?: string;
}

/** A lane and how many executions are in which state. */
export interface LaneStatus {
  lane_id: string;
  state: string;
  counts: Record<string, number>;
  [member: string]: unknown;
}

/** A lane and its last hour. */
export interface LaneOverview extends LaneStatus {
  workers: number;
  oldest_waiting?: { execution_id: string; created_at: number };
  /** One figure for each point, the oldest first. */
  completed: number[];
  failed: number[];
  waiting: number[];
  running: number[];
}

/** How things are, in one answer. */
export interface Overview {
  at: number;
  points_from: number;
  point_ms: number;
  lanes: LaneOverview[];
  workers_alive: number;
  approvals_waiting: number;
  budgets_near_limit: {
    budget_id: string;
    name?: string;
    scope_type: string;
    scope_id: string;
    dimension: string;
    used: number;
    hard_limit: number;
    next_reset_at?: number;
  }[];
}

/** What a worker tells of itself. */
export interface RegisterWorker {
  namespace: string;
  lanes?: string[];
  capabilities?: string[];
  ttl_ms?: number;
  boot_id?: string;
  takeover?: boolean;
  max_tasks?: number;
}

/** A worker as the registry knows it. */
export interface WorkerRecord {
  namespace: string;
  worker_id: string;
  worker_instance_id: string;
  lanes: string[];
  capabilities: string[];
  registered_at_ms: number;
  last_heartbeat_ms: number;
  [member: string]: unknown;
}

/** Leases to renew together. */
export interface RenewLeases {
  worker_instance_id?: string;
  namespace?: string;
  lease_ttl_ms?: number;
  leases: { execution_id: string; task_token: string }[];
}

/** An answer that names what happened. */
export interface Outcome {
  status: string;
  [member: string]: unknown;
}
