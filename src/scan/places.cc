#include "scan/places.h"

namespace ff::scan {

std::vector<WalkPlace> places_of(Cycle& cycle, std::string (model::IndexKeys::*key)() const) {
    std::vector<WalkPlace> places;
    for (const std::uint16_t partition : cycle.territory().occupied()) {
        const model::IndexKeys keys(partition);
        places.push_back(WalkPlace{.partition = partition, .key = (keys.*key)()});
    }
    return places;
}

std::vector<WalkPlace> places_of(Cycle& cycle, std::string (model::FlowIndexKeys::*key)() const) {
    std::vector<WalkPlace> places;
    for (const std::uint16_t partition : cycle.territory().occupied()) {
        const model::FlowIndexKeys keys(model::PartitionKey::flow(partition));
        places.push_back(WalkPlace{.partition = partition, .key = (keys.*key)()});
    }
    return places;
}

std::vector<WalkPlace> places_of(Cycle& cycle, std::string (model::LaneKeys::*key)() const) {
    std::vector<WalkPlace> places;
    for (const std::uint16_t partition : cycle.territory().occupied()) {
        for (const model::LaneId& lane : cycle.lanes()) {
            const model::LaneKeys keys(model::PartitionKey::flow(partition), lane);
            places.push_back(
                WalkPlace{.partition = partition, .key = (keys.*key)(), .lane = lane.text()});
        }
    }
    return places;
}

}  // namespace ff::scan
