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

export interface Created {
  status: 'created' | 'duplicate';
  execution_id: string;
  public_state: string;
}

export interface ItemError {
  status: 'error';
  code: string;
  class: string;
  retryable: boolean;
  error?: string;
  execution_id?: string;
}

export interface ExecutionSummary {
  execution_id: string;
  namespace: string;
  lane_id: string;
  execution_kind: string;
  public_state: string;
  priority: number;
  created_at: number;
}

export interface ExecutionInfo {
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
  [member: string]: unknown;
}

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

export interface WaitAnswer {
  public_state: string;
  terminal_outcome?: string;
  completed_at?: number;
  timed_out: boolean;
}

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

export interface NewFrame extends PayloadFields {
  frame_type: string;
  encoding?: string;
  correlation_id?: string;
  ts?: number;
  seq?: number;
}

export interface AppendFrames {
  task_token: string;
  mode?: 'durable' | 'summary' | 'best_effort';
  ttl_ms?: number;
  frames: NewFrame[];
}

export interface FramePage {
  frames: Frame[];
  count: number;
  next: string;
  more: boolean;
  closed_at?: number;
  closed_reason?: string;
}

export interface StreamQuery {
  visibility?: string;
  types?: string;
  payload?: 'base64';
}

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

export interface FeedGap {
  feed: string;
  partition: number;
  lost: number | null;
}

export interface FeedPage {
  events: FeedEvent[];
  gaps: FeedGap[];
  cursor: string;
}

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

export interface SignalAnswer {
  status: 'accepted' | 'duplicate';
  signal_id?: string;
  effect?: string;
  requires_confirmation?: boolean;
  existing_signal_id?: string;
}

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

export interface RecordedStep extends NewStep {
  status?: 'recorded' | 'duplicate';
}

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

export interface NewChild extends PayloadFields {
  name: string;
  execution_kind: string;
  lane_id?: string;
  payload_encoding?: string;
  policy?: ExecutionPolicy;
  tags?: Tags;
  priority?: number;
}

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

export interface Suspended {
  status: 'suspended' | 'already_satisfied';
  suspension_id: string;
  waitpoint_id: string;
  waitpoint_key: string;
  waitpoint_token: string;
  lease_held?: boolean;
  replayed?: boolean;
}

export interface CompleteTask {
  task_token: string;
  result?: string;
  result_base64?: string;
  result_encoding?: string;
  steps?: NewStep[];
}

export interface FailTask {
  task_token: string;
  reason: string;
  category: string;
  no_retry?: boolean;
  fallback_to?: string;
  steps?: NewStep[];
}

export interface DelayTask {
  task_token: string;
  delay_ms?: number;
  delay_until?: DueTime;
  steps?: NewStep[];
}

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

export interface CreateWaitpoint {
  task_token: string;
  waitpoint_key?: string;
  expires_in_ms: number;
  approval?: ApprovalFields;
}

export interface Replay {
  reason?: string;
  requested_by?: string;
  keep_steps?: boolean;
}

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

export interface ClaimGrant {
  lane_id: string;
  worker_instance_id: string;
  capabilities?: string[];
  grant_ttl_ms?: number;
}

export interface Completion {
  execution_id: string;
  task_token: string;
  result?: string;
  result_base64?: string;
  result_encoding?: string;
}

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

export interface ItemDone {
  execution_id: string;
  status: 'completed' | 'renewed';
  replayed?: boolean;
  lease_expires_at?: number;
}

export interface Claimed {
  tasks: ClaimedTask[];
  results?: (ItemDone | ItemError)[];
}

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

export interface FlowDefaults {
  lane_id?: string;
  priority?: number;
  execution_kind?: string;
  creator_identity?: string;
  policy?: ExecutionPolicy;
  payload_encoding?: string;
}

export interface ExpandFlow {
  nodes: FlowNode[];
  defaults?: FlowDefaults;
  seal?: boolean;
  allow_missing_budget?: boolean;
  mutation_id?: string;
  expected_graph_revision?: number;
}

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

export interface FlowSubmitted {
  status: string;
  flow_id: string;
  graph_revision: number;
  node_count: number;
  edge_count: number;
  eligible_now_count: number;
  nodes: Record<string, string>;
}

export interface FlowInfo {
  flow_id: string;
  public_flow_state: string;
  [member: string]: unknown;
}

export interface CreateFlow {
  namespace: string;
  flow_id?: string;
  flow_kind?: string;
  failure_policy?: string;
  outcome_policy?: string;
  created_by?: string;
}

export interface StageEdge {
  edge_id?: string;
  upstream_execution_id: string;
  downstream_execution_id: string;
  dependency_kind?: string;
  data_passing_ref?: string;
  expected_graph_revision?: number;
}

export interface CancelFlowAnswer {
  status: string;
  public_flow_state: string;
  cancellation_policy: string;
  member_count: number;
  member_execution_ids: string[];
  failed_member_execution_ids?: string[];
}

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

export interface BudgetStatus {
  budget_id: string;
  usage: Record<string, number>;
  hard_limits: Record<string, number>;
  soft_limits: Record<string, number>;
  [member: string]: unknown;
}

export interface Usage {
  dimensions: Record<string, number>;
  dedup_key?: string;
}

export interface Spend extends Usage {
  execution_id: string;
  mode?: 'spent' | 'check';
}

export interface TaskUsage extends Usage {
  task_token: string;
  budget_id?: string;
  mode?: 'spent' | 'check';
}

export interface UsageAnswer {
  budget_id?: string;
  status: 'ok' | 'soft_breach' | 'hard_breach' | 'already_applied';
  dimension?: string;
  current_usage?: number;
  soft_limit?: number;
  hard_limit?: number;
  action?: string;
}

export interface Scope {
  scope_type: string;
  scope_id?: string;
}

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

export interface UpdateQuota {
  window_seconds?: number;
  max_requests_per_window?: number;
  max_concurrent?: number;
  jitter_ms?: number;
  name?: string;
  actor?: string;
  reason?: string;
}

export interface SetLane {
  state?: 'active' | 'paused' | 'draining' | 'disabled';
  scheduling_weight?: number;
  default_priority?: number;
  default_policy_json?: string;
}

export interface LaneStatus {
  lane_id: string;
  state: string;
  counts: Record<string, number>;
  [member: string]: unknown;
}

export interface LaneOverview extends LaneStatus {
  workers: number;
  oldest_waiting?: { execution_id: string; created_at: number };
  /** One figure for each point, the oldest first. */
  completed: number[];
  failed: number[];
  waiting: number[];
  running: number[];
}

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

export interface RegisterWorker {
  namespace: string;
  lanes?: string[];
  capabilities?: string[];
  ttl_ms?: number;
  boot_id?: string;
  takeover?: boolean;
  max_tasks?: number;
}

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
