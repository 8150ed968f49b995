#include "twin/actions.h"

namespace ff::twin {

void ActionTable::add(std::initializer_list<Stage> stages, Action action) {
    for (const Stage stage : stages) by_stage_[static_cast<std::size_t>(stage)].push_back(action);
    all_.push_back(action);
}

ActionTable all_actions() {
    ActionTable table;
    add_execution_actions(table);
    add_lease_actions(table);
    add_suspension_actions(table);
    add_signal_actions(table);
    add_stream_actions(table);
    add_flow_actions(table);
    add_dependency_actions(table);
    add_budget_actions(table);
    add_quota_actions(table);
    add_admission_actions(table);
    add_worker_actions(table);
    return table;
}

}  // namespace ff::twin
