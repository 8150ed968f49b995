#include "twin/actions.h"

namespace ff::twin {
namespace {

struct Block {
    std::string reason{};
    std::string index{};
    std::string ref{};
};

Block some_block(World& world) {
    switch (world.below(4)) {
        case 0:
            return {"waiting_for_budget", "blocked:budget", "budget:b" + world.number(2)};
        case 1:
            return {"waiting_for_quota", "blocked:quota", "quota:q" + world.number(2)};
        case 2:
            return {"paused_by_operator", "blocked:operator", ""};
        default:
            return {"waiting_for_capable_worker", "blocked:route", ""};
    }
}

void block(World& world, Partition&, Task& task) {
    const contract::Execution& e = task.execution;
    const Block why = some_block(world);
    world.host().fcall("ff_block_execution_for_admission",
                       {e.key("core"), e.lane_key("eligible"), e.lane_key(why.index)},
                       {e.id(), why.reason, "detail", "", why.ref});
}

void unblock(World& world, Partition& partition, Task& task) {
    const contract::Execution& e = task.execution;
    const Block why = world.one_in(2) ? some_block(world) : Block{};
    world.host().fcall("ff_unblock_execution",
                       {e.key("core"), noop_key(partition), e.lane_key("eligible")},
                       {e.id(), "", why.reason, why.ref});
}

void unblock_batch(World& world, Partition& partition, Task&) {
    const Block why = some_block(world);
    world.host().fcall(
        "ff_unblock_batch",
        {lane_key(partition, "lane", why.index), lane_key(partition, "lane", "eligible")},
        {"", why.reason, world.one_in(2) ? why.ref : "", world.pick({"1", "10"}), ""});
}

void index_kinds(World& world, Partition& partition, Task&) {
    world.host().fcall("ff_index_kinds",
                       {lane_key(partition, "lane", "eligible"), "ff:wake:" + partition.tag},
                       {"lane"});
}

}  // namespace

void add_admission_actions(ActionTable& table) {
    using enum Stage;
    table.add({Eligible}, block);
    for (int i = 0; i < 3; ++i) table.add({Blocked}, unblock);
    table.add({Blocked}, unblock_batch);
    table.add({Eligible}, index_kinds);
}

}  // namespace ff::twin
