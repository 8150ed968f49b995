#pragma once

#include <array>
#include <initializer_list>
#include <vector>

#include "twin/world.h"

namespace ff::twin {

/// One thing somebody asks for: of this task, or of its partition.
using Action = void (*)(World& world, Partition& partition, Task& task);

/// What is asked of a task at each stage of its life.
class ActionTable {
  public:
    void add(std::initializer_list<Stage> stages, Action action);
    /// For what is no matter of one task.
    void add_idle(Action action) { idle_.push_back(action); }

    const std::vector<Action>& of(Stage stage) const {
        return by_stage_[static_cast<std::size_t>(stage)];
    }
    const std::vector<Action>& idle() const { return idle_; }
    const std::vector<Action>& all() const { return all_; }

  private:
    std::array<std::vector<Action>, kStages> by_stage_{};
    std::vector<Action> idle_{};
    std::vector<Action> all_{};
};

void add_execution_actions(ActionTable& table);
void add_lease_actions(ActionTable& table);
void add_suspension_actions(ActionTable& table);
void add_signal_actions(ActionTable& table);
void add_stream_actions(ActionTable& table);
void add_flow_actions(ActionTable& table);
void add_dependency_actions(ActionTable& table);
void add_budget_actions(ActionTable& table);
void add_quota_actions(ActionTable& table);
void add_admission_actions(ActionTable& table);
void add_worker_actions(ActionTable& table);

ActionTable all_actions();

}  // namespace ff::twin
