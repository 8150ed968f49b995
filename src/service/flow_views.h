#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "base/time.h"
#include "model/execution_id.h"
#include "model/flow_keys.h"
#include "model/ids.h"
#include "service/context.h"
#include "service/graph_fields.h"

namespace ff::service {

/// A flow as it is stored.
struct FlowRecord {
    model::FlowId id;
    std::string flow_kind{};
    std::string ns{};
    std::string created_by{};
    std::string public_flow_state{};
    std::int64_t graph_revision = 0;
    std::int64_t node_count = 0;
    std::int64_t edge_count = 0;
    bool sealed = false;
    std::string failure_policy{};
    std::string outcome_policy{};
    std::optional<Timestamp> created_at{};
    std::optional<Timestamp> last_mutation_at{};
    std::optional<Timestamp> finished_at{};
    std::optional<Timestamp> cancelled_at{};
    std::string cancel_reason{};
    std::string cancellation_policy{};
    std::optional<Timestamp> cancel_completed_at{};
    std::int64_t reopen_count = 0;
    /// Members that have ended, by outcome: success, failed, cancelled, expired, skipped, benign.
    std::map<std::string, std::int64_t> ended{};
    TextMap tags{};
};

/// A member with the state of its execution.
struct FlowMember {
    std::string execution_id{};
    std::string name{};
    std::string via{};
    /// False once retention has taken the execution; what follows is empty then.
    bool exists = false;
    std::string public_state{};
    std::string lane_id{};
    std::string execution_kind{};
    std::string skip_reason{};
    std::string cancellation_reason{};
    std::int64_t priority = 0;
    std::optional<Timestamp> created_at{};
    std::optional<Timestamp> completed_at{};
};

struct FlowEdge {
    std::string edge_id{};
    std::string upstream{};
    std::string downstream{};
    std::string dependency_kind{};
    std::string data_passing_ref{};
    std::string edge_state{};
    std::optional<Timestamp> applied_at{};
    std::optional<Timestamp> resolved_at{};
};

/// How the inbound edges of a member join.
struct FlowGroup {
    std::string downstream{};
    std::string policy{};
    std::string on_satisfied{};
    std::string state{};
    std::int64_t k = 0;
    std::int64_t n = 0;
    std::int64_t succeeded = 0;
    std::int64_t failed = 0;
    std::int64_t skipped = 0;
};

/// Where a page begins and how much it may hold.
struct PageRequest {
    /// As the page before gave it; empty for the first one.
    std::string cursor{};
    std::size_t limit = 256;
};

struct MemberPage {
    std::vector<FlowMember> members{};
    std::string next_cursor{};
};
struct EdgePage {
    std::vector<FlowEdge> edges{};
    std::string next_cursor{};
};
/// Some nodes with all their inbound edges.
struct GraphPage {
    FlowRecord flow;
    std::vector<FlowMember> nodes{};
    std::vector<FlowEdge> edges{};
    std::vector<FlowGroup> groups{};
    std::string next_cursor{};
};

struct FlowSummary {
    std::string public_flow_state{};
    bool exact = false;
    std::optional<Timestamp> updated_at{};
    /// `total_members`, `members_completed`, ... without anything that is not a number.
    std::map<std::string, std::int64_t> counts{};
};

/// Reads flows. `flow_not_found` for one that is not there, `invalid_cursor` for a cursor that no
/// page gave. Lives on the context's loop.
class FlowViews {
  public:
    /// A summary is projected afresh when it is older than this, unless the flow is too large for
    /// one call; then it is as old as the projector's last round.
    static constexpr Millis kSummaryFresh{1'000};
    static constexpr std::int64_t kProjectedAtOnceMax = 2'000;
    /// Inbound edges after which a page of the graph takes no further node.
    static constexpr std::size_t kPageEdgesMax = 5'000;

    explicit FlowViews(const Context& context) : context_(context) {}

    Task<FlowRecord> flow(model::FlowId id);
    Task<FlowSummary> summary(model::FlowId id);
    Task<MemberPage> members(model::FlowId id, PageRequest page);
    Task<EdgePage> edges(model::FlowId id, PageRequest page);
    Task<GraphPage> graph(model::FlowId id, PageRequest page);

  private:
    Task<std::vector<std::string>> sorted_members(model::FlowId id);
    Task<std::vector<FlowMember>> read_members(model::FlowId id, std::vector<std::string> ids);
    /// The inbound edges of each member, by edge id.
    Task<std::vector<std::vector<std::string>>> inbound(model::FlowId id,
                                                        std::vector<std::string> ids);
    Task<std::vector<FlowEdge>> read_edges(model::FlowId id, std::vector<std::string> edge_ids);
    Task<Done> read_edge_times(std::vector<FlowEdge>& edges);
    Task<std::vector<FlowGroup>> read_groups(model::FlowId id, std::vector<std::string> ids);
    model::FlowKeys keys(const model::FlowId& id) const { return {id, context_.rules.partitions}; }

    Context context_;
};

/// Reads a core record; the tags are read apart.
Result<FlowRecord> read_flow_record(const model::FlowId& id, const store::Reply& core);

}  // namespace ff::service
