export type PublicState =
    | "waiting"
    | "delayed"
    | "rate_limited"
    | "waiting_children"
    | "active"
    | "suspended"
    | "completed"
    | "failed"
    | "cancelled"
    | "expired"
    | "skipped";

export interface Listed {
    execution_id: string;
    namespace: string;
    lane_id: string;
    execution_kind: string;
    public_state: PublicState;
    priority: number;
    created_at: number;
}

export interface ExecutionInfo extends Listed {
    state_vector: Record<string, string>;
    started_at?: number;
    completed_at?: number;
    delay_until?: number;
    execution_deadline_at?: number;
    current_attempt_index: number;
    total_attempt_count: number;
    flow_id: string | null;
    called_by?: string;
    called_as?: string;
    blocking_detail: string;
    progress_pct?: number;
    progress_message?: string;
    failure_reason?: string;
    failure_category?: string;
    cancellation_reason?: string;
    required_capabilities?: string;
    payload_encoding?: string;
    result_encoding?: string;
    [more: string]: unknown;
}

export interface Explanation extends ExecutionInfo {
    summary: string;
    blocking_ref: string;
    lane_state: string;
    worker_instance_id?: string;
    lease_expires_at?: number;
    workers: { worker_id: string; worker_instance_id: string; serves_lane: boolean; missing_capabilities: string[] }[];
    policies: { ref: string; exhausted: boolean; detail: string }[];
}

export interface Attempt {
    attempt_index: number;
    attempt_id: string;
    attempt_type: string;
    attempt_state: string;
    created_at: number;
    started_at?: number;
    ended_at?: number;
    suspended_at?: number;
    worker_id?: string;
    worker_instance_id?: string;
    failure_reason?: string;
    failure_category?: string;
    [more: string]: unknown;
}

export interface LeaseEvent {
    id: string;
    event: string;
    ts: number;
    reason?: string;
    attempt_index: number;
    worker_id: string;
    worker_instance_id: string;
    lease_id: string;
}

export interface Signal {
    signal_id: string;
    signal_name: string;
    accepted_at?: number;
    created_at?: number;
    source_identity?: string;
    payload?: string;
    [more: string]: unknown;
}

export interface Step {
    name: string;
    value?: string;
    value_base64?: string;
    encoding?: string;
    attempt_index: number;
    recorded_at: number;
}

export interface Child {
    name: string;
    execution_id: string;
    outcome: string | null;
    result?: string;
    result_base64?: string;
    failure_reason?: string;
    failure_category?: string;
    /** When it was created, started and ended; known of the first ones only. */
    info?: ExecutionInfo;
}

export interface ApprovalAsk {
    prompt?: string;
    assignees?: string[];
    form?: unknown;
    context?: unknown;
    context_type?: string;
    due_at?: number;
}

export interface Waitpoint {
    execution_id: string;
    waitpoint_id: string;
    waitpoint_key: string;
    state: string;
    required_signal_names: string[];
    created_at: number;
    expires_at?: number;
    approval?: ApprovalAsk;
}

export interface Lane {
    lane_id: string;
    state: "active" | "paused" | "draining" | "disabled";
    scheduling_weight: number;
    default_priority?: number;
    default_policy_json?: string;
    counts: Record<string, number>;
}

export interface Worker {
    namespace: string;
    worker_id: string;
    worker_instance_id: string;
    lanes: string[];
    capabilities: string[];
    registered_at_ms: number;
    last_heartbeat_ms: number;
}

export interface Budget {
    budget_id: string;
    scope_type: string;
    scope_id: string;
    enforcement_mode: string;
    on_hard_limit: string;
    usage: Record<string, number>;
    hard_limits: Record<string, number>;
    soft_limits: Record<string, number>;
    remaining: Record<string, number>;
    exhausted_dims: string[];
    breach_count: number;
    soft_breach_count: number;
    reset_interval_ms: number;
    next_reset_at?: number;
    created_at: number;
}

export interface Quota {
    quota_policy_id: string;
    name: string;
    scope_type: string;
    scope_id: string;
    window_seconds: number;
    max_requests_per_window: number;
    max_concurrent: number;
    window_entries: number;
    held_slots: number;
    next_slot_in_ms: number;
}

export interface Flow {
    flow_id: string;
    flow_kind: string;
    namespace: string;
    public_flow_state: string;
    node_count: number;
    edge_count: number;
    sealed: boolean;
    created_at: number;
    finished_at?: number;
    ended: Record<string, number>;
    tags?: Record<string, string>;
}

export interface FlowNode {
    execution_id: string;
    name: string;
    public_state: PublicState;
    lane_id: string;
    execution_kind: string;
    created_at: number;
    completed_at?: number;
    skip_reason?: string;
}

export interface FlowEdge {
    edge_id: string;
    upstream_execution_id: string;
    downstream_execution_id: string;
    dependency_kind: string;
    edge_state: string;
}

export interface FlowGroup {
    downstream_execution_id: string;
    policy: string;
    state: string;
    n: number;
    k?: number;
    succeeded: number;
    failed: number;
    skipped: number;
}

export interface FeedEvent {
    event_id: string;
    family: string;
    execution_id: string;
    namespace: string;
    lane_id: string;
    flow_id: string;
    at: number;
    kind?: string;
    event?: string;
    outcome?: string;
    reason?: string;
    release_reason?: string;
    effect_class?: string;
}
