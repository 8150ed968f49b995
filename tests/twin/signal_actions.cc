#include "twin/actions.h"

namespace ff::twin {
namespace {

List signal_args(World& world, const Task& task, const contract::Waitpoint& waitpoint,
                 const std::string& id, const std::string& key) {
    return {id,
            task.execution.id(),
            waitpoint.id,
            world.pick({"ok", "ok", "yes", "no"}),
            world.pick({"", "approval"}),
            "user",
            "alice" + world.number(3),
            world.bytes(30),
            "",
            key,
            world.one_in(4) ? "c" : "",
            "",
            "",
            world.one_in(3) ? "9000" : "",
            world.one_in(8) ? "25" : "",
            "",
            "",
            world.one_in(20) ? "forged" : waitpoint.token,
            world.pick({"", "1"}),
            "",
            ""};
}

List signal_keys(const Partition& partition, const Task& task, const contract::Waitpoint& waitpoint,
                 const std::string& id) {
    const contract::Execution& e = task.execution;
    const std::string point = "ff:wp:" + partition.tag + ":" + waitpoint.id;
    const std::string signal = "ff:signal:" + partition.tag + ":" + id;
    return {e.key("core"), point + ":condition", point + ":signals",  e.key("signals"),
            signal,        signal + ":payload",  noop_key(partition), point};
}

std::string idempotency_key(World& world) {
    return world.one_in(3) ? "once" + world.number(5) : "";
}

void deliver(World& world, Partition& partition, Task& task) {
    if (task.waitpoints.empty()) return;
    const contract::Execution& e = task.execution;
    const contract::Waitpoint waitpoint = world.pick(task.waitpoints);
    const std::string id = world.uuid();
    List keys = signal_keys(partition, task, waitpoint, id);
    for (std::string key :
         {e.key("suspension:current"), e.lane_key("eligible"), e.lane_key("suspended"),
          e.lane_key("delayed"), e.index_key("suspension_timeout"),
          "ff:sec:" + partition.tag + ":waitpoint_hmac"}) {
        keys.push_back(std::move(key));
    }
    if (world.one_in(2)) keys.push_back("ff:part:" + partition.tag + ":signal_delivery");
    world.host().fcall("ff_deliver_signal", keys,
                       signal_args(world, task, waitpoint, id, idempotency_key(world)));
}

void buffer(World& world, Partition& partition, Task& task) {
    if (task.waitpoints.empty()) return;
    const contract::Waitpoint waitpoint = world.pick(task.waitpoints);
    const std::string id = world.uuid();
    List keys = signal_keys(partition, task, waitpoint, id);
    keys.push_back("ff:sec:" + partition.tag + ":waitpoint_hmac");
    world.host().fcall("ff_buffer_signal_for_pending_waitpoint", keys,
                       signal_args(world, task, waitpoint, id, idempotency_key(world)));
}

}  // namespace

void add_signal_actions(ActionTable& table) {
    using enum Stage;
    for (int i = 0; i < 4; ++i) table.add({Suspended}, deliver);
    table.add({Leased}, buffer);
}

}  // namespace ff::twin
