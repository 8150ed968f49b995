#include "twin/actions.h"

namespace ff::twin {
namespace {

constexpr std::size_t kBudgetsMax = 4;

/// Usage, limits, definition.
List usage_keys(const Partition& partition, const std::string& id) {
    return {budget_key(partition, id, ":usage"), budget_key(partition, id, ":limits"),
            budget_key(partition, id)};
}

void create(World& world, Partition& partition, Task&) {
    const bool is_new = partition.budgets.size() < kBudgetsMax;
    if (is_new) partition.budgets.push_back(world.uuid());
    const std::string id = is_new ? partition.budgets.back() : world.pick(partition.budgets);
    world.host().fcall("ff_create_budget",
                       {budget_key(partition, id), budget_key(partition, id, ":limits"),
                        budget_key(partition, id, ":usage"), index_key(partition, "budget_resets"),
                        index_key(partition, "budget_policies")},
                       {id, "lane", "main", world.pick({"strict", "advisory"}), "fail", "warn",
                        world.pick({"60000", "0", "4000"}), "", "2", "tokens", "cost",
                        world.number(3000), world.number(3000), world.number(500), "0",
                        world.pick({"", R"({"name":"n","created_by":"ann","currency":"EUR"})"})});
}

void report(World& world, Partition& partition, Task&) {
    if (partition.budgets.empty()) return;
    const std::string id = world.pick(partition.budgets);
    List args{"2", "tokens", "cost", world.number(20), world.number(20), ""};
    if (world.one_in(3)) {
        args.push_back("ff:usagededup:" + partition.tag + ":u" + world.number(30));
    }
    world.host().fcall("ff_report_usage_and_check", usage_keys(partition, id), args);
}

void spend(World& world, Partition& partition, Task& task) {
    if (partition.budgets.empty()) return;
    const std::string id = world.pick(partition.budgets);
    const std::string& e = task.execution.id();
    List keys = usage_keys(partition, id);
    keys.push_back(budget_key(partition, id, ":by_exec:" + e));
    keys.push_back(budget_key(partition, id, ":by_exec:index"));
    List args{"2", "tokens", world.number(30), "cost", world.number(9), ""};
    args.push_back(world.one_in(3) ? "ff:usagededup:" + partition.tag + ":s" + world.number(30)
                                   : "");
    args.push_back(e);
    if (world.one_in(2)) {
        args.push_back(world.pick({"", "60000"}));
        args.push_back(world.pick({"", "check", "spent"}));
    }
    world.host().fcall("ff_record_spend", keys, args);
}

void release(World& world, Partition& partition, Task& task) {
    if (partition.budgets.empty()) return;
    const std::string id = world.pick(partition.budgets);
    const std::string& e = task.execution.id();
    world.host().fcall(
        "ff_release_budget",
        {budget_key(partition, id, ":usage"), budget_key(partition, id, ":by_exec:" + e),
         budget_key(partition, id, ":by_exec:index"), budget_key(partition, id)},
        {id, e});
}

void reset(World& world, Partition& partition, Task&) {
    if (partition.budgets.empty()) return;
    const std::string id = world.pick(partition.budgets);
    world.host().fcall("ff_reset_budget",
                       {budget_key(partition, id), budget_key(partition, id, ":usage"),
                        index_key(partition, "budget_resets")},
                       {id, "", world.pick({"", "5"})});
}

void update(World& world, Partition& partition, Task&) {
    if (partition.budgets.empty()) return;
    const std::string id = world.pick(partition.budgets);
    world.host().fcall(
        "ff_update_budget",
        {budget_key(partition, id), budget_key(partition, id, ":limits"),
         budget_key(partition, id, ":usage")},
        {id, "", "ann", "why", "1", "tokens", world.number(5000), "", "strict", "fail", "warn"});
}

void get(World& world, Partition& partition, Task&) {
    if (partition.budgets.empty()) return;
    const std::string id = world.pick(partition.budgets);
    world.host().fcall("ff_get_budget",
                       {budget_key(partition, id), budget_key(partition, id, ":limits"),
                        budget_key(partition, id, ":usage")},
                       {});
}

}  // namespace

void add_budget_actions(ActionTable& table) {
    using enum Stage;
    table.add({Leased}, spend);
    table.add({Ended, Delayed}, release);
    for (const Action action : {create, report, reset, update, get}) table.add_idle(action);
}

}  // namespace ff::twin
