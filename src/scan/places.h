#pragma once

#include <vector>

#include "model/flow_keys.h"
#include "model/index_keys.h"
#include "scan/set_walk.h"

namespace ff::scan {

/// A key of every partition that holds anything.
std::vector<WalkPlace> places_of(Cycle& cycle, std::string (model::IndexKeys::*key)() const);
std::vector<WalkPlace> places_of(Cycle& cycle, std::string (model::FlowIndexKeys::*key)() const);
/// A key of every lane in every partition that holds anything.
std::vector<WalkPlace> places_of(Cycle& cycle, std::string (model::LaneKeys::*key)() const);

}  // namespace ff::scan
