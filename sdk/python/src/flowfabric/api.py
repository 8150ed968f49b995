"""One method per route. Written by tools/generate_api.py from the server's /openapi.json: change that, not this."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypedDict, cast

from .blocking import Blocks, blocking
from .codec import bytes_fields
from .transport import Transport, escape


def put(body: dict[str, Any], members: Mapping[str, Any]) -> None:
    """Adds the members that were given."""
    body.update((name, value) for name, value in members.items() if value is not None)


def as_object(answer: Any) -> dict[str, Any]:
    """The answer of a route that always answers an object."""
    return answer if isinstance(answer, dict) else {}


class _HealthResult(TypedDict):
    status: str


class HealthResult(_HealthResult, total=False):
    """Answer of `GET /healthz`."""

    reason: str


class _ReadyResult(TypedDict):
    status: str


class ReadyResult(_ReadyResult, total=False):
    """Answer of `GET /readyz`."""

    reason: str
    memory: Mapping[str, Any]


class ReadAuditResult(TypedDict):
    """Answer of `GET /v1/admin/audit`."""

    events: Sequence[Mapping[str, Any]]
    next: str


class BackupResult(TypedDict):
    """Answer of `POST /v1/admin/backup`."""

    status: str
    shards: int
    records: int
    bytes: int


class AnnotateResult(TypedDict):
    """Answer of `POST /v1/admin/executions/{id}/attempts/{idx}/annotations`."""

    id: str
    frame_count: int


class RotateWaitpointSecretResult(TypedDict):
    """Answer of `POST /v1/admin/rotate-waitpoint-secret`."""

    rotated: int
    failed: Sequence[int]
    in_progress: Sequence[int]
    new_kid: str


class ListWaitpointKidsResult(TypedDict):
    """Answer of `GET /v1/admin/waitpoint-kids`."""

    current_kid: str
    in_step: bool
    kids: Sequence[Mapping[str, Any]]


class ListApprovalsResult(TypedDict):
    """Answer of `GET /v1/approvals`."""

    approvals: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class CreateBudgetResult(TypedDict):
    """Answer of `POST /v1/budgets`."""

    status: str
    budget_id: str


class ListBudgetsResult(TypedDict):
    """Answer of `GET /v1/budgets`."""

    budgets: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class _GetBudgetResult(TypedDict):
    budget_id: str
    scope_type: str
    scope_id: str
    enforcement_mode: str
    on_hard_limit: str
    on_soft_limit: str
    usage: Mapping[str, int]
    hard_limits: Mapping[str, int]
    soft_limits: Mapping[str, int]
    remaining: Mapping[str, int]
    exhausted_dims: Sequence[str]
    breach_count: int
    soft_breach_count: int
    reset_interval_ms: int
    reset_count: int
    revision: int


class GetBudgetResult(_GetBudgetResult, total=False):
    """Answer of `GET /v1/budgets/{id}`."""

    name: str
    last_breach_at: int
    last_breach_dim: str
    next_reset_at: int
    created_at: int


class UpdateBudgetResult(TypedDict):
    """Answer of `PUT /v1/budgets/{id}`."""

    revision: int


class AttachBudgetResult(TypedDict):
    """Answer of `POST /v1/budgets/{id}/attach`."""

    status: str


class DetachBudgetResult(TypedDict):
    """Answer of `POST /v1/budgets/{id}/detach`."""

    status: str


class _ReleaseBudgetResult(TypedDict):
    status: str


class ReleaseBudgetResult(_ReleaseBudgetResult, total=False):
    """Answer of `POST /v1/budgets/{id}/release`."""

    dimensions: Mapping[str, int]


class ResetBudgetResult(TypedDict):
    """Answer of `POST /v1/budgets/{id}/reset`."""

    status: str
    next_reset_at: int


class _SpendBudgetResult(TypedDict):
    status: str


class SpendBudgetResult(_SpendBudgetResult, total=False):
    """Answer of `POST /v1/budgets/{id}/spend`."""

    dimension: str
    current_usage: int
    soft_limit: int
    hard_limit: int
    action: str


class _CheckBudgetResult(TypedDict):
    status: str


class CheckBudgetResult(_CheckBudgetResult, total=False):
    """Answer of `POST /v1/budgets/{id}/usage`."""

    dimension: str
    current_usage: int
    soft_limit: int
    hard_limit: int
    action: str


class _CapabilitiesResult(TypedDict):
    backend: str
    version: str
    library_version: int
    partitions: Mapping[str, Any]
    lanes: Sequence[str]
    features: Mapping[str, bool]
    store_warnings: Sequence[str]


class CapabilitiesResult(_CapabilitiesResult, total=False):
    """Answer of `GET /v1/capabilities`."""

    lua: Mapping[str, Any]


class _CreateExecutionResult(TypedDict):
    status: str
    execution_id: str
    public_state: str


class CreateExecutionResult(_CreateExecutionResult, total=False):
    """Answer of `POST /v1/executions`."""

    retention_ms: int
    expires_at: int


class _ListExecutionsResult(TypedDict):
    executions: Sequence[Mapping[str, Any] | str]
    next_cursor: str | None


class ListExecutionsResult(_ListExecutionsResult, total=False):
    """Answer of `GET /v1/executions`."""

    total_returned: int


class CreateExecutionsResult(TypedDict):
    """Answer of `POST /v1/executions/batch`."""

    results: Sequence[Mapping[str, Any]]


class _GetExecutionResult(TypedDict):
    execution_id: str
    namespace: str
    lane_id: str
    priority: int
    execution_kind: str
    state_vector: Mapping[str, Any]
    public_state: str
    created_at: int
    current_attempt_index: int
    total_attempt_count: int
    flow_id: str | None
    retention_ms: int
    policy: Mapping[str, Any]
    retries: str


class GetExecutionResult(_GetExecutionResult, total=False):
    """Answer of `GET /v1/executions/{id}`."""

    started_at: int
    completed_at: int
    delay_until: int
    execution_deadline_at: int
    blocking_detail: str
    blocking_detail_base64: str
    progress_pct: int
    progress_message: str
    progress_message_base64: str
    failure_reason: str
    failure_reason_base64: str
    failure_category: str
    failure_category_base64: str
    cancellation_reason: str
    cancellation_reason_base64: str
    required_capabilities: str
    required_capabilities_base64: str
    payload_encoding: str
    payload_encoding_base64: str
    result_encoding: str
    result_encoding_base64: str
    called_by: str
    called_by_base64: str
    called_as: str
    called_as_base64: str
    expires_at: int


class _ApproveResult(TypedDict):
    status: str


class ApproveResult(_ApproveResult, total=False):
    """Answer of `POST /v1/executions/{id}/approve`."""

    signal_id: str
    effect: str
    requires_confirmation: bool
    existing_signal_id: str


class ListAttemptsResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/attempts`."""

    attempts: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class _ReadStreamResult(TypedDict):
    frames: Sequence[Mapping[str, Any]]
    count: int
    next: str
    more: bool


class ReadStreamResult(_ReadStreamResult, total=False):
    """Answer of `GET /v1/executions/{id}/attempts/{idx}/stream`."""

    closed_at: int
    closed_reason: str


class _AppendFramesResult(TypedDict):
    first_id: str
    last_id: str
    frame_count: int
    duplicates: int


class AppendFramesResult(_AppendFramesResult, total=False):
    """Answer of `POST /v1/executions/{id}/attempts/{idx}/stream`."""

    summary_version: int


class _GetStreamInfoResult(TypedDict):
    stream_id: str
    execution_id: str
    attempt_index: int
    created_at: int
    opened_by: str


class GetStreamInfoResult(_GetStreamInfoResult, total=False):
    """Answer of `GET /v1/executions/{id}/attempts/{idx}/stream/info`."""

    attempt_id: str
    closed_at: int | None
    closed_reason: str
    durability_mode: str
    retention_maxlen: int | None
    last_sequence: str
    frame_count: int | None
    total_bytes: int | None
    retained_count: int | None
    retained_bytes: int | None
    live_bytes: int | None
    live_expires_at: int | None
    last_frame_at: int | None
    has_durable_frame: bool
    has_summary_frame: bool
    ema_rate_hz: float
    last_append_ts_ms: int | None
    maxlen_applied_last: int | None


class _TailStreamResult(TypedDict):
    frames: Sequence[Mapping[str, Any]]
    count: int
    next: str
    more: bool


class TailStreamResult(_TailStreamResult, total=False):
    """Answer of `GET /v1/executions/{id}/attempts/{idx}/stream/tail`."""

    closed_at: int
    closed_reason: str


class _ReadSummaryResult(TypedDict):
    document: Any
    version: int
    patch_kind: str
    first_applied_ms: int
    last_updated_ms: int


class ReadSummaryResult(_ReadSummaryResult, total=False):
    """Answer of `GET /v1/executions/{id}/attempts/{idx}/summary`."""

    closed_at: int
    closed_reason: str


class CallChildrenResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/call-children`."""

    status: str
    public_state: str
    replayed: bool
    children: Sequence[Mapping[str, Any]]


class CancelExecutionResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/cancel`."""

    status: str
    execution_id: str
    public_state: str


class ListChildrenResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/children`."""

    children: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class CompleteResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/complete`."""

    status: str
    public_state: str
    replayed: bool


class DelayResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/delay`."""

    status: str
    public_state: str
    delay_until: int
    replayed: bool


class _ExplainResult(TypedDict):
    summary: str
    execution_id: str
    namespace: str
    lane_id: str
    priority: int
    execution_kind: str
    state_vector: Mapping[str, Any]
    public_state: str
    created_at: int
    current_attempt_index: int
    total_attempt_count: int
    flow_id: str | None
    retention_ms: int
    policy: Mapping[str, Any]
    retries: str
    blocking_ref: str
    lane_state: str
    workers: Sequence[Mapping[str, Any]]
    policies: Sequence[Mapping[str, Any]]


class ExplainResult(_ExplainResult, total=False):
    """Answer of `GET /v1/executions/{id}/explain`."""

    started_at: int
    completed_at: int
    delay_until: int
    execution_deadline_at: int
    blocking_detail: str
    blocking_detail_base64: str
    progress_pct: int
    progress_message: str
    progress_message_base64: str
    failure_reason: str
    failure_reason_base64: str
    failure_category: str
    failure_category_base64: str
    cancellation_reason: str
    cancellation_reason_base64: str
    required_capabilities: str
    required_capabilities_base64: str
    payload_encoding: str
    payload_encoding_base64: str
    result_encoding: str
    result_encoding_base64: str
    called_by: str
    called_by_base64: str
    called_as: str
    called_as_base64: str
    expires_at: int
    worker_instance_id: str
    lease_expires_at: int


class _FailResult(TypedDict):
    status: str
    policy: Mapping[str, Any]
    replayed: bool


class FailResult(_FailResult, total=False):
    """Answer of `POST /v1/executions/{id}/fail`."""

    delay_until: int
    next_attempt_index: int
    why: str
    message: str


class ListLeaseHistoryResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/lease-history`."""

    events: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class ListPendingWaitpointsResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/pending-waitpoints`."""

    waitpoints: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class ChangePriorityResult(TypedDict):
    """Answer of `PUT /v1/executions/{id}/priority`."""

    status: str
    execution_id: str
    old_priority: int
    new_priority: int


class ProgressResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/progress`."""

    status: str


class _ReclaimResult(TypedDict):
    status: str


class ReclaimResult(_ReclaimResult, total=False):
    """Answer of `POST /v1/executions/{id}/reclaim`."""

    execution_id: str
    partition_key: str
    grant_key: str
    expires_at_ms: int
    lane_id: str
    detail: Sequence[str]
    reclaim_count: int


class ReleaseResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/release`."""

    status: str


class ReleaseHoldResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/release-hold`."""

    status: str
    execution_id: str
    public_state: str


class RenewLeaseResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/renew`."""

    status: str
    lease_expires_at: int


class _ReplayExecutionResult(TypedDict):
    status: str


class ReplayExecutionResult(_ReplayExecutionResult, total=False):
    """Answer of `POST /v1/executions/{id}/replay`."""

    public_state: str
    count: int
    execution_ids: Sequence[str]


class ResumeExecutionResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/resume`."""

    status: str
    public_state: str


class ResumeSignalsResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/resume-signals`."""

    signals: Sequence[Mapping[str, Any]]


class _RevokeLeaseResult(TypedDict):
    status: str


class RevokeLeaseResult(_RevokeLeaseResult, total=False):
    """Answer of `POST /v1/executions/{id}/revoke-lease`."""

    lease_id: str
    lease_epoch: int
    reason: str


class _DeliverSignalResult(TypedDict):
    status: str


class DeliverSignalResult(_DeliverSignalResult, total=False):
    """Answer of `POST /v1/executions/{id}/signal`."""

    signal_id: str
    effect: str
    requires_confirmation: bool
    existing_signal_id: str


class ListSignalsResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/signals`."""

    signals: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class GetStateResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/state`."""

    execution_id: str
    public_state: str


class RecordStepsResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/steps`."""

    steps: Sequence[Mapping[str, Any]]


class ReadStepsResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/steps`."""

    steps: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class ReadMergedStreamResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/stream`."""

    frames: Sequence[Mapping[str, Any]]
    count: int
    next: str
    more: bool
    latest_summary: Mapping[str, Any] | None


class _SuspendResult(TypedDict):
    status: str
    suspension_id: str
    waitpoint_id: str
    waitpoint_token: str
    additional_waitpoints: Sequence[Mapping[str, Any]]


class SuspendResult(_SuspendResult, total=False):
    """Answer of `POST /v1/executions/{id}/suspend`."""

    lease_held: bool
    replayed: bool
    waitpoint_key: str
    waitpoint_key_base64: str


class _GetSuspensionResult(TypedDict):
    suspension_id: str
    execution_id: str
    attempt_index: int
    waitpoint_id: str
    created_at: int
    waitpoints: Sequence[Mapping[str, Any]]


class GetSuspensionResult(_GetSuspensionResult, total=False):
    """Answer of `GET /v1/executions/{id}/suspension`."""

    lease_id: str
    waitpoint_key: str
    waitpoint_key_base64: str
    additional_waitpoints_json: str
    reason_code: str
    reason_code_base64: str
    requested_by: str
    requested_by_base64: str
    timeout_at: int | None
    timeout_behavior: str
    resume_condition_json: str
    resume_condition_json_base64: str
    resume_policy_json: str
    resume_policy_json_base64: str
    continuation_metadata_pointer: str
    continuation_metadata_pointer_base64: str
    buffered_signal_summary_json: str
    buffered_signal_summary_json_base64: str
    last_signal_at: int | None
    satisfied_at: int | None
    closed_at: int | None
    close_reason: str
    already_satisfied: str
    resume_trigger: str
    resume_actor: str
    resume_actor_base64: str
    closer_signal_id: str
    all_satisfier_signals: str
    all_satisfier_signals_base64: str
    timeout_signal_id: str
    escalated_at: int | None
    has_approval: str


class _GetSuspensionConditionResult(TypedDict):
    suspension_id: str
    condition_type: str
    match_mode: str
    satisfied: bool
    remaining: int | None
    nodes: Sequence[Mapping[str, Any]]
    matchers: Sequence[Mapping[str, Any]]


class GetSuspensionConditionResult(_GetSuspensionConditionResult, total=False):
    """Answer of `GET /v1/executions/{id}/suspension/condition`."""

    resume_condition_json: str
    resume_condition_json_base64: str


class SetTagsResult(TypedDict):
    """Answer of `PUT /v1/executions/{id}/tags`."""

    count: int


class TakeOverResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/take-over`."""

    status: str
    execution_id: str
    lane_id: str
    attempt_index: int
    attempt_id: str
    attempt_type: str
    lease_id: str
    lease_epoch: int
    lease_ttl_ms: int
    lease_expires_at: int
    task_token: str


class ReportUsageResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/usage`."""

    results: Sequence[Mapping[str, Any]]


class WaitForEndResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/wait`."""

    execution_id: str
    public_state: str
    terminal_outcome: str
    completed_at: int | None
    timed_out: bool


class WaitChildrenResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/wait-children`."""

    status: str
    public_state: str
    replayed: bool


class _CreateWaitpointResult(TypedDict):
    status: str
    waitpoint_id: str
    waitpoint_token: str


class CreateWaitpointResult(_CreateWaitpointResult, total=False):
    """Answer of `POST /v1/executions/{id}/waitpoints`."""

    waitpoint_key: str
    waitpoint_key_base64: str
    expires_at: int


class CloseWaitpointResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/waitpoints/{wp}/close`."""

    status: str


class RevokeWaitpointLinkResult(TypedDict):
    """Answer of `DELETE /v1/executions/{id}/waitpoints/{wp}/link`."""

    status: str
    revoked: int


class CreateWaitpointLinkResult(TypedDict):
    """Answer of `POST /v1/executions/{id}/waitpoints/{wp}/link`."""

    status: str
    link_id: str
    url: str
    expires_at: int


class ListWaitpointSignalsResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/waitpoints/{wp}/signals`."""

    signals: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class GetWaitpointTokenResult(TypedDict):
    """Answer of `GET /v1/executions/{id}/waitpoints/{wp}/token`."""

    token: str


class CreateFlowResult(TypedDict):
    """Answer of `POST /v1/flows`."""

    status: str
    flow_id: str


class ListFlowsResult(TypedDict):
    """Answer of `GET /v1/flows`."""

    flows: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class SubmitFlowResult(TypedDict):
    """Answer of `POST /v1/flows/submit`."""

    status: str
    flow_id: str
    graph_revision: int
    node_count: int
    edge_count: int
    eligible_now_count: int
    nodes: Mapping[str, str]


class _GetFlowResult(TypedDict):
    flow_id: str
    flow_kind: str
    namespace: str
    public_flow_state: str
    graph_revision: int
    node_count: int
    edge_count: int
    sealed: bool
    failure_policy: str
    outcome_policy: str
    reopen_count: int
    ended: Mapping[str, int]
    tags: Mapping[str, str]


class GetFlowResult(_GetFlowResult, total=False):
    """Answer of `GET /v1/flows/{id}`."""

    created_by: str
    created_at: int
    last_mutation_at: int
    finished_at: int
    cancelled_at: int
    cancel_reason: str
    cancellation_policy: str
    cancel_completed_at: int


class _CancelFlowResult(TypedDict):
    status: str
    cancellation_policy: str
    public_flow_state: str
    member_count: int
    member_execution_ids: Sequence[str]


class CancelFlowResult(_CancelFlowResult, total=False):
    """Answer of `POST /v1/flows/{id}/cancel`."""

    truncated: bool
    failed_member_execution_ids: Sequence[str]
    draining_count: int


class SetEdgeGroupPolicyResult(TypedDict):
    """Answer of `PUT /v1/flows/{id}/edge-groups/{eid}`."""

    status: str


class StageEdgeResult(TypedDict):
    """Answer of `POST /v1/flows/{id}/edges`."""

    status: str
    edge_id: str
    new_graph_revision: int


class ListEdgesResult(TypedDict):
    """Answer of `GET /v1/flows/{id}/edges`."""

    edges: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class _ApplyEdgeResult(TypedDict):
    status: str
    unsatisfied_count: int


class ApplyEdgeResult(_ApplyEdgeResult, total=False):
    """Answer of `POST /v1/flows/{id}/edges/apply`."""

    gated: bool


class ExpandFlowResult(TypedDict):
    """Answer of `POST /v1/flows/{id}/expand`."""

    status: str
    flow_id: str
    graph_revision: int
    node_count: int
    edge_count: int
    eligible_now_count: int
    nodes: Mapping[str, str]


class _GetGraphResult(TypedDict):
    flow_id: str
    flow_kind: str
    namespace: str
    public_flow_state: str
    graph_revision: int
    node_count: int
    edge_count: int
    sealed: bool
    failure_policy: str
    outcome_policy: str
    reopen_count: int
    ended: Mapping[str, int]
    nodes: Sequence[Mapping[str, Any]]
    edges: Sequence[Mapping[str, Any]]
    groups: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class GetGraphResult(_GetGraphResult, total=False):
    """Answer of `GET /v1/flows/{id}/graph`."""

    created_by: str
    created_at: int
    last_mutation_at: int
    finished_at: int
    cancelled_at: int
    cancel_reason: str
    cancellation_policy: str
    cancel_completed_at: int


class AddMemberResult(TypedDict):
    """Answer of `POST /v1/flows/{id}/members`."""

    status: str
    execution_id: str
    node_count: int


class ListMembersResult(TypedDict):
    """Answer of `GET /v1/flows/{id}/members`."""

    members: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class SealFlowResult(TypedDict):
    """Answer of `POST /v1/flows/{id}/seal`."""

    status: str
    flow_id: str
    public_flow_state: str


class _GetFlowSummaryResult(TypedDict):
    flow_id: str
    public_flow_state: str
    exact: bool
    total_members: int


class GetFlowSummaryResult(_GetFlowSummaryResult, total=False):
    """Answer of `GET /v1/flows/{id}/summary`."""

    last_summary_update_at: int
    members_waiting: int
    members_delayed: int
    members_rate_limited: int
    members_waiting_children: int
    members_active: int
    members_suspended: int
    members_completed: int
    members_failed: int
    members_cancelled: int
    members_expired: int
    members_skipped: int
    members_cancelled_benign: int
    members_unknown: int


class SetFlowTagsResult(TypedDict):
    """Answer of `PUT /v1/flows/{id}/tags`."""

    count: int


class ListLanesResult(TypedDict):
    """Answer of `GET /v1/lanes`."""

    lanes: Sequence[Mapping[str, Any]]


class SetLaneResult(TypedDict):
    """Answer of `PUT /v1/lanes/{lane}`."""

    status: str


class DeleteLaneResult(TypedDict):
    """Answer of `DELETE /v1/lanes/{lane}`."""

    status: str


class GetOverviewResult(TypedDict):
    """Answer of `GET /v1/overview`."""

    at: int
    points_from: int
    point_ms: int
    lanes: Sequence[Mapping[str, Any]]
    workers_alive: int
    approvals_waiting: int
    budgets_near_limit: Sequence[Mapping[str, Any]]


class CreateQuotaResult(TypedDict):
    """Answer of `POST /v1/quotas`."""

    status: str
    quota_policy_id: str


class ListQuotasResult(TypedDict):
    """Answer of `GET /v1/quotas`."""

    quotas: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class _GetQuotaResult(TypedDict):
    quota_policy_id: str
    scope_type: str
    scope_id: str
    window_seconds: int
    max_requests_per_window: int
    max_concurrent: int
    jitter_ms: int
    window_entries: int
    held_slots: int
    next_slot_in_ms: int


class GetQuotaResult(_GetQuotaResult, total=False):
    """Answer of `GET /v1/quotas/{id}`."""

    name: str
    created_at: int


class UpdateQuotaResult(TypedDict):
    """Answer of `PUT /v1/quotas/{id}`."""

    revision: int


class AttachQuotaResult(TypedDict):
    """Answer of `POST /v1/quotas/{id}/attach`."""

    status: str


class DetachQuotaResult(TypedDict):
    """Answer of `POST /v1/quotas/{id}/detach`."""

    status: str


class ReadFeedResult(TypedDict):
    """Answer of `GET /v1/streams/{families}`."""

    events: Sequence[Mapping[str, Any]]
    gaps: Sequence[Mapping[str, Any]]
    cursor: str


class ListWorkersResult(TypedDict):
    """Answer of `GET /v1/workers`."""

    workers: Sequence[Mapping[str, Any]]
    next_cursor: str | None


class ClaimGrantResult(TypedDict):
    """Answer of `POST /v1/workers/{worker_id}/claim`."""

    execution_id: str
    partition_key: str
    grant_key: str
    expires_at_ms: int
    kind: str
    lane_id: str


class RegisterWorkerResult(TypedDict):
    """Answer of `PUT /v1/workers/{worker_id}/instances/{instance_id}`."""

    status: str
    expires_at: int


class _HeartbeatResult(TypedDict):
    status: str


