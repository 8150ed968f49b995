#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/calls.h"
#include "engine/claim_batch.h"
#include "engine/steps.h"
#include "simulation/ledger.h"

namespace ff::simulation {

/// What executions have recorded and called, and what was promised about it: the first value of a
/// step stays, a name calls one child, and whoever called goes on when all children have ended and
/// is told how.
class RecordedWork {
  public:
    RecordedWork(StoreProcess& process, Ledger& ledger) : process_(process), ledger_(ledger) {}

    /// Of an execution that another one called; those of kind `kLeaf` call nobody.
    static constexpr std::string_view kCalled = "called";
    static constexpr std::string_view kLeaf = "leaf";

    /// These values are on their way.
    void sent(const model::ExecutionId& id, const std::vector<engine::Step>& steps);
    void recorded(const model::ExecutionId& id, const std::vector<engine::Step>& sent,
                  const engine::RecordSteps::Outcome& answers);
    /// A call that took them along was accepted: each name has a value.
    void brought(const model::ExecutionId& id, const std::vector<engine::Step>& steps);

    static std::string payload_of(const model::ExecutionId& parent, const std::string& name) {
        return "child " + name + " of " + parent.to_string();
    }
    /// A call was accepted. `lane_of` tells where the child of a name belongs.
    template <class LaneOf>
    void called(const model::ExecutionId& parent, const engine::CallChildren::Outcome& outcome,
                LaneOf lane_of) {
        for (const auto& [name, id] : outcome.children) {
            Subject& subject = ledger_.subject(id);
            subject.lane = lane_of(name);
            subject.payload = payload_of(parent, name);
            subject.known = subject.acknowledged = true;
            subject.ends_by_itself = true;
        }
        note_call(parent, outcome);
    }

    /// What came along with a task.
    void handed_out(const engine::ClaimedTask& task, Timestamp begun);
    /// At the end, when nothing runs any more.
    void inspect();

  private:
    struct KnownStep {
        std::set<std::string> sent{};
        std::optional<std::string> value{};
        /// When somebody was told that there is one.
        std::optional<Timestamp> told{};
    };
    struct KnownChild {
        std::set<model::ExecutionId> ids{};
        /// When its caller was told that it waits for it, or has no need to.
        Timestamp told{};
    };
    using Name = std::pair<model::ExecutionId, std::string>;

    /// A replay may have dropped what was recorded and called before.
    bool may_be_dropped(const model::ExecutionId& id);
    std::size_t runs_most(const model::ExecutionId& id);
    void note_call(const model::ExecutionId& parent, const engine::CallChildren::Outcome& outcome);
    /// Whoever tells a value tells the first one.
    void saw_step(const model::ExecutionId& id, const std::string& name, const std::string& value);
    void check_steps(const engine::ClaimedTask& task, Timestamp begun);
    void check_children(const engine::ClaimedTask& task, Timestamp begun);
    void check_child(const model::ExecutionId& parent, const engine::CalledChild& child);
    void inspect_steps(const model::ExecutionId& id);
    void inspect_created();
    std::string field(const std::string& key, const std::string& name);

    StoreProcess& process_;
    Ledger& ledger_;
    std::map<model::ExecutionId, std::map<std::string, KnownStep>> steps_{};
    std::map<model::ExecutionId, std::map<std::string, KnownChild>> children_{};
};

}  // namespace ff::simulation
