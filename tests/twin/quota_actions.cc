#include "twin/actions.h"

namespace ff::twin {
namespace {

constexpr std::size_t kQuotasMax = 4;

std::string quota_key(const Partition& partition, const std::string& id,
                      std::string_view suffix = "") {
    return "ff:quota:" + partition.tag + ":" + id + std::string(suffix);
}

std::string window_key(const Partition& partition, const std::string& id) {
    return quota_key(partition, id, ":window:requests_per_window");
}

/// Window, concurrency, definition, admitted set.
List batch_keys(const Partition& partition, const std::string& id) {
    return {window_key(partition, id), quota_key(partition, id, ":concurrency"),
            quota_key(partition, id), quota_key(partition, id, ":admitted_set")};
}

void create(World& world, Partition& partition, Task&) {
    const bool is_new = partition.quotas.size() < kQuotasMax;
    if (is_new) partition.quotas.push_back(world.uuid());
    const std::string id = is_new ? partition.quotas.back() : world.pick(partition.quotas);
    world.host().fcall(
        "ff_create_quota_policy",
        {quota_key(partition, id), window_key(partition, id),
         quota_key(partition, id, ":concurrency"), quota_key(partition, id, ":admitted_set"),
         index_key(partition, "quota_policies")},
        {id, world.pick({"1", "60"}), world.number(40), world.number(20), "",
         world.pick({"", "10"}), world.pick({"", "lane"}), "main", "n"});
}

void update(World& world, Partition& partition, Task&) {
    if (partition.quotas.empty()) return;
    const std::string id = world.pick(partition.quotas);
    world.host().fcall("ff_update_quota_policy", {quota_key(partition, id)},
                       {id, "", "ann", "more", world.pick({"", "2"}), world.number(50),
                        world.number(30), "", world.pick({"", "renamed"})});
}

void attach(World& world, Partition& partition, Task&) {
    if (partition.quotas.empty()) return;
    const std::string id = world.pick(partition.quotas);
    world.host().fcall("ff_attach_quota_policy", {quota_key(partition, id)},
                       {id, "lane", world.pick({"main", "main", "other"})});
}

void check(World& world, Partition& partition, Task& task) {
    if (partition.quotas.empty()) return;
    const std::string id = world.pick(partition.quotas);
    const std::string& e = task.execution.id();
    world.host().fcall("ff_check_admission_and_record",
                       {window_key(partition, id), quota_key(partition, id, ":concurrency"),
                        quota_key(partition, id), quota_key(partition, id, ":admitted:" + e),
                        quota_key(partition, id, ":admitted_set")},
                       {"", "60", world.number(30), world.number(15), e, "10"});
}

void release(World& world, Partition& partition, Task& task) {
    if (partition.quotas.empty()) return;
    const std::string id = world.pick(partition.quotas);
    const std::string& e = task.execution.id();
    world.host().fcall(
        "ff_release_admission",
        {quota_key(partition, id, ":admitted:" + e), quota_key(partition, id, ":admitted_set"),
         quota_key(partition, id, ":concurrency"), window_key(partition, id)},
        {e, world.pick({"", "done", "rollback"})});
}

/// Up to sixteen of those that are known.
List some_ids(World& world, const Partition& partition) {
    List out;
    for (std::uint64_t i = 0; i <= world.below(16); ++i) {
        out.push_back(partition.tasks[world.below(partition.tasks.size())].execution.id());
    }
    return out;
}

void call_batch(World& world, Partition& partition, std::string_view function, List args) {
    const List ids = some_ids(world, partition);
    args.push_back(std::to_string(ids.size()));
    args.insert(args.end(), ids.begin(), ids.end());
    // Callers that know of epochs tell one for each.
    if (world.below(2) == 0) {
        for (std::size_t i = 0; i < ids.size(); ++i)
            args.push_back(world.pick({"", "1", "2", "3"}));
    }
    world.host().fcall(function, batch_keys(partition, world.pick(partition.quotas)), args);
}

void admit_batch(World& world, Partition& partition, Task&) {
    if (!partition.quotas.empty()) call_batch(world, partition, "ff_admit_batch", {""});
}

void release_batch(World& world, Partition& partition, Task&) {
    if (partition.quotas.empty()) return;
    call_batch(world, partition, "ff_release_admission_batch", {world.pick({"done", "rollback"})});
}

void reconcile(World& world, Partition& partition, Task&) {
    if (partition.quotas.empty()) return;
    const std::string id = world.pick(partition.quotas);
    List args = some_ids(world, partition);
    args.insert(args.begin(), {"", std::to_string(args.size())});
    world.host().fcall(
        "ff_reconcile_quota",
        {quota_key(partition, id), window_key(partition, id),
         quota_key(partition, id, ":concurrency"), quota_key(partition, id, ":admitted_set")},
        args);
}

void void_admission(World& world, Partition&, Task& task) {
    world.host().fcall("ff_void_admission", {task.execution.key("core")},
                       {task.execution.id(), world.pick({"1", "2", "3"})});
}

}  // namespace

void add_quota_actions(ActionTable& table) {
    using enum Stage;
    table.add({Eligible}, check);
    table.add({Ended, Delayed}, release);
    table.add({Eligible, Ended}, void_admission);
    for (const Action action : {create, update, attach, admit_batch, release_batch, reconcile}) {
        table.add_idle(action);
    }
}

}  // namespace ff::twin
