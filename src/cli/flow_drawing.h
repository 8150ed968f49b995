#pragma once

#include <functional>
#include <string>
#include <vector>

#include "flowfabric/flows.h"

namespace ff::cli {

/// A graph as text: one line per node, level by level, each with a mark for its state and the names
/// of what it depends on. `paint` colours a state.
std::vector<std::string> draw_flow(const std::vector<flowfabric::FlowMember>& nodes,
                                   const std::vector<flowfabric::FlowEdge>& edges,
                                   const std::function<std::string(const std::string&)>& paint);

}  // namespace ff::cli
