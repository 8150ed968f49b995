#include "simulation/recorded_work.h"

#include <algorithm>

#include "model/record_keys.h"

namespace ff::simulation {
namespace {

constexpr const char* kFirstStays = "the first value of a step stays";
constexpr const char* kOneChild = "a name calls one child";
constexpr const char* kAllEnded = "whoever called goes on when all children have ended";

using PayloadState = engine::ClaimedTask::PayloadState;

template <class Known, class List>
const typename List::value_type* find_named(const List& list, const Known& name) {
    const auto found = std::ranges::find(list, name, &List::value_type::name);
    return found == list.end() ? nullptr : &*found;
}

}  // namespace

bool RecordedWork::may_be_dropped(const model::ExecutionId& id) {
    return runs_most(id) > 1;
}

std::size_t RecordedWork::runs_most(const model::ExecutionId& id) {
    const auto drops = [](const KnownReplay& replay) {
        return !replay.keeps_steps && replay.ended != Timestamp::min();
    };
    const auto count = std::ranges::count_if(ledger_.subject(id).replays, drops);
    return 1 + static_cast<std::size_t>(count);
}

std::string RecordedWork::field(const std::string& key, const std::string& name) {
    return std::string(process_.look({"HGET", key, name}).text().value_or(""));
}

void RecordedWork::sent(const model::ExecutionId& id, const std::vector<engine::Step>& steps) {
    for (const engine::Step& step : steps) steps_[id][step.name].sent.insert(step.value);
}

void RecordedWork::saw_step(const model::ExecutionId& id, const std::string& name,
                            const std::string& value) {
    KnownStep& known = steps_[id][name];
    if (!known.sent.contains(value))
        ledger_.broke(kFirstStays, id, "nobody has sent the value that " + name + " has");
    if (may_be_dropped(id)) return;
    if (known.value && *known.value != value)
        ledger_.broke(kFirstStays, id,
                      name + " was " + *known.value + " and is " + value + " later");
    known.value = value;
    if (!known.told) known.told = ledger_.now();
}

void RecordedWork::recorded(const model::ExecutionId& id, const std::vector<engine::Step>& sent,
                            const engine::RecordSteps::Outcome& answers) {
    for (std::size_t i = 0; i < answers.size(); ++i) {
        const engine::RecordSteps::Answer& answer = answers[i];
        saw_step(id, sent[i].name, answer.duplicate ? answer.step.value : sent[i].value);
    }
}

void RecordedWork::brought(const model::ExecutionId& id, const std::vector<engine::Step>& steps) {
    for (const engine::Step& step : steps) {
        KnownStep& known = steps_[id][step.name];
        if (!known.told) known.told = ledger_.now();
    }
}

void RecordedWork::note_call(const model::ExecutionId& parent,
                             const engine::CallChildren::Outcome& outcome) {
    for (const auto& [name, id] : outcome.children) {
        KnownChild& known = children_[parent][name];
        known.ids.insert(id);
        known.told = ledger_.now();
        if (known.ids.size() > runs_most(parent))
            ledger_.broke(kOneChild, parent, name + " has called " + id.to_string() + ", too");
    }
}

void RecordedWork::handed_out(const engine::ClaimedTask& task, Timestamp begun) {
    check_steps(task, begun);
    check_children(task, begun);
}

void RecordedWork::check_steps(const engine::ClaimedTask& task, Timestamp begun) {
    const model::ExecutionId& id = task.execution_id;
    for (const engine::Step& step : task.steps) saw_step(id, step.name, step.value);
    if (task.steps_state == PayloadState::Omitted || may_be_dropped(id)) return;
    for (const auto& [name, known] : steps_[id])
        if (known.told && *known.told < begun && find_named(task.steps, name) == nullptr)
            ledger_.broke(kFirstStays, id, name + " was recorded and did not come with the task");
}

void RecordedWork::check_children(const engine::ClaimedTask& task, Timestamp begun) {
    const model::ExecutionId& id = task.execution_id;
    for (const engine::CalledChild& child : task.children) check_child(id, child);
    if (task.children_state == PayloadState::Omitted || may_be_dropped(id)) return;
    for (const auto& [name, known] : children_[id]) {
        if (known.told >= begun) continue;
        const engine::CalledChild* child = find_named(task.children, name);
        if (child == nullptr || child->outcome.empty())
            ledger_.broke(kAllEnded, id,
                          "it was claimed when " + name + " had " +
                              (child == nullptr ? "not been called" : "not ended"));
    }
}

/// What a caller is told of a child is what the child's records say.
void RecordedWork::check_child(const model::ExecutionId& parent, const engine::CalledChild& child) {
    const auto id = model::ExecutionId::parse(child.execution_id);
    if (!id.has_value() || !process_.life() || child.outcome.empty()) return;
    const model::ExecKeys keys(*id);
    if (!ledger_.subject(*id).replays.empty()) return;
    const std::string outcome = field(keys.core(), "terminal_outcome");
    if (outcome != child.outcome)
        ledger_.broke(kAllEnded, parent,
                      "it was told that " + child.name + " is " + child.outcome + ", which is " +
                          (outcome.empty() ? "not so" : outcome));
    const resp::Value result = process_.look({"GET", keys.result()});
    if (child.outcome == "success" && result.text().value_or("") != child.result)
        ledger_.broke("payloads and results come back byte for byte", *id,
                      "its caller was told another result");
}

void RecordedWork::inspect_steps(const model::ExecutionId& id) {
    const model::ExecKeys keys(id);
    const std::string key = model::RecordKeys(keys).steps();
    for (const auto& [name, known] : steps_[id]) {
        const resp::Value value = process_.look({"HGET", key, "v:" + name});
        if (!value.is_null()) saw_step(id, name, std::string(*value.text()));
        if (value.is_null() && known.told && !may_be_dropped(id))
            ledger_.broke(kFirstStays, id, name + " was recorded and is not there");
    }
    const std::size_t fields = process_.look({"HGETALL", key}).items().size() / 2;
    const std::string count = field(keys.core(), "step_count");
    // Of each its place in the order, what is told of it, and its value.
    if (fields != 3 * (count.empty() ? 0 : std::stoull(count)))
        ledger_.broke(kFirstStays, id,
                      "it counts " + count + " steps in " + std::to_string(fields) + " fields");
}

/// Also children that nobody was told of: each parent, run and name has one at most, and none is
/// waited for any more.
void RecordedWork::inspect_created() {
    std::map<Name, std::size_t> created;
    std::vector<std::string> cores;
    process_.each_key([&](std::string_view key) {
        if (key.starts_with("ff:exec:") && key.ends_with(":core")) cores.emplace_back(key);
        if (key.ends_with(":children:pending")) ledger_.left_over(std::string(key));
    });
    for (const std::string& core : cores) {
        const std::string live = field(core, "called_live");
        if (!live.empty() && live != "0")
            ledger_.broke("nothing is left over",
                          *model::ExecutionId::parse(field(core, "execution_id")),
                          live + " children of it are counted as alive");
        const std::string parent = field(core, "called_by");
        if (parent.empty()) continue;
        const auto id = model::ExecutionId::parse(parent);
        const std::string name = field(core, "called_as");
        if (++created[{*id, name}] > runs_most(*id))
            ledger_.broke(kOneChild, *id, name + " has called more than one");
    }
}

void RecordedWork::inspect() {
    for (auto& [id, known] : steps_) inspect_steps(id);
    inspect_created();
}

}  // namespace ff::simulation
