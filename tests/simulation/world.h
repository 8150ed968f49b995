#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/task_group.h"
#include "base/virtual_time.h"
#include "simulation/chances.h"
#include "simulation/history.h"
#include "simulation/interleaving.h"
#include "simulation/ledger.h"
#include "simulation/limits.h"
#include "simulation/planted_bugs.h"
#include "simulation/recorded_work.h"
#include "simulation/server.h"
#include "simulation/store_process.h"

namespace ff::simulation {

/// A waitpoint that somebody outside has been told of.
struct OpenDoor {
    model::ExecutionId id;
    model::WaitpointId waitpoint;
    std::string token{};
};

/// What one run came to.
struct Report {
    std::uint64_t seed = 0;
    std::uint64_t operations = 0;
    std::uint64_t store_calls = 0;
    std::uint64_t faults = 0;
    std::uint64_t digest = 0;
    Millis simulated{0};
    std::optional<Broken> broken{};
    std::vector<std::string> last{};
};

/// One run: a store, servers, and everybody who uses them, in one thread and in virtual time. First
/// there are faults, then there are none, and then everything that can end has to.
class World {
  public:
    World(Plan plan, const PlantedBug* bug);
    ~World();
    Report run();

    // What actors use.

    Chances& chances() { return chances_; }
    History& history() { return history_; }
    Ledger& ledger() { return ledger_; }
    Limits& limits() { return limits_; }
    RecordedWork& recorded() { return recorded_; }
    Interleavings& calls() { return calls_; }
    StoreProcess& process() { return process_; }
    const Plan& plan() const { return plan_; }
    /// What the crowd does now: without mischief once the faults are over.
    const CrowdPlan& crowd() const { return crowd_; }
    bool is_calm() const { return calm_; }
    bool is_over() const { return over_ || history_.is_broken(); }
    boost::asio::any_io_executor loop() { return context_.get_executor(); }
    /// One that can be asked now; empty if there is none.
    std::shared_ptr<Server> server();
    boost::asio::awaitable<void> pause(std::chrono::microseconds span) {
        return pass(loop(), span);
    }
    void note(std::string who, std::string what, std::string subject, std::string outcome) {
        history_.note({.at = ledger_.now(),
                       .who = std::move(who),
                       .what = std::move(what),
                       .subject = std::move(subject),
                       .outcome = std::move(outcome)});
    }

    /// Waitpoints that approvers know of.
    std::vector<OpenDoor> doors{};
    /// Executions that submitters have still to make; at most the plan's.
    std::uint32_t executions_left = 0;

  private:
    boost::asio::awaitable<void> live();
    void start_crowd();
    boost::asio::awaitable<void> keep_store_up();
    boost::asio::awaitable<void> keep_server_up(std::size_t place);
    /// Strikes every `every` on average, while there is chaos.
    template <class Strike>
    boost::asio::awaitable<void> strike(Millis every, Strike strike);
    void kill_servers();
    void start_faults();
    boost::asio::awaitable<void> calm_down();
    boost::asio::awaitable<void> open_lanes();
    boost::asio::awaitable<void> set_limits();
    boost::asio::awaitable<void> lift_limits();
    /// Asks a server until one has done it.
    template <class Act>
    boost::asio::awaitable<void> insist(Act act);
    bool waits_for_replay(const Subject& subject);
    boost::asio::awaitable<void> cancel_forsaken();
    void check_calls();
    /// False when something that can end has not by the end of patience.
    boost::asio::awaitable<bool> wait_for_ends();
    std::size_t unfinished(std::string& example);

    Plan plan_;
    CrowdPlan crowd_;
    boost::asio::io_context context_{1};
    VirtualTime time_{kBegin};
    Chances chances_;
    History history_{};
    StoreProcess process_;
    Ledger ledger_;
    Limits limits_;
    RecordedWork recorded_;
    Interleavings calls_{};
    std::vector<std::shared_ptr<Server>> servers_{};
    std::uint64_t store_calls_ = 0;
    bool calm_ = false;
    bool over_ = false;
    bool ended_ = false;
    TaskGroup actors_;
    TaskGroup keepers_;
};

}  // namespace ff::simulation
