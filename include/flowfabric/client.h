#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/approval_links.h"
#include "flowfabric/client_options.h"
#include "flowfabric/feed.h"
#include "flowfabric/flows.h"
#include "flowfabric/limits.h"
#include "flowfabric/operations.h"
#include "flowfabric/records.h"

namespace ff::sdk {
class Door;
}

namespace flowfabric {

/// Everything a submitter or an operator can ask of FlowFabric; one method per route of the HTTP
/// API. Thread-safe; every call blocks until it is answered. Cheap to copy.
class AdminClient {
  public:
    static Result<AdminClient> connect(ClientOptions options);
    static Result<AdminClient> connect(std::string url);
    static Result<AdminClient> with_token(std::string url, std::string token);
    explicit AdminClient(std::shared_ptr<ff::sdk::Door> door) : door_(std::move(door)) {}

    // Executions
    Result<CreatedExecution> create_execution(const NewExecution& execution) const;
    /// At most 1000; each stands for itself.
    Result<std::vector<Result<CreatedExecution>>> create_executions(
        const std::vector<NewExecution>& executions) const;
    Result<ExecutionInfo> describe_execution(const std::string& id) const;
    Result<std::string> get_state(const std::string& id) const;
    Result<Bytes> get_payload(const std::string& id) const;
    Result<Bytes> get_input(const std::string& id, const std::string& name) const;
    /// 404 unless it succeeded and stored one.
    Result<Bytes> get_result(const std::string& id) const;
    /// Waits in turns of at most 30 s; `timed_out` when it has not ended within `timeout`.
    Result<Ending> wait_for_terminal(const std::string& id, Millis timeout) const;
    Result<Explanation> explain(const std::string& id) const;
    Result<ExecutionPage> list_executions(const ExecutionQuery& query) const;
    Result<Tags> get_tags(const std::string& id) const;
    Result<Done> set_tags(const std::string& id, const Tags& tags) const;
    Result<std::string> cancel_execution(const std::string& id, const std::string& reason) const;
    Result<ChangedPriority> change_priority(const std::string& id, int priority) const;
    /// Runs an ended execution again; the new public state.
    Result<std::string> replay_execution(const std::string& id, const std::string& reason) const;
    /// The same for a member of a flow and its skipped descendants; the ids of all of them.
    Result<std::vector<std::string>> replay_subgraph(const std::string& id,
                                                     const std::string& reason) const;
    Result<RevokedLease> revoke_lease(const std::string& id, const std::string& reason) const;
    /// Permission to take over a lost lease.
    Result<ReclaimAnswer> reclaim_execution(const std::string& id,
                                            const GrantRequest& request) const;
    /// Leases it to a worker of the operator's choice, past capabilities and limits.
    Result<LeaseInfo> take_over(const std::string& id, const TakeOver& request) const;
    /// Ends a hold for dependencies that never came; the new public state.
    Result<std::string> release_hold(const std::string& id) const;
    /// As an operator, whatever signals it waits for; the new public state.
    Result<std::string> resume_execution(const std::string& id, const std::string& actor,
                                         Millis delay = Millis(0)) const;
    Result<SuspensionInfo> get_suspension(const std::string& id) const;
    Result<OpenCondition> get_condition(const std::string& id) const;
    Result<SignalPage> list_signals(const std::string& id, const std::string& after = {}) const;
    Result<std::vector<Attempt>> list_attempts(const std::string& id) const;
    Result<LeaseHistory> lease_history(const std::string& id, const std::string& cursor = {}) const;

    // Signals
    Result<std::vector<Waitpoint>> list_pending_waitpoints(const std::string& id) const;
    Result<std::string> waitpoint_token(const std::string& id, const std::string& waitpoint) const;
    Result<SignalPage> list_waitpoint_signals(const std::string& id, const std::string& waitpoint,
                                              const std::string& after = {}) const;
    Result<SignalReceipt> deliver_signal(const std::string& id, const NewSignal& signal) const;
    /// As an operator, without a token.
    Result<SignalReceipt> approve(const std::string& id, const std::string& waitpoint_id,
                                  const std::string& signal_name, const std::string& actor) const;
    ApprovalLinks links(std::string id, std::string wp) const { return {door_, id, wp}; }
    Result<ApprovalPage> list_approvals(const ApprovalQuery& query = {}) const;
    Result<StepPage> read_steps(const std::string& id, const std::string& after = {}) const;
    Result<ChildPage> read_children(const std::string& id, const std::string& after = {}) const;

    // Streams
    Result<FramePage> read_stream(const std::string& id, std::int64_t attempt,
                                  const std::string& from = "-", int limit = 100) const;
    /// What comes after a position; waits up to 30 s for it.
    Result<FramePage> tail_stream(const std::string& id, std::int64_t attempt,
                                  const std::string& after, Millis wait, int limit = 50) const;
    Result<StreamInfo> stream_info(const std::string& id, std::int64_t attempt) const;
    Result<StreamSummary> read_summary(const std::string& id, std::int64_t attempt) const;
    /// All attempts one after the other, or only the newest one.
    Result<MergedPage> read_merged(const std::string& id, const std::string& cursor = {},
                                   bool latest_attempt_only = false, int limit = 100) const;
    /// The id of the new frame.
    Result<std::string> annotate(const std::string& id, std::int64_t attempt,
                                 const Annotation& annotation) const;
    /// A page of events; waits up to 30 s for the first. Feed walks through them.
    Result<FeedPage> read_feed(const FeedQuery& query, Millis wait) const;
    Feed feed(FeedQuery query = {}) const { return {door_, std::move(query)}; }
    /// What operators did, after an entry.
    Result<AuditPage> audit(const std::string& after = {}, int limit = 100,
                            Millis wait = Millis(0)) const;