class HeartbeatResult(_HeartbeatResult, total=False):
    """Answer of `POST /v1/workers/{worker_id}/instances/{instance_id}/heartbeat`."""

    next_expiry_ms: int


class ListLeasesResult(TypedDict):
    """Answer of `GET /v1/workers/{worker_id}/instances/{instance_id}/leases`."""

    leases: Sequence[Mapping[str, Any]]


class RenewLeasesResult(TypedDict):
    """Answer of `POST /v1/workers/{worker_id}/leases/renew`."""

    results: Sequence[Mapping[str, Any]]


class _ClaimTasksResult(TypedDict):
    tasks: Sequence[Mapping[str, Any]]


class ClaimTasksResult(_ClaimTasksResult, total=False):
    """Answer of `POST /v1/workers/{worker_id}/tasks/claim`."""

    results: Sequence[Mapping[str, Any]]


class Api:
    """Every operation of the server, typed."""

    transport: Transport

    async def health(
        self,
    ) -> HealthResult:
        """Whether the server reaches its store. `GET /healthz`"""
        answer = await self.transport.call("GET", "/healthz")
        return cast("HealthResult", answer)

    async def metrics(
        self,
    ) -> bytes:
        """Figures for Prometheus, as text. `GET /metrics`"""
        answer = await self.transport.call("GET", "/metrics", raw=True)
        return cast("bytes", answer)

    async def ready(
        self,
    ) -> ReadyResult:
        """Whether the server takes requests. `GET /readyz`"""
        answer = await self.transport.call("GET", "/readyz")
        return cast("ReadyResult", answer)

    async def read_audit(
        self,
        *,
        after: str | None = None,
        limit: int | None = None,
        block_ms: int | None = None,
    ) -> ReadAuditResult:
        """What operators did, as JSON or server-sent events. `GET /v1/admin/audit`"""
        answer = await self.transport.call(
            "GET", "/v1/admin/audit", query={"after": after, "limit": limit, "block_ms": block_ms}, wait_ms=block_ms or 0
        )
        return cast("ReadAuditResult", answer)

    async def backup(
        self,
        *,
        folder: str,
    ) -> BackupResult:
        """Copy the embedded store's data while it serves. `POST /v1/admin/backup`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "folder": folder,
            },
        )
        answer = await self.transport.call("POST", "/v1/admin/backup", body=sent)
        return cast("BackupResult", answer)

    async def annotate(
        self,
        execution_id: str,
        attempt_index: int,
        *,
        frame_type: str,
        payload: bytes | str | None = None,
        encoding: str | None = None,
        correlation_id: str | None = None,
        ts: int | None = None,
        source: str | None = None,
    ) -> AnnotateResult:
        """Annotate a stream without a lease. `POST /v1/admin/executions/{id}/attempts/{idx}/annotations`"""
        sent: dict[str, Any] = {}
        sent.update(bytes_fields("payload", payload))
        put(
            sent,
            {
                "frame_type": frame_type,
                "encoding": encoding,
                "correlation_id": correlation_id,
                "ts": ts,
                "source": source,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/admin/executions/{escape(execution_id)}/attempts/{escape(attempt_index)}/annotations", body=sent
        )
        return cast("AnnotateResult", answer)

    async def rotate_waitpoint_secret(
        self,
        *,
        new_kid: str,
        new_secret_hex: str,
    ) -> RotateWaitpointSecretResult:
        """Sign new tokens with another secret, on all partitions. `POST /v1/admin/rotate-waitpoint-secret`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "new_kid": new_kid,
                "new_secret_hex": new_secret_hex,
            },
        )
        answer = await self.transport.call("POST", "/v1/admin/rotate-waitpoint-secret", body=sent, safe=True, timeout_s=130.0)
        return cast("RotateWaitpointSecretResult", answer)

    async def list_waitpoint_kids(
        self,
    ) -> ListWaitpointKidsResult:
        """The kids that sign and those that are still accepted. `GET /v1/admin/waitpoint-kids`"""
        answer = await self.transport.call("GET", "/v1/admin/waitpoint-kids")
        return cast("ListWaitpointKidsResult", answer)

    async def list_approvals(
        self,
        *,
        namespace: str | None = None,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListApprovalsResult:
        """What people are asked and have not answered, soonest due first. `GET /v1/approvals`"""
        answer = await self.transport.call(
            "GET", "/v1/approvals", query={"namespace": namespace, "limit": limit, "cursor": cursor}
        )
        return cast("ListApprovalsResult", answer)

    async def create_budget(
        self,
        *,
        scope_type: str,
        scope_id: str | None = None,
        budget_id: str | None = None,
        enforcement_mode: str | None = None,
        on_hard_limit: str | None = None,
        on_soft_limit: str | None = None,
        dimensions: Sequence[str] | None = None,
        hard_limits: Sequence[int | None] | None = None,
        soft_limits: Sequence[int | None] | None = None,
        reset_interval_ms: int | None = None,
        attach: bool | None = None,
        name: str | None = None,
        created_by: str | None = None,
        currency: str | None = None,
        cost_unit: str | None = None,
        escalation_target: str | None = None,
    ) -> CreateBudgetResult:
        """Create a budget. `POST /v1/budgets`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "scope_type": scope_type,
                "scope_id": scope_id,
                "budget_id": budget_id,
                "enforcement_mode": enforcement_mode,
                "on_hard_limit": on_hard_limit,
                "on_soft_limit": on_soft_limit,
                "dimensions": dimensions,
                "hard_limits": hard_limits,
                "soft_limits": soft_limits,
                "reset_interval_ms": reset_interval_ms,
                "attach": attach,
                "name": name,
                "created_by": created_by,
                "currency": currency,
                "cost_unit": cost_unit,
                "escalation_target": escalation_target,
            },
        )
        answer = await self.transport.call("POST", "/v1/budgets", body=sent, safe=budget_id is not None)
        return cast("CreateBudgetResult", answer)

    async def list_budgets(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ListBudgetsResult:
        """Budgets in the order of their ids. `GET /v1/budgets`"""
        answer = await self.transport.call("GET", "/v1/budgets", query={"cursor": cursor, "limit": limit})
        return cast("ListBudgetsResult", answer)

    async def get_budget(
        self,
        budget_id: str,
    ) -> GetBudgetResult:
        """What a budget allows and what is used of it. `GET /v1/budgets/{id}`"""
        answer = await self.transport.call("GET", f"/v1/budgets/{escape(budget_id)}")
        return cast("GetBudgetResult", answer)

    async def update_budget(
        self,
        budget_id: str,
        *,
        enforcement_mode: str | None = None,
        on_hard_limit: str | None = None,
        on_soft_limit: str | None = None,
        dimensions: Sequence[str] | None = None,
        hard_limits: Sequence[int | None] | None = None,
        soft_limits: Sequence[int | None] | None = None,
        actor: str | None = None,
        reason: str | None = None,
    ) -> UpdateBudgetResult:
        """Change limits and modes; what is absent or null stays. `PUT /v1/budgets/{id}`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "enforcement_mode": enforcement_mode,
                "on_hard_limit": on_hard_limit,
                "on_soft_limit": on_soft_limit,
                "dimensions": dimensions,
                "hard_limits": hard_limits,
                "soft_limits": soft_limits,
                "actor": actor,
                "reason": reason,
            },
        )
        answer = await self.transport.call("PUT", f"/v1/budgets/{escape(budget_id)}", body=sent)
        return cast("UpdateBudgetResult", answer)

    async def attach_budget(
        self,
        budget_id: str,
        *,
        scope_type: str,
        scope_id: str | None = None,
    ) -> AttachBudgetResult:
        """Let a budget govern its scope. `POST /v1/budgets/{id}/attach`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "scope_type": scope_type,
                "scope_id": scope_id,
            },
        )
        answer = await self.transport.call("POST", f"/v1/budgets/{escape(budget_id)}/attach", body=sent, safe=True)
        return cast("AttachBudgetResult", answer)

    async def detach_budget(
        self,
        budget_id: str,
        *,
        scope_type: str,
        scope_id: str | None = None,
    ) -> DetachBudgetResult:
        """Let a budget govern only those that name it. `POST /v1/budgets/{id}/detach`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "scope_type": scope_type,
                "scope_id": scope_id,
            },
        )
        answer = await self.transport.call("POST", f"/v1/budgets/{escape(budget_id)}/detach", body=sent, safe=True)
        return cast("DetachBudgetResult", answer)

    async def release_budget(
        self,
        budget_id: str,
        *,
        execution_id: str,
    ) -> ReleaseBudgetResult:
        """Give back what an execution spent. `POST /v1/budgets/{id}/release`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "execution_id": execution_id,
            },
        )
        answer = await self.transport.call("POST", f"/v1/budgets/{escape(budget_id)}/release", body=sent, safe=True)
        return cast("ReleaseBudgetResult", answer)

    async def reset_budget(
        self,
        budget_id: str,
        body: Mapping[str, Any] | None = None,
    ) -> ResetBudgetResult:
        """Begin the next period now. `POST /v1/budgets/{id}/reset`"""
        answer = await self.transport.call("POST", f"/v1/budgets/{escape(budget_id)}/reset", body=dict(body or {}))
        return cast("ResetBudgetResult", answer)

    async def spend_budget(
        self,
        budget_id: str,
        *,
        dimensions: Mapping[str, int],
        execution_id: str,
        dedup_key: str | None = None,
        mode: str | None = None,
    ) -> SpendBudgetResult:
        """Tell what an execution has used. `POST /v1/budgets/{id}/spend`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "dimensions": dimensions,
                "dedup_key": dedup_key,
                "execution_id": execution_id,
                "mode": mode,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/budgets/{escape(budget_id)}/spend", body=sent, safe=dedup_key is not None
        )
        return cast("SpendBudgetResult", answer)

    async def check_budget(
        self,
        budget_id: str,
        *,
        dimensions: Mapping[str, int],
        dedup_key: str | None = None,
    ) -> CheckBudgetResult:
        """Ask for an amount: counted if it fits under every hard limit. `POST /v1/budgets/{id}/usage`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "dimensions": dimensions,
                "dedup_key": dedup_key,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/budgets/{escape(budget_id)}/usage", body=sent, safe=dedup_key is not None
        )
        return cast("CheckBudgetResult", answer)

    async def capabilities(
        self,
    ) -> CapabilitiesResult:
        """What this server is and can do. `GET /v1/capabilities`"""
        answer = await self.transport.call("GET", "/v1/capabilities")
        return cast("CapabilitiesResult", answer)

    async def create_execution(
        self,
        *,
        execution_kind: str,
        namespace: str | None = None,
        lane_id: str | None = None,
        execution_id: str | None = None,
        colocate_with_flow: str | None = None,
        payload: bytes | str | None = None,
        payload_encoding: str | None = None,
        priority: int | None = None,
        creator_identity: str | None = None,
        idempotency_key: str | None = None,
        tags: Mapping[str, str] | None = None,
        policy: Mapping[str, Any] | None = None,
        delay_until: int | str | None = None,
        execution_deadline_at: int | str | None = None,
        initial_hold: str | None = None,
        partition_id: int | None = None,
        input_payload: str | Sequence[int] | None = None,
        allow_missing_budget: bool | None = None,
    ) -> CreateExecutionResult:
        """Create an execution. `POST /v1/executions`"""
        sent: dict[str, Any] = {}
        sent.update(bytes_fields("payload", payload))
        put(
            sent,
            {
                "namespace": namespace,
                "lane_id": lane_id,
                "execution_kind": execution_kind,
                "execution_id": execution_id,
                "colocate_with_flow": colocate_with_flow,
                "payload_encoding": payload_encoding,
                "priority": priority,
                "creator_identity": creator_identity,
                "idempotency_key": idempotency_key,
                "tags": tags,
                "policy": policy,
                "delay_until": delay_until,
                "execution_deadline_at": execution_deadline_at,
                "initial_hold": initial_hold,
                "partition_id": partition_id,
                "input_payload": input_payload,
                "allow_missing_budget": allow_missing_budget,
            },
        )
        answer = await self.transport.call(
            "POST", "/v1/executions", body=sent, safe=execution_id is not None or idempotency_key is not None
        )
        return cast("CreateExecutionResult", answer)

    async def list_executions(
        self,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        partition: int | None = None,
        lane: str | None = None,
        state: str | None = None,
        offset: int | None = None,
        namespace: str | None = None,
        order: str | None = None,
        tag: Any = None,
        view: str | None = None,
    ) -> ListExecutionsResult:
        """List executions. `GET /v1/executions`"""
        answer = await self.transport.call(
            "GET",
            "/v1/executions",
            query={
                "limit": limit,
                "cursor": cursor,
                "partition": partition,
                "lane": lane,
                "state": state,
                "offset": offset,
                "namespace": namespace,
                "order": order,
                "tag": tag,
                "view": view,
            },
        )
        return cast("ListExecutionsResult", answer)

    async def create_executions(
        self,
        *,
        executions: Sequence[Mapping[str, Any]],
    ) -> CreateExecutionsResult:
        """Create up to 1000 executions, independent of each other. `POST /v1/executions/batch`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "executions": executions,
            },
        )
        answer = await self.transport.call("POST", "/v1/executions/batch", body=sent)
        return cast("CreateExecutionsResult", answer)

    async def get_execution(
        self,
        execution_id: str,
    ) -> GetExecutionResult:
        """Get an execution. `GET /v1/executions/{id}`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}")
        return cast("GetExecutionResult", answer)

    async def approve(
        self,
        execution_id: str,
        *,
        waitpoint_id: str,
        signal_name: str,
        idempotency_suffix: str | None = None,
        dedup_ttl_ms: int | None = None,
        actor: str | None = None,
    ) -> ApproveResult:
        """Signal a waitpoint as an operator, without its token. `POST /v1/executions/{id}/approve`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "waitpoint_id": waitpoint_id,
                "signal_name": signal_name,
                "idempotency_suffix": idempotency_suffix,
                "dedup_ttl_ms": dedup_ttl_ms,
                "actor": actor,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/approve", body=sent, safe=idempotency_suffix is not None
        )
        return cast("ApproveResult", answer)

    async def list_attempts(
        self,
        execution_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListAttemptsResult:
        """The attempts of an execution, first to last. `GET /v1/executions/{id}/attempts`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/attempts", query={"limit": limit, "cursor": cursor}
        )
        return cast("ListAttemptsResult", answer)

    async def read_stream(
        self,
        execution_id: str,
        attempt_index: int,
        *,
        from_: str | None = None,
        to: str | None = None,
        limit: int | None = None,
        visibility: str | None = None,
        types: str | None = None,
        payload: str | None = None,
    ) -> ReadStreamResult:
        """A range of frames of an attempt. `GET /v1/executions/{id}/attempts/{idx}/stream`"""
        answer = await self.transport.call(
            "GET",
            f"/v1/executions/{escape(execution_id)}/attempts/{escape(attempt_index)}/stream",
            query={"from": from_, "to": to, "limit": limit, "visibility": visibility, "types": types, "payload": payload},
        )
        return cast("ReadStreamResult", answer)

    async def append_frames(
        self,
        execution_id: str,
        attempt_index: int,
        *,
        frames: Sequence[Mapping[str, Any]],
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
        mode: str | None = None,
        ttl_ms: int | None = None,
    ) -> AppendFramesResult:
        """Append frames to the stream of a held attempt, all or none. `POST /v1/executions/{id}/attempts/{idx}/stream`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "task_token": task_token,
                "lease": lease,
                "mode": mode,
                "ttl_ms": ttl_ms,
                "frames": frames,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/attempts/{escape(attempt_index)}/stream", body=sent
        )
        return cast("AppendFramesResult", answer)

    async def get_stream_info(
        self,
        execution_id: str,
        attempt_index: int,
    ) -> GetStreamInfoResult:
        """What is known of a stream. `GET /v1/executions/{id}/attempts/{idx}/stream/info`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/attempts/{escape(attempt_index)}/stream/info"
        )
        return cast("GetStreamInfoResult", answer)

    async def tail_stream(
        self,
        execution_id: str,
        attempt_index: int,
        *,
        after: str | None = None,
        block_ms: int | None = None,
        limit: int | None = None,
        visibility: str | None = None,
        types: str | None = None,
        payload: str | None = None,
    ) -> TailStreamResult:
        """Frames after a cursor, waiting for them; events with Accept: text/event-stream. `GET /v1/executions/{id}/attempts/{idx}/stream/tail`"""
        answer = await self.transport.call(
            "GET",
            f"/v1/executions/{escape(execution_id)}/attempts/{escape(attempt_index)}/stream/tail",
            query={
                "after": after,
                "block_ms": block_ms,
                "limit": limit,
                "visibility": visibility,
                "types": types,
                "payload": payload,
            },
            wait_ms=block_ms or 0,
        )
        return cast("TailStreamResult", answer)

    async def read_summary(
        self,
        execution_id: str,
        attempt_index: int,
        *,
        after_version: int | None = None,
        block_ms: int | None = None,
    ) -> ReadSummaryResult:
        """The rolling summary of an attempt. `GET /v1/executions/{id}/attempts/{idx}/summary`"""
        answer = await self.transport.call(
            "GET",
            f"/v1/executions/{escape(execution_id)}/attempts/{escape(attempt_index)}/summary",
            query={"after_version": after_version, "block_ms": block_ms},
            wait_ms=block_ms or 0,
        )
        return cast("ReadSummaryResult", answer)

    async def call_children(
        self,
        execution_id: str,
        *,
        children: Sequence[Mapping[str, Any]],
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
        on_child_failure: str | None = None,
        steps: Sequence[Mapping[str, Any]] | None = None,
    ) -> CallChildrenResult:
        """Create children and give the task back until all of them have ended. `POST /v1/executions/{id}/call-children`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "task_token": task_token,
                "lease": lease,
                "children": children,
                "on_child_failure": on_child_failure,
                "steps": steps,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/call-children", body=sent, safe=True)
        return cast("CallChildrenResult", answer)

    async def cancel_execution(
        self,
        execution_id: str,
        *,
        reason: str | None = None,
        source: str | None = None,
        task_token: str | None = None,
    ) -> CancelExecutionResult:
        """Cancel an execution, as an operator or with its lease. `POST /v1/executions/{id}/cancel`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "reason": reason,
                "source": source,
                "task_token": task_token,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/cancel", body=sent, safe=True)
        return cast("CancelExecutionResult", answer)

    async def list_children(
        self,
        execution_id: str,
        *,
        after: str | None = None,
        limit: int | None = None,
    ) -> ListChildrenResult:
        """The children that an execution called, in the order of the calls. `GET /v1/executions/{id}/children`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/children", query={"after": after, "limit": limit}
        )
        return cast("ListChildrenResult", answer)

    async def complete(
        self,
        execution_id: str,
        *,
        result: bytes | str | None = None,
        result_encoding: str | None = None,
        steps: Sequence[Mapping[str, Any]] | None = None,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
    ) -> CompleteResult:
        """Complete a task; a body of octets is the result itself. `POST /v1/executions/{id}/complete`"""
        sent: dict[str, Any] = {}
        sent.update(bytes_fields("result", result))
        put(
            sent,
            {
                "result_encoding": result_encoding,
                "steps": steps,
                "task_token": task_token,
                "lease": lease,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/complete", body=sent, safe=True)
        return cast("CompleteResult", answer)

    async def delay(
        self,
        execution_id: str,
        *,
        delay_until: int | str | None = None,
        delay_ms: int | None = None,
        steps: Sequence[Mapping[str, Any]] | None = None,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
    ) -> DelayResult:
        """Give a task back until a time. `POST /v1/executions/{id}/delay`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "delay_until": delay_until,
                "delay_ms": delay_ms,
                "steps": steps,
                "task_token": task_token,
                "lease": lease,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/delay", body=sent, safe=True)
        return cast("DelayResult", answer)

    async def explain(
        self,
        execution_id: str,
    ) -> ExplainResult:
        """Why an execution is not running. `GET /v1/executions/{id}/explain`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}/explain")
        return cast("ExplainResult", answer)

    async def fail(
        self,
        execution_id: str,
        *,
        reason: str | None = None,
        category: str | None = None,
        no_retry: bool | None = None,
        fallback_to: str | int | None = None,
        steps: Sequence[Mapping[str, Any]] | None = None,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
    ) -> FailResult:
        """Fail a task; its retry policy decides what follows. `POST /v1/executions/{id}/fail`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "reason": reason,
                "category": category,
                "no_retry": no_retry,
                "fallback_to": fallback_to,
                "steps": steps,
                "task_token": task_token,
                "lease": lease,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/fail", body=sent, safe=True)
        return cast("FailResult", answer)

    async def get_input(
        self,
        execution_id: str,
        name: str,
    ) -> bytes:
        """Get an input that came from another node of the flow, byte for byte. `GET /v1/executions/{id}/inputs/{name}`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}/inputs/{escape(name)}", raw=True)
        return cast("bytes", answer)

    async def list_lease_history(
        self,
        execution_id: str,
        *,
        limit: int | None = None,
        cursor: str | None = None,
    ) -> ListLeaseHistoryResult:
        """Lease history of an execution, oldest first. `GET /v1/executions/{id}/lease-history`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/lease-history", query={"limit": limit, "cursor": cursor}
        )
        return cast("ListLeaseHistoryResult", answer)

    async def get_payload(
        self,
        execution_id: str,
    ) -> bytes:
        """Get the payload of an execution, byte for byte. `GET /v1/executions/{id}/payload`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}/payload", raw=True)
        return cast("bytes", answer)

    async def list_pending_waitpoints(
        self,
        execution_id: str,
        *,
        tokens: str | None = None,
        limit: int | None = None,
        after: str | None = None,
    ) -> ListPendingWaitpointsResult:
        """The waitpoints of an execution that take signals. `GET /v1/executions/{id}/pending-waitpoints`"""
        answer = await self.transport.call(
            "GET",
            f"/v1/executions/{escape(execution_id)}/pending-waitpoints",
            query={"tokens": tokens, "limit": limit, "after": after},
        )
        return cast("ListPendingWaitpointsResult", answer)

    async def change_priority(
        self,
        execution_id: str,
        *,
        new_priority: int,
    ) -> ChangePriorityResult:
        """Change the priority of an execution that waits for a worker. `PUT /v1/executions/{id}/priority`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "new_priority": new_priority,
            },
        )
        answer = await self.transport.call("PUT", f"/v1/executions/{escape(execution_id)}/priority", body=sent)
        return cast("ChangePriorityResult", answer)

    async def progress(
        self,
        execution_id: str,
        *,
        pct: int | None = None,
        message: str | None = None,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
    ) -> ProgressResult:
        """Report the progress of a task. `POST /v1/executions/{id}/progress`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "pct": pct,
                "message": message,
                "task_token": task_token,
                "lease": lease,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/progress", body=sent, safe=True)
        return cast("ProgressResult", answer)

    async def reclaim(
        self,
        execution_id: str,
        *,
        worker_id: str,
        worker_instance_id: str,
        lane_id: str,
        grant_ttl_ms: int | None = None,
        worker_capabilities: Sequence[str] | None = None,
        capability_hash: str | None = None,
        route_snapshot_json: str | None = None,
        admission_summary: str | None = None,
    ) -> ReclaimResult:
        """Get a grant for an execution whose lease was lost. `POST /v1/executions/{id}/reclaim`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "worker_id": worker_id,
                "worker_instance_id": worker_instance_id,
                "lane_id": lane_id,
                "grant_ttl_ms": grant_ttl_ms,
                "worker_capabilities": worker_capabilities,
                "capability_hash": capability_hash,
                "route_snapshot_json": route_snapshot_json,
                "admission_summary": admission_summary,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/reclaim", body=sent)
        return cast("ReclaimResult", answer)

    async def release(
        self,
        execution_id: str,
        *,
        unbegun: bool | None = None,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
    ) -> ReleaseResult:
        """Give a task back to its queue. `POST /v1/executions/{id}/release`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "unbegun": unbegun,
                "task_token": task_token,
                "lease": lease,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/release", body=sent, safe=True)
        return cast("ReleaseResult", answer)

    async def release_hold(
        self,
        execution_id: str,
        body: Mapping[str, Any] | None = None,
    ) -> ReleaseHoldResult:
        """End the initial_hold of an execution whose dependencies are met. `POST /v1/executions/{id}/release-hold`"""
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/release-hold", body=dict(body or {}), safe=True
        )
        return cast("ReleaseHoldResult", answer)

    async def renew_lease(
        self,
        execution_id: str,
        *,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
        lease_ttl_ms: int | None = None,
    ) -> RenewLeaseResult:
        """Extend a lease from now. `POST /v1/executions/{id}/renew`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "task_token": task_token,
                "lease": lease,
                "lease_ttl_ms": lease_ttl_ms,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/renew", body=sent, safe=True)
        return cast("RenewLeaseResult", answer)

    async def replay_execution(
        self,
        execution_id: str,
        *,
        reason: str | None = None,
        requested_by: str | None = None,
        keep_steps: bool | None = None,
        subgraph: bool | None = None,
    ) -> ReplayExecutionResult:
        """Run a finished execution again. `POST /v1/executions/{id}/replay`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "reason": reason,
                "requested_by": requested_by,
                "keep_steps": keep_steps,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/replay", query={"subgraph": subgraph}, body=sent
        )
        return cast("ReplayExecutionResult", answer)

    async def get_result(
        self,
        execution_id: str,
    ) -> bytes:
        """Get the result of a successful execution, byte for byte. `GET /v1/executions/{id}/result`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}/result", raw=True)
        return cast("bytes", answer)

    async def resume_execution(
        self,
        execution_id: str,
        *,
        resume_delay_ms: int | None = None,
        expected_suspension_id: str | None = None,
        actor: str | None = None,
    ) -> ResumeExecutionResult:
        """End a suspension as an operator. `POST /v1/executions/{id}/resume`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "resume_delay_ms": resume_delay_ms,
                "expected_suspension_id": expected_suspension_id,
                "actor": actor,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/resume", body=sent)
        return cast("ResumeExecutionResult", answer)

    async def resume_signals(
        self,
        execution_id: str,
        *,
        attempt_index: int | None = None,
    ) -> ResumeSignalsResult:
        """The signals that resumed an attempt. `GET /v1/executions/{id}/resume-signals`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/resume-signals", query={"attempt_index": attempt_index}
        )
        return cast("ResumeSignalsResult", answer)

    async def revoke_lease(
        self,
        execution_id: str,
        *,
        expected_lease_id: str | None = None,
        reason: str | None = None,
    ) -> RevokeLeaseResult:
        """Revoke the lease of an execution; the next claim reclaims it. `POST /v1/executions/{id}/revoke-lease`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "expected_lease_id": expected_lease_id,
                "reason": reason,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/revoke-lease", body=sent, safe=True)
        return cast("RevokeLeaseResult", answer)

    async def deliver_signal(
        self,
        execution_id: str,
        *,
        signal_name: str,
        waitpoint_id: str | None = None,
        waitpoint_key: str | None = None,
        waitpoint_token: str | None = None,
        signal_id: str | None = None,
        signal_category: str | None = None,
        source_type: str | None = None,
        source_identity: str | None = None,
        payload: bytes | str | None = None,
        payload_encoding: str | None = None,
        correlation_id: str | None = None,
        idempotency_key: str | None = None,
        target_scope: str | None = None,
        created_at: int | None = None,
        dedup_ttl_ms: int | None = None,
        resume_delay_ms: int | None = None,
        signal_maxlen: int | None = None,
        max_signals_per_execution: int | None = None,
    ) -> DeliverSignalResult:
        """Send a signal to a waitpoint, with its token. `POST /v1/executions/{id}/signal`"""
        sent: dict[str, Any] = {}
        sent.update(bytes_fields("payload", payload))
        put(
            sent,
            {
                "signal_name": signal_name,
                "waitpoint_id": waitpoint_id,
                "waitpoint_key": waitpoint_key,
                "waitpoint_token": waitpoint_token,
                "signal_id": signal_id,
                "signal_category": signal_category,
                "source_type": source_type,
                "source_identity": source_identity,
                "payload_encoding": payload_encoding,
                "correlation_id": correlation_id,
                "idempotency_key": idempotency_key,
                "target_scope": target_scope,
                "created_at": created_at,
                "dedup_ttl_ms": dedup_ttl_ms,
                "resume_delay_ms": resume_delay_ms,
                "signal_maxlen": signal_maxlen,
                "max_signals_per_execution": max_signals_per_execution,
            },
        )
        answer = await self.transport.call(
            "POST",
            f"/v1/executions/{escape(execution_id)}/signal",
            body=sent,
            safe=signal_id is not None or idempotency_key is not None,
        )
        return cast("DeliverSignalResult", answer)

    async def list_signals(
        self,
        execution_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> ListSignalsResult:
        """The signals an execution got, in order. `GET /v1/executions/{id}/signals`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/signals", query={"limit": limit, "after": after}
        )
        return cast("ListSignalsResult", answer)

    async def get_state(
        self,
        execution_id: str,
    ) -> GetStateResult:
        """Get the public state of an execution. `GET /v1/executions/{id}/state`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}/state")
        return cast("GetStateResult", answer)

    async def record_steps(
        self,
        execution_id: str,
        *,
        steps: Sequence[Mapping[str, Any]],
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
    ) -> RecordStepsResult:
        """Record steps of a task; the first value of each name stays. `POST /v1/executions/{id}/steps`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "steps": steps,
                "task_token": task_token,
                "lease": lease,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/steps", body=sent, safe=True)
        return cast("RecordStepsResult", answer)

    async def read_steps(
        self,
        execution_id: str,
        *,
        after: str | None = None,
        limit: int | None = None,
    ) -> ReadStepsResult:
        """The recorded steps of an execution, in the order of writing. `GET /v1/executions/{id}/steps`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/steps", query={"after": after, "limit": limit}
        )
        return cast("ReadStepsResult", answer)

    async def read_merged_stream(
        self,
        execution_id: str,
        *,
        mode: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
        payload: str | None = None,
    ) -> ReadMergedStreamResult:
        """The frames of all attempts as one sequence, or as events. `GET /v1/executions/{id}/stream`"""
        answer = await self.transport.call(
            "GET",
            f"/v1/executions/{escape(execution_id)}/stream",
            query={"mode": mode, "cursor": cursor, "limit": limit, "payload": payload},
        )
        return cast("ReadMergedStreamResult", answer)

    async def suspend(
        self,
        execution_id: str,
        *,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
        reason_code: str | None = None,
        signals: Sequence[str] | None = None,
        match: str | None = None,
        resume_condition: Mapping[str, Any] | None = None,
        resume_policy: Mapping[str, Any] | None = None,
        timeout_at: int | str | None = None,
        timeout_ms: int | None = None,
        timeout_behavior: str | None = None,
        waitpoint: Mapping[str, Any] | None = None,
        additional_waitpoints: Sequence[Mapping[str, Any]] | None = None,
        continuation_metadata_pointer: bytes | str | None = None,
        suspension_id: str | None = None,
        idempotency_key: str | None = None,
        approval: Mapping[str, Any] | None = None,
        steps: Sequence[Mapping[str, Any]] | None = None,
    ) -> SuspendResult:
        """Pause until signals come, unless they are there already. `POST /v1/executions/{id}/suspend`"""
        sent: dict[str, Any] = {}
        sent.update(bytes_fields("continuation_metadata_pointer", continuation_metadata_pointer))
        put(
            sent,
            {
                "task_token": task_token,
                "lease": lease,
                "reason_code": reason_code,
                "signals": signals,
                "match": match,
                "resume_condition": resume_condition,
                "resume_policy": resume_policy,
                "timeout_at": timeout_at,
                "timeout_ms": timeout_ms,
                "timeout_behavior": timeout_behavior,
                "waitpoint": waitpoint,
                "additional_waitpoints": additional_waitpoints,
                "suspension_id": suspension_id,
                "idempotency_key": idempotency_key,
                "approval": approval,
                "steps": steps,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/suspend", body=sent, safe=True)
        return cast("SuspendResult", answer)

    async def get_suspension(
        self,
        execution_id: str,
    ) -> GetSuspensionResult:
        """The current or last suspension, without tokens. `GET /v1/executions/{id}/suspension`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}/suspension")
        return cast("GetSuspensionResult", answer)

    async def get_suspension_condition(
        self,
        execution_id: str,
    ) -> GetSuspensionConditionResult:
        """What an open suspension still waits for. `GET /v1/executions/{id}/suspension/condition`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}/suspension/condition")
        return cast("GetSuspensionConditionResult", answer)

    async def get_tags(
        self,
        execution_id: str,
    ) -> dict[str, Any]:
        """Get the tags of an execution. `GET /v1/executions/{id}/tags`"""
        answer = await self.transport.call("GET", f"/v1/executions/{escape(execution_id)}/tags")
        return as_object(answer)

    async def set_tags(
        self,
        execution_id: str,
        body: Mapping[str, Any] | None = None,
    ) -> SetTagsResult:
        """Set tags of an execution; names have the form word.rest. `PUT /v1/executions/{id}/tags`"""
        answer = await self.transport.call("PUT", f"/v1/executions/{escape(execution_id)}/tags", body=dict(body or {}))
        return cast("SetTagsResult", answer)

    async def take_over(
        self,
        execution_id: str,
        *,
        worker_id: str,
        worker_instance_id: str,
        lease_ttl_ms: int | None = None,
        lease_id: str | None = None,
    ) -> TakeOverResult:
        """Lease an execution to a worker of your choice, past capabilities and limits. `POST /v1/executions/{id}/take-over`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "worker_id": worker_id,
                "worker_instance_id": worker_instance_id,
                "lease_ttl_ms": lease_ttl_ms,
                "lease_id": lease_id,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/take-over", body=sent, safe=lease_id is not None
        )
        return cast("TakeOverResult", answer)

    async def report_usage(
        self,
        execution_id: str,
        *,
        dimensions: Mapping[str, int],
        budget_id: str | None = None,
        dedup_key: str | None = None,
        mode: str | None = None,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
    ) -> ReportUsageResult:
        """Report what a task has used to its budgets. `POST /v1/executions/{id}/usage`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "dimensions": dimensions,
                "budget_id": budget_id,
                "dedup_key": dedup_key,
                "mode": mode,
                "task_token": task_token,
                "lease": lease,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/usage", body=sent, safe=dedup_key is not None
        )
        return cast("ReportUsageResult", answer)

    async def wait_for_end(
        self,
        execution_id: str,
        *,
        block_ms: int | None = None,
    ) -> WaitForEndResult:
        """Wait until an execution has ended. `GET /v1/executions/{id}/wait`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/wait", query={"block_ms": block_ms}, wait_ms=block_ms or 0
        )
        return cast("WaitForEndResult", answer)

    async def wait_children(
        self,
        execution_id: str,
        *,
        steps: Sequence[Mapping[str, Any]] | None = None,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
    ) -> WaitChildrenResult:
        """Give a task back until its dependencies are met. `POST /v1/executions/{id}/wait-children`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "steps": steps,
                "task_token": task_token,
                "lease": lease,
            },
        )
        answer = await self.transport.call("POST", f"/v1/executions/{escape(execution_id)}/wait-children", body=sent, safe=True)
        return cast("WaitChildrenResult", answer)

    async def create_waitpoint(
        self,
        execution_id: str,
        *,
        expires_in_ms: int,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
        waitpoint_key: str | None = None,
        approval: Mapping[str, Any] | None = None,
    ) -> CreateWaitpointResult:
        """Create a waitpoint while the work goes on. `POST /v1/executions/{id}/waitpoints`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "task_token": task_token,
                "lease": lease,
                "waitpoint_key": waitpoint_key,
                "expires_in_ms": expires_in_ms,
                "approval": approval,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/waitpoints", body=sent, safe=waitpoint_key is not None
        )
        return cast("CreateWaitpointResult", answer)

    async def close_waitpoint(
        self,
        execution_id: str,
        waitpoint_id: str,
        *,
        task_token: str | None = None,
        lease: Mapping[str, Any] | None = None,
        reason: str | None = None,
    ) -> CloseWaitpointResult:
        """Close a waitpoint: it takes no more signals. `POST /v1/executions/{id}/waitpoints/{wp}/close`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "task_token": task_token,
                "lease": lease,
                "reason": reason,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/waitpoints/{escape(waitpoint_id)}/close", body=sent, safe=True
        )
        return cast("CloseWaitpointResult", answer)

    async def revoke_waitpoint_link(
        self,
        execution_id: str,
        waitpoint_id: str,
        *,
        link_id: str | None = None,
    ) -> RevokeWaitpointLinkResult:
        """End the approval links of a waitpoint, all or one. `DELETE /v1/executions/{id}/waitpoints/{wp}/link`"""
        answer = await self.transport.call(
            "DELETE", f"/v1/executions/{escape(execution_id)}/waitpoints/{escape(waitpoint_id)}/link", query={"link_id": link_id}
        )
        return cast("RevokeWaitpointLinkResult", answer)

    async def create_waitpoint_link(
        self,
        execution_id: str,
        waitpoint_id: str,
        *,
        expires_in_ms: int | None = None,
        label: str | None = None,
    ) -> CreateWaitpointLinkResult:
        """Make a link by which a person answers without an account. `POST /v1/executions/{id}/waitpoints/{wp}/link`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "expires_in_ms": expires_in_ms,
                "label": label,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/executions/{escape(execution_id)}/waitpoints/{escape(waitpoint_id)}/link", body=sent
        )
        return cast("CreateWaitpointLinkResult", answer)

    async def list_waitpoint_signals(
        self,
        execution_id: str,
        waitpoint_id: str,
        *,
        limit: int | None = None,
        after: str | None = None,
    ) -> ListWaitpointSignalsResult:
        """The signals a waitpoint got, in their order there. `GET /v1/executions/{id}/waitpoints/{wp}/signals`"""
        answer = await self.transport.call(
            "GET",
            f"/v1/executions/{escape(execution_id)}/waitpoints/{escape(waitpoint_id)}/signals",
            query={"limit": limit, "after": after},
        )
        return cast("ListWaitpointSignalsResult", answer)

    async def get_waitpoint_token(
        self,
        execution_id: str,
        waitpoint_id: str,
    ) -> GetWaitpointTokenResult:
        """The token of an open waitpoint. `GET /v1/executions/{id}/waitpoints/{wp}/token`"""
        answer = await self.transport.call(
            "GET", f"/v1/executions/{escape(execution_id)}/waitpoints/{escape(waitpoint_id)}/token"
        )
        return cast("GetWaitpointTokenResult", answer)

    async def create_flow(
        self,
        *,
        namespace: str,
        flow_id: str | None = None,
        flow_kind: str | None = None,
        failure_policy: str | None = None,
        outcome_policy: str | None = None,
        created_by: str | None = None,
    ) -> CreateFlowResult:
        """Create an empty flow. `POST /v1/flows`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "flow_id": flow_id,
                "flow_kind": flow_kind,
                "namespace": namespace,
                "failure_policy": failure_policy,
                "outcome_policy": outcome_policy,
                "created_by": created_by,
            },
        )
        answer = await self.transport.call("POST", "/v1/flows", body=sent, safe=flow_id is not None)
        return cast("CreateFlowResult", answer)

    async def list_flows(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
        partition: int | None = None,
        namespace: str | None = None,
        tag: Any = None,
        state: Mapping[str, Any] | None = None,
    ) -> ListFlowsResult:
        """Flows, newest first; a page may hold fewer than its limit. `GET /v1/flows`"""
        answer = await self.transport.call(
            "GET",
            "/v1/flows",
            query={"cursor": cursor, "limit": limit, "partition": partition, "namespace": namespace, "tag": tag, "state": state},
        )
        return cast("ListFlowsResult", answer)

    async def submit_flow(
        self,
        *,
        nodes: Sequence[Mapping[str, Any]],
        namespace: str,
        defaults: Mapping[str, Any] | None = None,
        seal: bool | None = None,
        allow_missing_budget: bool | None = None,
        flow_id: str | None = None,
        flow_kind: str | None = None,
        created_by: str | None = None,
        failure_policy: str | None = None,
        outcome_policy: str | None = None,
        tags: Mapping[str, str] | None = None,
    ) -> SubmitFlowResult:
        """Create a flow with all its nodes and edges at once. `POST /v1/flows/submit`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "nodes": nodes,
                "defaults": defaults,
                "seal": seal,
                "allow_missing_budget": allow_missing_budget,
                "flow_id": flow_id,
                "flow_kind": flow_kind,
                "namespace": namespace,
                "created_by": created_by,
                "failure_policy": failure_policy,
                "outcome_policy": outcome_policy,
                "tags": tags,
            },
        )
        answer = await self.transport.call("POST", "/v1/flows/submit", body=sent, safe=flow_id is not None)
        return cast("SubmitFlowResult", answer)

    async def get_flow(
        self,
        flow_id: str,
    ) -> GetFlowResult:
        """Get a flow. `GET /v1/flows/{id}`"""
        answer = await self.transport.call("GET", f"/v1/flows/{escape(flow_id)}")
        return cast("GetFlowResult", answer)

    async def cancel_flow(
        self,
        flow_id: str,
        *,
        reason: str | None = None,
        cancellation_policy: str | None = None,
        wait: bool | None = None,
        timeout_ms: int | None = None,
    ) -> CancelFlowResult:
        """Cancel a flow and its members. `POST /v1/flows/{id}/cancel`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "reason": reason,
                "cancellation_policy": cancellation_policy,
            },
        )
        answer = await self.transport.call(
            "POST",
            f"/v1/flows/{escape(flow_id)}/cancel",
            query={"wait": wait, "timeout_ms": timeout_ms},
            body=sent,
            safe=True,
            wait_ms=timeout_ms or 0,
        )
        return cast("CancelFlowResult", answer)

    async def set_edge_group_policy(
        self,
        flow_id: str,
        execution_id: str,
        *,
        policy: str,
        k: int | None = None,
        on_satisfied: str | None = None,
        expected_n: int | None = None,
    ) -> SetEdgeGroupPolicyResult:
        """Set how the inbound edges of a member join. `PUT /v1/flows/{id}/edge-groups/{eid}`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "policy": policy,
                "k": k,
                "on_satisfied": on_satisfied,
                "expected_n": expected_n,
            },
        )
        answer = await self.transport.call("PUT", f"/v1/flows/{escape(flow_id)}/edge-groups/{escape(execution_id)}", body=sent)
        return cast("SetEdgeGroupPolicyResult", answer)

    async def stage_edge(
        self,
        flow_id: str,
        *,
        upstream_execution_id: str,
        downstream_execution_id: str,
        edge_id: str | None = None,
        dependency_kind: str | None = None,
        data_passing_ref: str | None = None,
        expected_graph_revision: int | None = None,
        apply: bool | None = None,
    ) -> StageEdgeResult:
        """Add an edge between two members. `POST /v1/flows/{id}/edges`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "edge_id": edge_id,
                "upstream_execution_id": upstream_execution_id,
                "downstream_execution_id": downstream_execution_id,
                "dependency_kind": dependency_kind,
                "data_passing_ref": data_passing_ref,
                "expected_graph_revision": expected_graph_revision,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/flows/{escape(flow_id)}/edges", query={"apply": apply}, body=sent, safe=edge_id is not None
        )
        return cast("StageEdgeResult", answer)

    async def list_edges(
        self,
        flow_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ListEdgesResult:
        """The edges in the order of their downstream's id. `GET /v1/flows/{id}/edges`"""
        answer = await self.transport.call("GET", f"/v1/flows/{escape(flow_id)}/edges", query={"cursor": cursor, "limit": limit})
        return cast("ListEdgesResult", answer)

    async def apply_edge(
        self,
        flow_id: str,
        *,
        upstream_execution_id: str,
        downstream_execution_id: str,
        edge_id: str | None = None,
        dependency_kind: str | None = None,
        data_passing_ref: str | None = None,
        graph_revision: int | None = None,
    ) -> ApplyEdgeResult:
        """Gate the downstream of a staged edge. `POST /v1/flows/{id}/edges/apply`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "edge_id": edge_id,
                "upstream_execution_id": upstream_execution_id,
                "downstream_execution_id": downstream_execution_id,
                "dependency_kind": dependency_kind,
                "data_passing_ref": data_passing_ref,
                "graph_revision": graph_revision,
            },
        )
        answer = await self.transport.call("POST", f"/v1/flows/{escape(flow_id)}/edges/apply", body=sent, safe=True)
        return cast("ApplyEdgeResult", answer)

    async def expand_flow(
        self,
        flow_id: str,
        *,
        nodes: Sequence[Mapping[str, Any]],
        defaults: Mapping[str, Any] | None = None,
        seal: bool | None = None,
        allow_missing_budget: bool | None = None,
        mutation_id: str | None = None,
        expected_graph_revision: int | None = None,
    ) -> ExpandFlowResult:
        """Add nodes and edges to a flow that is not sealed. `POST /v1/flows/{id}/expand`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "nodes": nodes,
                "defaults": defaults,
                "seal": seal,
                "allow_missing_budget": allow_missing_budget,
                "mutation_id": mutation_id,
                "expected_graph_revision": expected_graph_revision,
            },
        )
        answer = await self.transport.call("POST", f"/v1/flows/{escape(flow_id)}/expand", body=sent, safe=mutation_id is not None)
        return cast("ExpandFlowResult", answer)

    async def get_graph(
        self,
        flow_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> GetGraphResult:
        """Nodes with their states, their inbound edges and joins. `GET /v1/flows/{id}/graph`"""
        answer = await self.transport.call("GET", f"/v1/flows/{escape(flow_id)}/graph", query={"cursor": cursor, "limit": limit})
        return cast("GetGraphResult", answer)

    async def add_member(
        self,
        flow_id: str,
        *,
        execution_id: str,
    ) -> AddMemberResult:
        """Add an execution to a flow. `POST /v1/flows/{id}/members`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "execution_id": execution_id,
            },
        )
        answer = await self.transport.call("POST", f"/v1/flows/{escape(flow_id)}/members", body=sent, safe=True)
        return cast("AddMemberResult", answer)

    async def list_members(
        self,
        flow_id: str,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ListMembersResult:
        """The members in the order of their ids. `GET /v1/flows/{id}/members`"""
        answer = await self.transport.call(
            "GET", f"/v1/flows/{escape(flow_id)}/members", query={"cursor": cursor, "limit": limit}
        )
        return cast("ListMembersResult", answer)

    async def seal_flow(
        self,
        flow_id: str,
        *,
        expected_graph_revision: int | None = None,
    ) -> SealFlowResult:
        """Seal a flow: it takes no further node or edge, and can finish. `POST /v1/flows/{id}/seal`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "expected_graph_revision": expected_graph_revision,
            },
        )
        answer = await self.transport.call("POST", f"/v1/flows/{escape(flow_id)}/seal", body=sent, safe=True)
        return cast("SealFlowResult", answer)

    async def get_flow_summary(
        self,
        flow_id: str,
    ) -> GetFlowSummaryResult:
        """How many members are in which state. `GET /v1/flows/{id}/summary`"""
        answer = await self.transport.call("GET", f"/v1/flows/{escape(flow_id)}/summary")
        return cast("GetFlowSummaryResult", answer)

    async def set_flow_tags(
        self,
        flow_id: str,
        body: Mapping[str, Any] | None = None,
    ) -> SetFlowTagsResult:
        """Set tags: an object of strings, keys <word>.<name>. `PUT /v1/flows/{id}/tags`"""
        answer = await self.transport.call("PUT", f"/v1/flows/{escape(flow_id)}/tags", body=dict(body or {}))
        return cast("SetFlowTagsResult", answer)

    async def list_lanes(
        self,
        *,
        counts: str | None = None,
    ) -> ListLanesResult:
        """All lanes with their state and counts. `GET /v1/lanes`"""
        answer = await self.transport.call("GET", "/v1/lanes", query={"counts": counts})
        return cast("ListLanesResult", answer)

    async def set_lane(
        self,
        lane: str,
        *,
        state: str | None = None,
        scheduling_weight: int | None = None,
        default_priority: int | None = None,
        default_policy_json: str | Mapping[str, Any] | None = None,
    ) -> SetLaneResult:
        """Change what a lane accepts and how it shares workers. `PUT /v1/lanes/{lane}`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "state": state,
                "scheduling_weight": scheduling_weight,
                "default_priority": default_priority,
                "default_policy_json": default_policy_json,
            },
        )
        answer = await self.transport.call("PUT", f"/v1/lanes/{escape(lane)}", body=sent)
        return cast("SetLaneResult", answer)

    async def delete_lane(
        self,
        lane: str,
    ) -> DeleteLaneResult:
        """Delete a disabled lane that is empty. `DELETE /v1/lanes/{lane}`"""
        answer = await self.transport.call("DELETE", f"/v1/lanes/{escape(lane)}")
        return cast("DeleteLaneResult", answer)

    async def get_overview(
        self,
    ) -> GetOverviewResult:
        """Lanes with their last hour, and what waits for people or is near its limit. `GET /v1/overview`"""
        answer = await self.transport.call("GET", "/v1/overview")
        return cast("GetOverviewResult", answer)

    async def create_quota(
        self,
        *,
        scope_type: str | None = None,
        scope_id: str | None = None,
        quota_policy_id: str | None = None,
        window_seconds: int | None = None,
        max_requests_per_window: int | None = None,
        max_concurrent: int | None = None,
        jitter_ms: int | None = None,
        name: str | None = None,
        attach: bool | None = None,
    ) -> CreateQuotaResult:
        """Create a quota policy. `POST /v1/quotas`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "scope_type": scope_type,
                "scope_id": scope_id,
                "quota_policy_id": quota_policy_id,
                "window_seconds": window_seconds,
                "max_requests_per_window": max_requests_per_window,
                "max_concurrent": max_concurrent,
                "jitter_ms": jitter_ms,
                "name": name,
                "attach": attach,
            },
        )
        answer = await self.transport.call("POST", "/v1/quotas", body=sent, safe=quota_policy_id is not None)
        return cast("CreateQuotaResult", answer)

    async def list_quotas(
        self,
        *,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ListQuotasResult:
        """Quota policies in the order of their ids. `GET /v1/quotas`"""
        answer = await self.transport.call("GET", "/v1/quotas", query={"cursor": cursor, "limit": limit})
        return cast("ListQuotasResult", answer)

    async def get_quota(
        self,
        quota_policy_id: str,
    ) -> GetQuotaResult:
        """What a quota allows and how much of it is taken. `GET /v1/quotas/{id}`"""
        answer = await self.transport.call("GET", f"/v1/quotas/{escape(quota_policy_id)}")
        return cast("GetQuotaResult", answer)

    async def update_quota(
        self,
        quota_policy_id: str,
        *,
        window_seconds: int | None = None,
        max_requests_per_window: int | None = None,
        max_concurrent: int | None = None,
        jitter_ms: int | None = None,
        name: str | None = None,
        actor: str | None = None,
        reason: str | None = None,
    ) -> UpdateQuotaResult:
        """Change what a quota allows; what is absent or null stays. `PUT /v1/quotas/{id}`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "window_seconds": window_seconds,
                "max_requests_per_window": max_requests_per_window,
                "max_concurrent": max_concurrent,
                "jitter_ms": jitter_ms,
                "name": name,
                "actor": actor,
                "reason": reason,
            },
        )
        answer = await self.transport.call("PUT", f"/v1/quotas/{escape(quota_policy_id)}", body=sent)
        return cast("UpdateQuotaResult", answer)

    async def attach_quota(
        self,
        quota_policy_id: str,
        *,
        scope_type: str,
        scope_id: str | None = None,
    ) -> AttachQuotaResult:
        """Let a quota govern a scope. `POST /v1/quotas/{id}/attach`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "scope_type": scope_type,
                "scope_id": scope_id,
            },
        )
        answer = await self.transport.call("POST", f"/v1/quotas/{escape(quota_policy_id)}/attach", body=sent, safe=True)
        return cast("AttachQuotaResult", answer)

    async def detach_quota(
        self,
        quota_policy_id: str,
        *,
        scope_type: str,
        scope_id: str | None = None,
    ) -> DetachQuotaResult:
        """Let a quota govern only those that name it. `POST /v1/quotas/{id}/detach`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "scope_type": scope_type,
                "scope_id": scope_id,
            },
        )
        answer = await self.transport.call("POST", f"/v1/quotas/{escape(quota_policy_id)}/detach", body=sent, safe=True)
        return cast("DetachQuotaResult", answer)

    async def read_feed(
        self,
        families: str,
        *,
        cursor: str | None = None,
        since: int | None = None,
        namespace: str | None = None,
        tag: Any = None,
        execution_id: str | None = None,
        flow_id: str | None = None,
        lane: str | None = None,
        type: str | None = None,
        partition: int | None = None,
        limit: int | None = None,
        block_ms: int | None = None,
    ) -> ReadFeedResult:
        """Events of feed families, waiting for them. `GET /v1/streams/{families}`"""
        answer = await self.transport.call(
            "GET",
            f"/v1/streams/{escape(families)}",
            query={
                "cursor": cursor,
                "since": since,
                "namespace": namespace,
                "tag": tag,
                "execution_id": execution_id,
                "flow_id": flow_id,
                "lane": lane,
                "type": type,
                "partition": partition,
                "limit": limit,
                "block_ms": block_ms,
            },
            wait_ms=block_ms or 0,
        )
        return cast("ReadFeedResult", answer)

    async def list_workers(
        self,
        *,
        namespace: str | None = None,
        cursor: str | None = None,
        limit: int | None = None,
    ) -> ListWorkersResult:
        """Live workers. `GET /v1/workers`"""
        answer = await self.transport.call("GET", "/v1/workers", query={"namespace": namespace, "cursor": cursor, "limit": limit})
        return cast("ListWorkersResult", answer)

    async def claim_grant(
        self,
        worker_id: str,
        *,
        lane_id: str,
        worker_instance_id: str,
        capabilities: Sequence[str] | None = None,
        grant_ttl_ms: int | None = None,
    ) -> ClaimGrantResult | None:
        """Get a grant, for a worker that claims against the store itself. `POST /v1/workers/{worker_id}/claim`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "lane_id": lane_id,
                "worker_instance_id": worker_instance_id,
                "capabilities": capabilities,
                "grant_ttl_ms": grant_ttl_ms,
            },
        )
        answer = await self.transport.call("POST", f"/v1/workers/{escape(worker_id)}/claim", body=sent)
        return cast("ClaimGrantResult | None", answer)

    async def register_worker(
        self,
        worker_id: str,
        instance_id: str,
        *,
        namespace: str,
        lanes: Sequence[str] | None = None,
        capabilities: Sequence[str] | None = None,
        ttl_ms: int | None = None,
        boot_id: str | None = None,
        takeover: bool | None = None,
        max_tasks: int | None = None,
    ) -> RegisterWorkerResult:
        """Register a worker instance, or refresh it. `PUT /v1/workers/{worker_id}/instances/{instance_id}`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "namespace": namespace,
                "lanes": lanes,
                "capabilities": capabilities,
                "ttl_ms": ttl_ms,
                "boot_id": boot_id,
                "takeover": takeover,
                "max_tasks": max_tasks,
            },
        )
        answer = await self.transport.call("PUT", f"/v1/workers/{escape(worker_id)}/instances/{escape(instance_id)}", body=sent)
        return cast("RegisterWorkerResult", answer)

    async def unregister_worker(
        self,
        worker_id: str,
        instance_id: str,
        *,
        reason: str | None = None,
        revoke_leases: bool | None = None,
        namespace: str | None = None,
    ) -> dict[str, Any] | None:
        """Remove a worker instance from the registry. `DELETE /v1/workers/{worker_id}/instances/{instance_id}`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "reason": reason,
                "revoke_leases": revoke_leases,
            },
        )
        answer = await self.transport.call(
            "DELETE",
            f"/v1/workers/{escape(worker_id)}/instances/{escape(instance_id)}",
            query={"namespace": namespace},
            body=sent,
        )
        return cast("dict[str, Any] | None", answer)

    async def heartbeat(
        self,
        worker_id: str,
        instance_id: str,
        *,
        namespace: str,
        boot_id: str | None = None,
    ) -> HeartbeatResult:
        """Keep a worker instance registered. `POST /v1/workers/{worker_id}/instances/{instance_id}/heartbeat`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "namespace": namespace,
                "boot_id": boot_id,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/workers/{escape(worker_id)}/instances/{escape(instance_id)}/heartbeat", body=sent, safe=True
        )
        return cast("HeartbeatResult", answer)

    async def list_leases(
        self,
        worker_id: str,
        instance_id: str,
    ) -> ListLeasesResult:
        """The leases of a worker instance, for one that lost the answer to a claim. `GET /v1/workers/{worker_id}/instances/{instance_id}/leases`"""
        answer = await self.transport.call("GET", f"/v1/workers/{escape(worker_id)}/instances/{escape(instance_id)}/leases")
        return cast("ListLeasesResult", answer)

    async def renew_leases(
        self,
        worker_id: str,
        *,
        leases: Sequence[Mapping[str, Any]],
        worker_instance_id: str | None = None,
        namespace: str | None = None,
        lease_ttl_ms: int | None = None,
    ) -> RenewLeasesResult:
        """Extend up to 256 leases; refreshes a registered instance too. `POST /v1/workers/{worker_id}/leases/renew`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "worker_instance_id": worker_instance_id,
                "namespace": namespace,
                "lease_ttl_ms": lease_ttl_ms,
                "leases": leases,
            },
        )
        answer = await self.transport.call("POST", f"/v1/workers/{escape(worker_id)}/leases/renew", body=sent, safe=True)
        return cast("RenewLeasesResult", answer)

    async def claim_tasks(
        self,
        worker_id: str,
        *,
        worker_instance_id: str,
        lanes: Sequence[str],
        namespace: str | None = None,
        capabilities: Sequence[str] | None = None,
        kinds: Sequence[str] | None = None,
        max_tasks: int | None = None,
        wait_ms: int | None = None,
        lease_ttl_ms: int | None = None,
        include_payload: bool | None = None,
        max_payload_bytes: int | None = None,
        claim_id: str | None = None,
        first_try: bool | None = None,
        completions: Sequence[Mapping[str, Any]] | None = None,
    ) -> ClaimTasksResult | None:
        """Claim tasks, waiting for them if need be. `POST /v1/workers/{worker_id}/tasks/claim`"""
        sent: dict[str, Any] = {}
        put(
            sent,
            {
                "worker_instance_id": worker_instance_id,
                "lanes": lanes,
                "namespace": namespace,
                "capabilities": capabilities,
                "kinds": kinds,
                "max_tasks": max_tasks,
                "wait_ms": wait_ms,
                "lease_ttl_ms": lease_ttl_ms,
                "include_payload": include_payload,
                "max_payload_bytes": max_payload_bytes,
                "claim_id": claim_id,
                "first_try": first_try,
                "completions": completions,
            },
        )
        answer = await self.transport.call(
            "POST", f"/v1/workers/{escape(worker_id)}/tasks/claim", body=sent, safe=claim_id is not None, wait_ms=wait_ms or 0
        )
        return cast("ClaimTasksResult | None", answer)


