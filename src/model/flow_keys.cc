#include "model/flow_keys.h"

namespace ff::model {

std::string flow_core_field(std::string_view name) {
    return "ff." + std::string(name);
}

FlowKeys::FlowKeys(const FlowId& id, const PartitionConfig& config)
    : tag_(partition_of(id, config).tag()),
      prefix_(concat({"ff:flow:", tag_, ":", id.to_string(), ":"})) {}

std::string FlowKeys::of_flow(std::string_view name, std::string_view rest) const {
    return concat({prefix_, name, rest});
}

std::string FlowKeys::core() const {
    return of_flow("core");
}
std::string FlowKeys::members() const {
    return of_flow("members");
}
std::string FlowKeys::tags() const {
    return of_flow("tags");
}
std::string FlowKeys::member(const ExecutionId& id) const {
    return of_flow("member:", id.to_string());
}
std::string FlowKeys::names() const {
    return of_flow("names");
}
std::string FlowKeys::edge(const EdgeId& id) const {
    return of_flow("edge:", id.to_string());
}
std::string FlowKeys::out(const ExecutionId& upstream) const {
    return of_flow("out:", upstream.to_string());
}
std::string FlowKeys::in(const ExecutionId& downstream) const {
    return of_flow("in:", downstream.to_string());
}
std::string FlowKeys::edge_group(const ExecutionId& downstream) const {
    return of_flow("edgegroup:", downstream.to_string());
}
std::string FlowKeys::events() const {
    return of_flow("events");
}
std::string FlowKeys::summary() const {
    return of_flow("summary");
}
std::string FlowKeys::grant(std::string_view mutation_id) const {
    return of_flow("grant:", mutation_id);
}
std::string FlowKeys::pending_cancels() const {
    return of_flow("pending_cancels");
}

std::string FlowIndexKeys::flow_index() const {
    return concat({"ff:idx:", tag_, ":flow_index"});
}
std::string FlowIndexKeys::cancel_backlog() const {
    return concat({"ff:idx:", tag_, ":cancel_backlog"});
}
std::string FlowIndexKeys::pending_cancel_groups() const {
    return concat({"ff:idx:", tag_, ":pending_cancel_groups"});
}
std::string FlowIndexKeys::flows_by_time() const {
    return concat({"ff:idx:", tag_, ":flows_by_time"});
}
std::string FlowIndexKeys::terminal_flows() const {
    return concat({"ff:idx:", tag_, ":terminal_flows"});
}

}  // namespace ff::model