    // Flows
    Result<std::string> create_flow(const NewFlow& flow) const;
    /// A whole graph in one document (docs/concepts.md).
    Result<SubmittedFlow> submit_flow(const Json& graph) const;
    Result<SubmittedFlow> expand_flow(const std::string& flow_id, const Json& graph) const;
    Result<SealedFlow> seal_flow(const std::string& flow_id) const;
    Result<FlowPage> list_flows(const FlowQuery& query = {}) const;
    Result<FlowInfo> describe_flow(const std::string& flow_id) const;
    /// Nodes with their inbound edges, in pages of 256.
    Result<FlowGraph> flow_graph(const std::string& flow_id, const std::string& cursor = {}) const;
    Result<FlowSummary> flow_summary(const std::string& flow_id) const;
    Result<FlowMemberPage> flow_members(const std::string& flow_id,
                                        const std::string& cursor = {}) const;
    Result<FlowEdgePage> flow_edges(const std::string& flow_id,
                                    const std::string& cursor = {}) const;
    /// How many members it has then.
    Result<std::int64_t> add_execution_to_flow(const std::string& flow_id,
                                               const std::string& id) const;
    Result<StagedEdge> stage_dependency_edge(const std::string& flow_id, const NewEdge& edge,
                                             bool apply = false) const;
    /// An edge that was staged, at the revision it was staged in.
    Result<AppliedEdge> apply_dependency_to_child(const std::string& flow_id, const NewEdge& edge,
                                                  std::int64_t graph_revision) const;
    Result<Done> set_edge_group_policy(const std::string& flow_id, const std::string& downstream,
                                       const EdgeGroupPolicy& policy) const;
    Result<Done> set_flow_tags(const std::string& flow_id, const Tags& tags) const;
    /// With `wait` > 0 it answers when all members have ended, or that they have not.
    Result<CancelledFlow> cancel_flow(const std::string& flow_id, const std::string& reason,
                                      Millis wait = Millis(0)) const;

    // Limits
    Result<std::string> create_budget(const NewBudget& budget) const;
    Result<BudgetInfo> describe_budget(const std::string& budget_id) const;
    Result<BudgetPage> list_budgets(const std::string& cursor = {}, int limit = 50) const;
    /// The new revision of its limits.
    Result<std::int64_t> update_budget(const std::string& budget_id,
                                       const BudgetChanges& changes) const;
    /// Asks for an amount: without room for all of it nothing is counted (`hard_breach`).
    Result<UsageResult> try_spend(const std::string& budget_id, const Amounts& dimensions,
                                  const std::string& dedup_key = {}) const;
    /// Counts what an execution has spent, even past a hard limit; release_budget gives it back.
    Result<UsageResult> spend(const std::string& budget_id, const std::string& id,
                              const Amounts& dimensions, const std::string& dedup_key = {}) const;
    /// The older names of `try_spend` and `spend`.
    Result<UsageResult> report_usage(const std::string& budget_id, const Amounts& dimensions,
                                     const std::string& dedup_key = {}) const;
    Result<UsageResult> spend_budget(const std::string& budget_id, const std::string& id,
                                     const Amounts& dimensions,
                                     const std::string& dedup_key = {}) const;
    Result<ReleasedBudget> release_budget(const std::string& budget_id,
                                          const std::string& id) const;
    /// When it begins anew by itself; 0 for never.
    Result<std::int64_t> reset_budget(const std::string& budget_id) const;
    Result<Done> attach_budget(const std::string& budget_id, const Scope& scope) const;
    Result<Done> detach_budget(const std::string& budget_id, const Scope& scope) const;
    Result<std::string> create_quota(const NewQuota& quota) const;
    Result<QuotaInfo> describe_quota(const std::string& quota_id) const;
    /// The new revision.
    Result<std::int64_t> update_quota(const std::string& id, const QuotaChanges& changes) const;
    Result<QuotaPage> list_quotas(const std::string& cursor = {}, int limit = 50) const;
    Result<Done> attach_quota(const std::string& quota_id, const Scope& scope) const;
    Result<Done> detach_quota(const std::string& quota_id, const Scope& scope) const;

    // Lanes, workers, administration
    Result<LaneList> list_lanes(bool count_now = false) const;
    Result<Done> set_lane(const std::string& lane, const LaneChanges& changes) const;
    /// One that is disabled and in which nothing is left to do.
    Result<Done> delete_lane(const std::string& lane) const;
    Result<WorkerPage> list_workers(const std::string& ns, const std::string& cursor = {}) const;
    Result<std::vector<LeaseInfo>> list_leases(const std::string& worker_id,
                                               const std::string& worker_instance_id) const;
    /// Nothing when there is no work.
    Result<std::optional<Grant>> request_grant(const GrantRequest& request) const;
    Result<Rotation> rotate_waitpoint_secret(const std::string& kid, const std::string& hex) const;
    Result<WaitpointKids> waitpoint_kids() const;
    Result<ServerFacts> capabilities() const;
    Result<Done> ping() const;
    /// `ok`, or `degraded: ` and why, of a server that answers.
    Result<std::string> health() const;
    Result<Done> ready() const;
    /// What a server that is ready tells of itself, such as the memory of its store.
    Result<Json> readiness() const;
    /// Figures of the last hour of each lane, what waits, who works.
    Result<Json> overview() const;
    Result<std::string> metrics() const;
    /// Copies the data of a running embedded server into a new folder on its machine.
    Result<BackupReport> backup(const std::string& folder) const;
    const std::shared_ptr<ff::sdk::Door>& door() const { return door_; }

  private:
    std::shared_ptr<ff::sdk::Door> door_;
};

}  // namespace flowfabric