class BlockingApi(Blocks):
    """Every operation of the server, typed, for programs without asyncio."""

    health = blocking(Api.health)
    metrics = blocking(Api.metrics)
    ready = blocking(Api.ready)
    read_audit = blocking(Api.read_audit)
    backup = blocking(Api.backup)
    annotate = blocking(Api.annotate)
    rotate_waitpoint_secret = blocking(Api.rotate_waitpoint_secret)
    list_waitpoint_kids = blocking(Api.list_waitpoint_kids)
    list_approvals = blocking(Api.list_approvals)
    create_budget = blocking(Api.create_budget)
    list_budgets = blocking(Api.list_budgets)
    get_budget = blocking(Api.get_budget)
    update_budget = blocking(Api.update_budget)
    attach_budget = blocking(Api.attach_budget)
    detach_budget = blocking(Api.detach_budget)
    release_budget = blocking(Api.release_budget)
    reset_budget = blocking(Api.reset_budget)
    spend_budget = blocking(Api.spend_budget)
    check_budget = blocking(Api.check_budget)
    capabilities = blocking(Api.capabilities)
    create_execution = blocking(Api.create_execution)
    list_executions = blocking(Api.list_executions)
    create_executions = blocking(Api.create_executions)
    get_execution = blocking(Api.get_execution)
    approve = blocking(Api.approve)
    list_attempts = blocking(Api.list_attempts)
    read_stream = blocking(Api.read_stream)
    append_frames = blocking(Api.append_frames)
    get_stream_info = blocking(Api.get_stream_info)
    tail_stream = blocking(Api.tail_stream)
    read_summary = blocking(Api.read_summary)
    call_children = blocking(Api.call_children)
    cancel_execution = blocking(Api.cancel_execution)
    list_children = blocking(Api.list_children)
    complete = blocking(Api.complete)
    delay = blocking(Api.delay)
    explain = blocking(Api.explain)
    fail = blocking(Api.fail)
    get_input = blocking(Api.get_input)
    list_lease_history = blocking(Api.list_lease_history)
    get_payload = blocking(Api.get_payload)
    list_pending_waitpoints = blocking(Api.list_pending_waitpoints)
    change_priority = blocking(Api.change_priority)
    progress = blocking(Api.progress)
    reclaim = blocking(Api.reclaim)
    release = blocking(Api.release)
    release_hold = blocking(Api.release_hold)
    renew_lease = blocking(Api.renew_lease)
    replay_execution = blocking(Api.replay_execution)
    get_result = blocking(Api.get_result)
    resume_execution = blocking(Api.resume_execution)
    resume_signals = blocking(Api.resume_signals)
    revoke_lease = blocking(Api.revoke_lease)
    deliver_signal = blocking(Api.deliver_signal)
    list_signals = blocking(Api.list_signals)
    get_state = blocking(Api.get_state)
    record_steps = blocking(Api.record_steps)
    read_steps = blocking(Api.read_steps)
    read_merged_stream = blocking(Api.read_merged_stream)
    suspend = blocking(Api.suspend)
    get_suspension = blocking(Api.get_suspension)
    get_suspension_condition = blocking(Api.get_suspension_condition)
    get_tags = blocking(Api.get_tags)
    set_tags = blocking(Api.set_tags)
    take_over = blocking(Api.take_over)
    report_usage = blocking(Api.report_usage)
    wait_for_end = blocking(Api.wait_for_end)
    wait_children = blocking(Api.wait_children)
    create_waitpoint = blocking(Api.create_waitpoint)
    close_waitpoint = blocking(Api.close_waitpoint)
    revoke_waitpoint_link = blocking(Api.revoke_waitpoint_link)
    create_waitpoint_link = blocking(Api.create_waitpoint_link)
    list_waitpoint_signals = blocking(Api.list_waitpoint_signals)
    get_waitpoint_token = blocking(Api.get_waitpoint_token)
    create_flow = blocking(Api.create_flow)
    list_flows = blocking(Api.list_flows)
    submit_flow = blocking(Api.submit_flow)
    get_flow = blocking(Api.get_flow)
    cancel_flow = blocking(Api.cancel_flow)
    set_edge_group_policy = blocking(Api.set_edge_group_policy)
    stage_edge = blocking(Api.stage_edge)
    list_edges = blocking(Api.list_edges)
    apply_edge = blocking(Api.apply_edge)
    expand_flow = blocking(Api.expand_flow)
    get_graph = blocking(Api.get_graph)
    add_member = blocking(Api.add_member)
    list_members = blocking(Api.list_members)
    seal_flow = blocking(Api.seal_flow)
    get_flow_summary = blocking(Api.get_flow_summary)
    set_flow_tags = blocking(Api.set_flow_tags)
    list_lanes = blocking(Api.list_lanes)
    set_lane = blocking(Api.set_lane)
    delete_lane = blocking(Api.delete_lane)
    get_overview = blocking(Api.get_overview)
    create_quota = blocking(Api.create_quota)
    list_quotas = blocking(Api.list_quotas)
    get_quota = blocking(Api.get_quota)
    update_quota = blocking(Api.update_quota)
    attach_quota = blocking(Api.attach_quota)
    detach_quota = blocking(Api.detach_quota)
    read_feed = blocking(Api.read_feed)
    list_workers = blocking(Api.list_workers)
    claim_grant = blocking(Api.claim_grant)
    register_worker = blocking(Api.register_worker)
    unregister_worker = blocking(Api.unregister_worker)
    heartbeat = blocking(Api.heartbeat)
    list_leases = blocking(Api.list_leases)
    renew_leases = blocking(Api.renew_leases)
    claim_tasks = blocking(Api.claim_tasks)


