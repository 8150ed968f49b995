#pragma once

#include <string>
#include <string_view>

#include "model/execution_id.h"
#include "model/ids.h"
#include "model/key_text.h"
#include "model/partition.h"

namespace ff::model {

/// The stored name of a field of a flow's core that is ours alone: other implementations of the
/// contract take dotted names for tags and refuse others that they do not know.
std::string flow_core_field(std::string_view name);

/// Names of the keys of one flow, all in its partition.
class FlowKeys {
  public:
    FlowKeys(const FlowId& id, const PartitionConfig& config);

    /// `{fp:N}`.
    const std::string& tag() const { return tag_; }

    std::string core() const;
    std::string members() const;
    std::string tags() const;
    std::string member(const ExecutionId& id) const;
    std::string names() const;
    std::string edge(const EdgeId& id) const;
    std::string out(const ExecutionId& upstream) const;
    std::string in(const ExecutionId& downstream) const;
    std::string edge_group(const ExecutionId& downstream) const;
    std::string events() const;
    std::string summary() const;
    std::string grant(std::string_view mutation_id) const;
    std::string pending_cancels() const;
    std::string noop() const { return noop_key(tag_); }

  private:
    std::string of_flow(std::string_view name, std::string_view rest = {}) const;

    std::string tag_;
    std::string prefix_;
};

/// Names of the indexes that a `{fp:N}` partition keeps over its flows.
class FlowIndexKeys {
  public:
    explicit FlowIndexKeys(const PartitionKey& partition) : tag_(partition.tag()) {}

    std::string flow_index() const;
    std::string cancel_backlog() const;
    std::string pending_cancel_groups() const;
    std::string flows_by_time() const;
    std::string terminal_flows() const;

  private:
    std::string tag_;
};

}  // namespace ff::model
