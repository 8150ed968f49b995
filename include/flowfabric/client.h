#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/layers.h"
#include "flowfabric/types.h"

namespace ff::sdk {
class Door;
}

namespace flowfabric {

/// Repeats what failed on the way; only calls that cannot do anything twice.
struct RetryPolicy {
    int attempts = 1;
    Millis backoff{100};
};

struct ClientOptions {
    /// `http://host:port`.
    std::string url = "http://127.0.0.1:9090";
    /// Sent as `Authorization: Bearer`. Given but blank is `config`.
    std::optional<std::string> token{};
    RetryPolicy retry{};
    /// The first is the outermost.
    Layers layers{};
};

/// Everything a submitter or an operator can ask of FlowFabric; one method per route of the HTTP
/// API. Thread-safe; every call blocks until it is answered. Cheap to copy.
class AdminClient {
  public:
    static Result<AdminClient> connect(ClientOptions options);
    static Result<AdminClient> connect(std::string url) {
        return connect(ClientOptions{.url = std::move(url)});
    }
    static Result<AdminClient> with_token(std::string url, std::string token) {
        return connect(ClientOptions{.url = std::move(url), .token = std::move(token)});
    }
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
    Result<Json> explain(const std::string& id) const;
    Result<ExecutionPage> list_executions(const ExecutionQuery& query) const;
    Result<Tags> get_tags(const std::string& id) const;
    Result<Done> set_tags(const std::string& id, const Tags& tags) const;
    Result<std::string> cancel_execution(const std::string& id, const std::string& reason) const;
    Result<Json> change_priority(const std::string& id, int priority) const;
    /// Runs an ended execution again; the new public state.
    Result<std::string> replay_execution(const std::string& id, const std::string& reason) const;
    Result<Json> replay_subgraph(const std::string& id, const std::string& reason) const;
    Result<Json> revoke_lease(const std::string& id, const std::string& reason) const;
    Result<Json> reclaim_execution(const std::string& id, const Json& request) const;
    Result<Json> resume_execution(const std::string& id, const std::string& actor) const;
    Result<Json> get_suspension(const std::string& id) const;
    Result<Json> list_signals(const std::string& id) const;
    Result<Json> list_attempts(const std::string& id) const;
    Result<Json> lease_history(const std::string& id) const;

    // Signals
    Result<std::vector<Waitpoint>> list_pending_waitpoints(const std::string& id) const;
    Result<std::string> waitpoint_token(const std::string& id, const std::string& waitpoint) const;
    Result<SignalReceipt> deliver_signal(const std::string& id, const NewSignal& signal) const;
    /// As an operator, without a token.
    Result<SignalReceipt> approve(const std::string& id, const std::string& waitpoint_id,
                                  const std::string& signal_name, const std::string& actor) const;

    // Streams
    Result<FramePage> read_stream(const std::string& id, std::int64_t attempt,
                                  const std::string& from = "-", int limit = 100) const;
    /// What comes after a position; waits up to 30 s for it.
    Result<FramePage> tail_stream(const std::string& id, std::int64_t attempt,
                                  const std::string& after, Millis wait, int limit = 50) const;
    Result<Json> stream_info(const std::string& id, std::int64_t attempt) const;
    Result<Json> read_summary(const std::string& id, std::int64_t attempt) const;
    Result<Json> annotate(const std::string& id, std::int64_t attempt, const Json& frame) const;
    /// Events of one or several families (`completion`, `lease_history`, `instance_tags`,
    /// `signal_delivery`, `operator`), after a cursor; {"events","gaps","cursor"}.
    Result<Json> read_feed(const std::string& families, const std::string& cursor, Millis wait,
                           const std::map<std::string, std::string>& filters = {}) const;
    Result<Json> audit(const std::map<std::string, std::string>& filters = {}) const;

    // Flows
    Result<std::string> create_flow(const Json& flow) const;
    /// A whole graph in one document (docs/concepts.md).
    Result<SubmittedFlow> submit_flow(const Json& graph) const;
    Result<SubmittedFlow> expand_flow(const std::string& flow_id, const Json& graph) const;
    Result<Json> seal_flow(const std::string& flow_id) const;
    Result<Json> list_flows(const std::map<std::string, std::string>& filters = {}) const;
    Result<Json> describe_flow(const std::string& flow_id) const;
    /// Nodes with their inbound edges, in pages of 256.
    Result<Json> flow_graph(const std::string& flow_id, const std::string& cursor = {}) const;
    Result<Json> flow_summary(const std::string& flow_id) const;
    Result<Json> flow_members(const std::string& flow_id, const std::string& cursor = {}) const;
    Result<Json> flow_edges(const std::string& flow_id, const std::string& cursor = {}) const;
    Result<Json> add_execution_to_flow(const std::string& flow_id, const std::string& id) const;
    Result<Json> stage_dependency_edge(const std::string& flow_id, const Json& edge,
                                       bool apply = false) const;
    Result<Json> apply_dependency_to_child(const std::string& flow_id, const Json& edge) const;
    Result<Json> set_edge_group_policy(const std::string& flow_id, const std::string& downstream,
                                       const Json& policy) const;
    Result<Done> set_flow_tags(const std::string& flow_id, const Tags& tags) const;
    /// With `wait` > 0 it answers when all members have ended, or that they have not.
    Result<Json> cancel_flow(const std::string& flow_id, const std::string& reason,
                             Millis wait = Millis(0)) const;

    // Limits
    Result<std::string> create_budget(const Json& budget) const;
    Result<Json> describe_budget(const std::string& budget_id) const;
    Result<Json> update_budget(const std::string& budget_id, const Json& changes) const;
    Result<UsageResult> report_usage(const std::string& budget_id,
                                     const std::map<std::string, std::int64_t>& dimensions,
                                     const std::string& dedup_key = {}) const;
    Result<Json> spend_budget(const std::string& budget_id, const Json& spend) const;
    Result<Json> release_budget(const std::string& budget_id, const std::string& id) const;
    Result<Json> reset_budget(const std::string& budget_id) const;
    Result<Json> attach_budget(const std::string& budget_id, const Json& scope) const;
    Result<Json> detach_budget(const std::string& budget_id, const Json& scope) const;
    Result<std::string> create_quota(const Json& quota) const;
    Result<Json> describe_quota(const std::string& quota_id) const;
    Result<Json> attach_quota(const std::string& quota_id, const Json& scope) const;
    Result<Json> detach_quota(const std::string& quota_id, const Json& scope) const;

    // Lanes, workers, administration
    Result<Json> list_lanes() const;
    Result<Json> set_lane(const std::string& lane, const Json& changes) const;
    Result<Json> list_workers(const std::string& ns, const std::string& cursor = {}) const;
    /// Permission to claim one execution: {"execution_id","kind",...}; null when there is no work.
    Result<Json> request_grant(const std::string& worker_id, const Json& request) const;
    Result<Json> rotate_waitpoint_secret(const std::string& kid, const std::string& hex) const;
    Result<Json> waitpoint_kids() const;
    Result<Json> capabilities() const;
    Result<Done> ping() const;
    Result<Done> ready() const;
    /// Prometheus text.
    Result<std::string> metrics() const;
    /// Copies the data of a running embedded server into a new folder on its machine.
    Result<Json> backup(const std::string& folder) const;

    const std::shared_ptr<ff::sdk::Door>& door() const { return door_; }

  private:
    std::shared_ptr<ff::sdk::Door> door_;
};

}  // namespace flowfabric
