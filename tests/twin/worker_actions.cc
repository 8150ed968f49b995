#include "twin/actions.h"

namespace ff::twin {
namespace {

std::string worker_key(const Partition& partition, const std::string& instance,
                       std::string_view suffix) {
    return "ff:worker:" + partition.tag + ":{" + instance + "}:" + std::string(suffix);
}

List worker_keys(const Partition& partition, const std::string& instance) {
    return {worker_key(partition, instance, "alive"), worker_key(partition, instance, "caps"),
            index_key(partition, "workers")};
}

void enrol(World& world, Partition& partition, Task&) {
    const std::string instance = "i" + world.number(5);
    world.host().fcall(
        "ff_register_worker", worker_keys(partition, instance),
        {instance, world.worker(), "lane,other", world.caps(), world.pick({"1000", "60000"}), "",
         "boot" + world.number(2), world.pick({"", "reject", "takeover"}), "4"});
}

void heartbeat(World& world, Partition& partition, Task&) {
    const std::string instance = "i" + world.number(5);
    List keys = worker_keys(partition, instance);
    keys.pop_back();
    world.host().fcall("ff_heartbeat_worker", keys, {"", "boot" + world.number(2)});
}

void mark_dead(World& world, Partition& partition, Task&) {
    const std::string instance = "i" + world.number(5);
    world.host().fcall("ff_mark_worker_dead", worker_keys(partition, instance),
                       {instance, "silent", "", world.pick({"", "boot1"})});
}

void list(World& world, Partition& partition, Task&) {
    world.host().fcall("ff_list_workers", {index_key(partition, "workers")},
                       {world.pick({"", "i2"}), world.pick({"2", "10"})});
}

List lane_config(const Partition& partition) {
    return {"ff:lane:" + partition.tag + ":config"};
}

void set_lane(World& world, Partition& partition, Task&) {
    world.host().fcall(
        "ff_set_lane", lane_config(partition),
        {partition.tag, "state", world.pick({"active", "paused", "disabled"}), "scheduling_weight",
         world.number(9), "default_policy_json", world.pick({"", R"({"priority":1})"})});
}

void delete_lane(World& world, Partition& partition, Task&) {
    world.host().fcall("ff_delete_lane", lane_config(partition), {partition.tag});
}

}  // namespace

void add_worker_actions(ActionTable& table) {
    for (const Action action :
         {enrol, enrol, heartbeat, heartbeat, mark_dead, list, set_lane, delete_lane}) {
        table.add_idle(action);
    }
}

}  // namespace ff::twin