#: Method of each route.
ROUTES: dict[str, str] = {
    "GET /healthz": "health",
    "GET /metrics": "metrics",
    "GET /readyz": "ready",
    "GET /v1/admin/audit": "read_audit",
    "POST /v1/admin/backup": "backup",
    "POST /v1/admin/executions/{id}/attempts/{idx}/annotations": "annotate",
    "POST /v1/admin/rotate-waitpoint-secret": "rotate_waitpoint_secret",
    "GET /v1/admin/waitpoint-kids": "list_waitpoint_kids",
    "GET /v1/approvals": "list_approvals",
    "POST /v1/budgets": "create_budget",
    "GET /v1/budgets": "list_budgets",
    "GET /v1/budgets/{id}": "get_budget",
    "PUT /v1/budgets/{id}": "update_budget",
    "POST /v1/budgets/{id}/attach": "attach_budget",
    "POST /v1/budgets/{id}/detach": "detach_budget",
    "POST /v1/budgets/{id}/release": "release_budget",
    "POST /v1/budgets/{id}/reset": "reset_budget",
    "POST /v1/budgets/{id}/spend": "spend_budget",
    "POST /v1/budgets/{id}/usage": "check_budget",
    "GET /v1/capabilities": "capabilities",
    "POST /v1/executions": "create_execution",
    "GET /v1/executions": "list_executions",
    "POST /v1/executions/batch": "create_executions",
    "GET /v1/executions/{id}": "get_execution",
    "POST /v1/executions/{id}/approve": "approve",
    "GET /v1/executions/{id}/attempts": "list_attempts",
    "GET /v1/executions/{id}/attempts/{idx}/stream": "read_stream",
    "POST /v1/executions/{id}/attempts/{idx}/stream": "append_frames",
    "GET /v1/executions/{id}/attempts/{idx}/stream/info": "get_stream_info",
    "GET /v1/executions/{id}/attempts/{idx}/stream/tail": "tail_stream",
    "GET /v1/executions/{id}/attempts/{idx}/summary": "read_summary",
    "POST /v1/executions/{id}/call-children": "call_children",
    "POST /v1/executions/{id}/cancel": "cancel_execution",
    "GET /v1/executions/{id}/children": "list_children",
    "POST /v1/executions/{id}/complete": "complete",
    "POST /v1/executions/{id}/delay": "delay",
    "GET /v1/executions/{id}/explain": "explain",
    "POST /v1/executions/{id}/fail": "fail",
    "GET /v1/executions/{id}/inputs/{name}": "get_input",
    "GET /v1/executions/{id}/lease-history": "list_lease_history",
    "GET /v1/executions/{id}/payload": "get_payload",
    "GET /v1/executions/{id}/pending-waitpoints": "list_pending_waitpoints",
    "PUT /v1/executions/{id}/priority": "change_priority",
    "POST /v1/executions/{id}/progress": "progress",
    "POST /v1/executions/{id}/reclaim": "reclaim",
    "POST /v1/executions/{id}/release": "release",
    "POST /v1/executions/{id}/release-hold": "release_hold",
    "POST /v1/executions/{id}/renew": "renew_lease",
    "POST /v1/executions/{id}/replay": "replay_execution",
    "GET /v1/executions/{id}/result": "get_result",
    "POST /v1/executions/{id}/resume": "resume_execution",
    "GET /v1/executions/{id}/resume-signals": "resume_signals",
    "POST /v1/executions/{id}/revoke-lease": "revoke_lease",
    "POST /v1/executions/{id}/signal": "deliver_signal",
    "GET /v1/executions/{id}/signals": "list_signals",
    "GET /v1/executions/{id}/state": "get_state",
    "POST /v1/executions/{id}/steps": "record_steps",
    "GET /v1/executions/{id}/steps": "read_steps",
    "GET /v1/executions/{id}/stream": "read_merged_stream",
    "POST /v1/executions/{id}/suspend": "suspend",
    "GET /v1/executions/{id}/suspension": "get_suspension",
    "GET /v1/executions/{id}/suspension/condition": "get_suspension_condition",
    "GET /v1/executions/{id}/tags": "get_tags",
    "PUT /v1/executions/{id}/tags": "set_tags",
    "POST /v1/executions/{id}/take-over": "take_over",
    "POST /v1/executions/{id}/usage": "report_usage",
    "GET /v1/executions/{id}/wait": "wait_for_end",
    "POST /v1/executions/{id}/wait-children": "wait_children",
    "POST /v1/executions/{id}/waitpoints": "create_waitpoint",
    "POST /v1/executions/{id}/waitpoints/{wp}/close": "close_waitpoint",
    "DELETE /v1/executions/{id}/waitpoints/{wp}/link": "revoke_waitpoint_link",
    "POST /v1/executions/{id}/waitpoints/{wp}/link": "create_waitpoint_link",
    "GET /v1/executions/{id}/waitpoints/{wp}/signals": "list_waitpoint_signals",
    "GET /v1/executions/{id}/waitpoints/{wp}/token": "get_waitpoint_token",
    "POST /v1/flows": "create_flow",
    "GET /v1/flows": "list_flows",
    "POST /v1/flows/submit": "submit_flow",
    "GET /v1/flows/{id}": "get_flow",
    "POST /v1/flows/{id}/cancel": "cancel_flow",
    "PUT /v1/flows/{id}/edge-groups/{eid}": "set_edge_group_policy",
    "POST /v1/flows/{id}/edges": "stage_edge",
    "GET /v1/flows/{id}/edges": "list_edges",
    "POST /v1/flows/{id}/edges/apply": "apply_edge",
    "POST /v1/flows/{id}/expand": "expand_flow",
    "GET /v1/flows/{id}/graph": "get_graph",
    "POST /v1/flows/{id}/members": "add_member",
    "GET /v1/flows/{id}/members": "list_members",
    "POST /v1/flows/{id}/seal": "seal_flow",
    "GET /v1/flows/{id}/summary": "get_flow_summary",
    "PUT /v1/flows/{id}/tags": "set_flow_tags",
    "GET /v1/lanes": "list_lanes",
    "PUT /v1/lanes/{lane}": "set_lane",
    "DELETE /v1/lanes/{lane}": "delete_lane",
    "GET /v1/overview": "get_overview",
    "POST /v1/quotas": "create_quota",
    "GET /v1/quotas": "list_quotas",
    "GET /v1/quotas/{id}": "get_quota",
    "PUT /v1/quotas/{id}": "update_quota",
    "POST /v1/quotas/{id}/attach": "attach_quota",
    "POST /v1/quotas/{id}/detach": "detach_quota",
    "GET /v1/streams/{families}": "read_feed",
    "GET /v1/workers": "list_workers",
    "POST /v1/workers/{worker_id}/claim": "claim_grant",
    "PUT /v1/workers/{worker_id}/instances/{instance_id}": "register_worker",
    "DELETE /v1/workers/{worker_id}/instances/{instance_id}": "unregister_worker",
    "POST /v1/workers/{worker_id}/instances/{instance_id}/heartbeat": "heartbeat",
    "GET /v1/workers/{worker_id}/instances/{instance_id}/leases": "list_leases",
    "POST /v1/workers/{worker_id}/leases/renew": "renew_leases",
    "POST /v1/workers/{worker_id}/tasks/claim": "claim_tasks",
}
