#pragma once

#include <any>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <stop_token>
#include <string>
#include <thread>
#include <typeindex>
#include <vector>

#include "flowfabric/runtime.h"
#include "sdk/claim_ahead.h"
#include "sdk/task_state.h"
#include "sdk/worker_core.h"

namespace ff::sdk {

/// The threads behind a Runtime. A *turner* (the thread of run is one) sends what is finished and
/// claims work for the free hands in the same call, without waiting; where handlers are short there
/// are several, one of which gathers results while the calls of the others are under way. When a
/// turner finds the queue drained, the *waiter* asks for work with a long poll; *hands* run the
/// handlers. A thread is woken only for something to do: with short handlers, switching threads
/// would cost more than everything else that this process does for a task.
class RuntimeCore {
  public:
    explicit RuntimeCore(flowfabric::Worker worker) : worker(std::move(worker)) {}
    ~RuntimeCore();

    flowfabric::Result<flowfabric::Done> run();
    void start();
    void stop(flowfabric::Millis drain_timeout);

    // Set before run().
    flowfabric::Worker worker;
    std::map<std::string, flowfabric::Handler> handlers{};
    std::map<std::type_index, std::any> data{};
    std::size_t limit = 64;
    flowfabric::Backoff backoff{};
    flowfabric::UnknownKind unknown_kind = flowfabric::UnknownKind::Fail;

  private:
    using State = std::shared_ptr<TaskState>;
    struct Ready {
        State task{};
        std::chrono::steady_clock::time_point since{};
    };
    struct Finished {
        State task{};
        std::optional<flowfabric::Bytes> result{};
    };

    /// Those that claims ask for; none where unknown ones are to fail, or where they are too many.
    std::vector<std::string> wanted_kinds() const;
    void wait_for_work();
    void work();
    void handle(const State& state);
    flowfabric::HandlerResult call_handler(const flowfabric::Handler& handler,
                                           flowfabric::Task& task, std::string& category);
    void fail(flowfabric::Task& task, const std::string& reason, const std::string& category);
    /// Waits for a reason to take a turn; false when the run ends. All turners but the first take
    /// part only while work is claimed ahead.
    bool wait_for_turn(bool first);
    /// Until there is something to send or to claim, or the run ends.
    void wait_for_reason(std::unique_lock<std::mutex>& lock);
    /// Releases what was claimed before then and not begun.
    void give_back_ready(std::unique_lock<std::mutex>& lock,
                         std::chrono::steady_clock::time_point before);
    void give_back_stale(std::unique_lock<std::mutex>& lock);
    void turn();
    /// `most`: how many tasks the turn may claim.
    std::vector<Finished> take_finished(bool& claim, std::size_t& most);
    /// False when the error ends the run.
    bool recover(const flowfabric::Error& error);
    void settle(std::vector<Finished> sent,
                const std::vector<std::optional<flowfabric::Error>>& outcomes);

    // Under the lock:
    /// Hands the tasks out.
    void give_out(std::vector<State> tasks);
    void wake_hands();
    /// Wakes the turner or the waiter, whoever can use a free place now.
    void tell_of_room();
    void tell_of_results();
    void tell_turner();
    bool has_gathered() const;
    /// How many tasks one turn completes and claims.
    std::size_t turn_most() const;
    bool has_room() { return worker.core()->capacity().free() > 0; }

    std::vector<Capacity::Permit> take_permits(std::size_t most);
    void drain();
    void join();

    std::mutex mutex_{};
    std::condition_variable changed_{};
    std::condition_variable gate_{};
    std::condition_variable turner_{};
    std::condition_variable waiter_{};
    std::condition_variable hands_{};
    // Under the mutex:
    /// The oldest first.
    std::deque<Ready> ready_{};
    std::optional<ClaimAhead> ahead_{};
    std::vector<Finished> finished_{};
    std::set<State> running_{};
    std::size_t idle_hands_ = 0;
    /// Of the idle hands and those being made, how many are on their way to work.
    std::size_t coming_hands_ = 0;
    /// One at a time.
    bool turner_waits_ = false;
    std::size_t last_sent_ = 0;
    std::chrono::steady_clock::duration last_took_{};
    /// How many results the turner waits for.
    std::size_t gather_for_ = 1;
    bool hungry_ = true;
    bool stopping_ = false;
    bool closed_ = false;
    bool ran_ = false;
    bool returned_ = true;
    std::chrono::steady_clock::time_point drain_until_{};
    std::optional<flowfabric::Error> ended_with_{};

    flowfabric::Millis pause_{0};
    std::stop_source stop_claims_{};
    std::vector<std::jthread> threads_{};
    std::jthread runner_{};
};

}  // namespace ff::sdk
