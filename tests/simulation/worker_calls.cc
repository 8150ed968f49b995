#include <array>

#include "model/exec_keys.h"
#include "simulation/worker.h"

// What a worker records for whoever goes on, and the children it calls.

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

constexpr int kTriesMost = 3;
constexpr std::array kNames = {"a", "b", "c", "d"};

}  // namespace

/// Each value is another one, so that it tells who has sent it.
std::vector<engine::Step> Worker::draw_steps(const Task& task) {
    Chances& chances = world_.chances();
    std::vector<engine::Step> steps;
    for (std::uint64_t left = chances.between(1, 3); left > 0; --left)
        steps.push_back({.name = kNames[chances.below(kNames.size())],
                         .value = name_ + "/" + std::to_string(++drawn_),
                         .encoding = chances.coin() ? "json" : ""});
    world_.recorded().sent(task.id, steps);
    return steps;
}

asio::awaitable<void> Worker::record_steps(Task& task) {
    const std::vector<engine::Step> steps = draw_steps(task);
    for (int tries = 0; tries < kTriesMost; ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(1);
        const Timestamp begun = world_.ledger().now();
        engine::RecordSteps request{.execution_id = task.id, .fence = task.fence, .steps = steps};
        auto recording = server->services().work.record_steps(std::move(request));
        const Result<engine::RecordSteps::Outcome> answers = co_await std::move(recording);
        if (forgets()) continue;
        learn(task, "steps", answers, begun, false);
        if (answers.has_value()) world_.recorded().recorded(task.id, steps, *answers);
        if (answers.has_value() || seen_of(answers) == Seen::Refused) co_return;
        if (answers.error().code == "store_full") co_return;
    }
}

/// The same name means the same work.
const std::string& Worker::lane_of_child(const std::string& name) {
    const std::vector<std::string>& lanes = world_.plan().lanes;
    return lanes[static_cast<std::size_t>(name.front() - 'a') % lanes.size()];
}

service::CallRequest Worker::draw_call(const Task& task) {
    Chances& chances = world_.chances();
    service::CallRequest request{.execution_id = task.id,
                                 .fence = task.fence,
                                 .continue_on_failure = chances.coin(),
                                 .steps = task.steps};
    const std::uint64_t count = chances.between(1, 3);
    const std::uint64_t first = chances.below(kNames.size());
    for (std::uint64_t i = first; i < first + count; ++i) {
        const std::string name = kNames[i % kNames.size()];
        service::CalledExecution child{
            .name = name,
            .execution_kind =
                std::string(task.kind == "work" ? RecordedWork::kCalled : RecordedWork::kLeaf),
            .lane = *model::LaneId::parse(lane_of_child(name)),
            .payload = RecordedWork::payload_of(task.id, name)};
        request.children.push_back(std::move(child));
    }
    return request;
}

asio::awaitable<bool> Worker::call_children(Task& task) {
    const service::CallRequest request = draw_call(task);
    Subject& parent = world_.ledger().subject(task.id);
    // It goes on when its children have ended, or ends with the first that fails.
    parent.may_go_on = parent.ends_by_itself = true;
    for (int tries = 0; tries < kTriesMost; ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(request.children.size());
        const Timestamp begun = world_.ledger().now();
        Asked call = asked(task, Act::GiveBack);
        auto calling = server->services().executions.call_children(request);
        const Result<engine::CallChildren::Outcome> outcome = co_await std::move(calling);
        call.told(outcome, outcome.has_value() && outcome->replayed);
        if (forgets()) continue;
        learn(task, "call", outcome, begun, outcome.has_value() && outcome->replayed);
        const auto lane_of = [this](const std::string& name) { return lane_of_child(name); };
        if (outcome.has_value()) {
            world_.recorded().called(task.id, *outcome, lane_of);
            world_.recorded().brought(task.id, task.steps);
            co_return true;
        }
        if (outcome.error().code == "store_full") co_return false;
        if (seen_of(outcome) != Seen::Refused) continue;
        // A replay forgets its children, and with them the first answer.
        if (world_.ledger().subject(task.id).replays.empty())
            check_repetition(task, outcome.error());
        co_return true;
    }
    co_return true;
}

}  // namespace ff::simulation
