#include "twin/actions.h"

namespace ff::twin {
namespace {

void create(World& world, Partition& partition, Task& task) {
    task.execution.create(world.creation(partition));
}

void cancel(World& world, Partition&, Task& task) {
    if (world.one_in(2)) {
        task.execution.cancel_fenced();
    } else {
        task.execution.cancel("stop", "operator_override");
    }
}

void expire(World& world, Partition&, Task& task) {
    task.execution.expire(world.pick({"attempt_timeout", "execution_deadline", ""}),
                          world.pick({"1", "1", ""}));
}

void set_tags(World& world, Partition&, Task& task) {
    List pairs;
    for (std::uint64_t i = 0; i <= world.below(4); ++i) {
        pairs.push_back("app.k" + world.number(9));
        pairs.push_back(world.number(4));
    }
    task.execution.set_tags(pairs);
}

void change_priority(World& world, Partition&, Task& task) {
    task.execution.change_priority(world.number(100));
}

void promote(World& world, Partition&, Task& task) {
    if (world.one_in(2)) world.host().pass(std::chrono::milliseconds(world.below(2000)));
    task.execution.promote();
}

void replay(World& world, Partition&, Task& task) {
    task.execution.replay("again", world.pick({"ann", ""}));
}

void reconcile(World& world, Partition&, Task& task) {
    task.execution.reconcile(world.pick({"", "check", "repair"}));
}

void purge(World& world, Partition&, Task& task) {
    task.execution.purge(world.pick({"0", "0", "60000"}), world.pick({"", "", "3"}));
}

void version(World& world, Partition&, Task&) {
    world.host().fcall(world.one_in(2) ? "ff_version" : "ff_library_info", {}, {});
}

}  // namespace

void add_execution_actions(ActionTable& table) {
    using enum Stage;
    table.add({Absent}, create);
    table.add({WaitingChildren, Blocked, Delayed, Lost}, cancel);
    table.add({Leased}, expire);
    table.add({Eligible, Leased, Ended}, set_tags);
    table.add({Eligible}, change_priority);
    table.add({Delayed}, promote);
    table.add({Delayed}, promote);
    table.add({Ended}, replay);
    table.add({Eligible, Leased, Suspended, Ended, WaitingChildren}, reconcile);
    table.add({Ended}, purge);
    table.add_idle(version);
}

}  // namespace ff::twin
