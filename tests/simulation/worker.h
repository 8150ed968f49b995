#pragma once

#include <optional>
#include <string>
#include <vector>

#include "simulation/actor.h"

namespace ff::simulation {

/// One worker: claims, handles what it gets one after the other, and is not to be relied on.
class Worker {
  public:
    Worker(World& world, std::string name);
    boost::asio::awaitable<void> run();

  private:
    /// A task in hand, and what has been sent about it.
    struct Task {
        model::ExecutionId id;
        model::LaneId lane;
        engine::Fence fence;
        model::AttemptIndex attempt{};
        std::string kind{};
        std::string result{};
        /// Recorded along with what gives the task up.
        std::vector<engine::Step> steps{};
    };

    boost::asio::awaitable<std::vector<Task>> claim();
    std::vector<Task> take(const std::vector<service::ClaimedWork>& works, Timestamp begun);
    /// What a call took, for the answer to the same call sent again.
    void remember(const std::vector<service::ClaimedWork>& works, Call::Moment begun);
    void compare(const std::string& claim_id, const std::vector<service::ClaimedWork>& works,
                 Timestamp begun);
    service::WorkRequest request(Millis wait);
    boost::asio::awaitable<void> handle(Task& task);
    boost::asio::awaitable<void> finish(Task& task);
    boost::asio::awaitable<void> complete_together(std::vector<Task> tasks);

    boost::asio::awaitable<void> renew(Task& task);
    boost::asio::awaitable<void> append(Task& task);
    boost::asio::awaitable<void> report_progress(Task& task);
    boost::asio::awaitable<void> report_usage(Task& task);
    boost::asio::awaitable<void> complete(Task& task);
    boost::asio::awaitable<void> fail(Task& task);
    boost::asio::awaitable<void> give_back(Task& task);
    /// True for an answer that needs no repetition. `until` is what it told.
    bool gave_back(const Task& task, const std::string& act,
                   const Result<engine::DelayExecution::Outcome>& outcome, Timestamp begun);
    boost::asio::awaitable<void> suspend(Task& task);
    std::vector<engine::Step> draw_steps(const Task& task);
    boost::asio::awaitable<void> record_steps(Task& task);
    service::CallRequest draw_call(const Task& task);
    const std::string& lane_of_child(const std::string& name);
    /// False when nothing was given up by it.
    boost::asio::awaitable<bool> call_children(Task& task);

    bool waits_at(const Task& task, const std::string& waitpoint);
    /// The store knows that this lease was given up by its own worker.
    bool has_released(const Task& task);
    void check_repetition(const Task& task, const Error& refusal);
    bool has_appended(const Task& task, std::int64_t seq);
    /// The server to ask next; waits a moment if there is none.
    boost::asio::awaitable<std::shared_ptr<Server>> any_server();
    Asked asked(const Task& task, Act act) {
        return {world_, task.id, act, task.fence.lease_epoch.value};
    }
    bool forgets() { return world_.chances().happens(world_.crowd().forgets_reply); }
    template <class T>
    void learn(const Task& task, const std::string& act, const Result<T>& result, Timestamp begun,
               bool replayed);
    static KnownReport::Told told_of(const std::vector<service::BudgetVerdict>& verdicts,
                                     bool first);
    engine::CompleteExecution completion(const Task& task) const;
    void completed(const Task& task, const Result<engine::CompleteExecution::Outcome>& outcome,
                   Timestamp begun);

    World& world_;
    std::string name_;
    model::WorkerId id_;
    model::WorkerInstanceId instance_;
    /// Of the claim under way: what answers that were not seen told.
    std::vector<model::ExecutionId> unseen_{};
    Timestamp unseen_since_{};
    std::uint64_t claims_ = 0;
    std::uint64_t drawn_ = 0;
};

template <class T>
void Worker::learn(const Task& task, const std::string& act, const Result<T>& result,
                   Timestamp begun, bool replayed) {
    world_.note(name_, act, task.id.to_string(), outcome_of(result) + (replayed ? " again" : ""));
    if (result.has_value() && !replayed) world_.ledger().accepted(task.id, task.fence, begun, act);
    if (result.has_value()) return;
    if (says_fenced(result.error())) world_.ledger().fenced(task.id, task.fence, act);
    const bool grows = act == "append" || act == "steps" || act == "call";
    if (result.error().code == "store_full" && !grows)
        world_.ledger().broke("a full store lets work end", task.id, act + " was refused");
}

}  // namespace ff::simulation
