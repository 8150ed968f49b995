#pragma once

#include <functional>
#include <string>
#include <vector>

#include "flowfabric/json.h"

namespace ff::cli {

/// A graph as text: one line per node, level by level, each with a mark for its state and the names
/// of what it depends on. `paint` colours a state.
std::vector<std::string> draw_flow(const flowfabric::Json::Array& nodes,
                                   const flowfabric::Json::Array& edges,
                                   const std::function<std::string(const std::string&)>& paint);

}  // namespace ff::cli
