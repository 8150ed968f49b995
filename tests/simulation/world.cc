#include "simulation/world.h"

#include <algorithm>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>

#include "model/exec_keys.h"
#include "simulation/actor.h"
#include "simulation/inspection.h"
#include "simulation/lua_chance.h"

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;

/// Within this, once the faults are over, everything that can end has ended.
constexpr Millis kPatience = 10min;
constexpr Millis kLook = 500ms;
/// After this what still waits for a replay that nobody asks for is given up.
constexpr Millis kForsaken = 1min;

StoreProcess::Options store_options(const Plan& plan, const PlantedBug* bug) {
    StoreProcess::Options options{.shards = plan.shards, .disk = plan.disk};
    options.library = library_with(bug);
    if (bug != nullptr) options.broken = bug->place;
    return options;
}

/// Nobody means any harm, and everybody is quick.
CrowdPlan peaceful(CrowdPlan crowd) {
    crowd.forgets_reply = crowd.oversleeps = crowd.vanishes = 0;
    crowd.suspends = crowd.fails = crowd.gives_back = crowd.calls = 0;
    crowd.think = std::min<Millis>(crowd.think, 20ms);
    return crowd;
}

}  // namespace

World::World(Plan plan, const PlantedBug* bug)
    : plan_(std::move(plan)),
      crowd_(plan_.crowd),
      chances_(plan_.seed ^ 0x5eedU),
      process_(loop(), chances_, history_, store_options(plan_, bug)),
      ledger_(process_, history_),
      limits_(plan_, chances_, process_, ledger_),
      recorded_(process_, ledger_),
      actors_(loop(), "actors"),
      keepers_(loop(), "keepers") {
    decide_lua_order(plan_.seed);
    executions_left = plan_.crowd.executions;
    servers_.resize(plan_.servers);
}

World::~World() = default;

std::shared_ptr<Server> World::server() {
    std::vector<std::shared_ptr<Server>> alive;
    for (const std::shared_ptr<Server>& one : servers_)
        if (one && !one->is_dead()) alive.push_back(one);
    if (alive.empty()) return nullptr;
    return alive[chances_.below(alive.size())];
}

asio::awaitable<void> World::keep_store_up() {
    while (!ended_) {
        if (process_.life()) {
            co_await pause(20ms);
            continue;
        }
        if (!calm_) co_await pause(chances_.up_to(plan_.disk.down_for));
        if (ended_) break;
        const Result<Done> opened = process_.open();
        note("store", "open", "", outcome_of(opened));
        if (!opened.has_value()) co_await pause(1s);
    }
}

asio::awaitable<void> World::keep_server_up(std::size_t place) {
    std::uint64_t incarnation = 0;
    while (!ended_) {
        Server::Options options{.plan = plan_,
                                .seed = plan_.seed * 1000 + place * 100 + incarnation++,
                                .network = calm_ ? NetworkPlan{} : plan_.network};
        options.skew = chances_.up_to(2 * plan_.skew_most) - plan_.skew_most;
        auto server = std::make_shared<Server>(loop(), chances_, history_, process_, options);
        const Result<Done> started = co_await server->start();
        note("server", "start", std::to_string(place), outcome_of(started));
        if (started.has_value()) servers_[place] = server;
        while (started.has_value() && !ended_ && !server->link().is_cut()) co_await pause(20ms);
        servers_[place].reset();
        co_await server->stop();
        store_calls_ += server->link().calls();
        // Calls under way keep it until they have ended.
        while (server.use_count() > 1) co_await pause(5ms);
        const Millis away = calm_ ? 50ms : 1'000ms;
        if (!ended_) co_await pause(chances_.up_to(away) + 20ms);
    }
}

template <class Strike>
asio::awaitable<void> World::strike(Millis every, Strike strike) {
    while (!calm_ && every.count() > 0) {
        co_await pause(chances_.up_to(2 * every));
        if (!calm_) strike();
    }
}

void World::kill_servers() {
    for (const std::shared_ptr<Server>& server : servers_)
        if (server) server->kill();
}

void World::start_faults() {
    const DiskPlan& disk = plan_.disk;
    process_.on_death = [this](StoreProcess::Death death) {
        note("store", death == StoreProcess::Death::PowerCut ? "power cut" : "killed", "", "");
        if (plan_.one_process) kill_servers();
    };
    process_.on_leap = [this] { kill_servers(); };
    keepers_.spawn(strike(disk.kill_every, [this] { process_.die(StoreProcess::Death::Kill); }));
    keepers_.spawn(strike(plan_.server_kill_every, [this] {
        if (const std::shared_ptr<Server> victim = server()) {
            ++history_.faults;
            note("server", "killed", "", "");
            victim->kill();
        }
    }));
    keepers_.spawn(strike(disk.clock_jump_every, [this] {
        const Millis span = chances_.up_to(plan_.disk.clock_jump_most);
        const bool forth = chances_.coin();
        note("store", forth ? "clock set forward" : "clock set back", "", "");
        process_.jump_clock(forth ? span : -span);
    }));
    keepers_.spawn(
        strike(disk.log_away_every, [this] { keepers_.spawn(process_.take_log_away()); }));
    keepers_.spawn(strike(disk.full_every, [this] { process_.set_full(true); }));
    keepers_.spawn(strike(disk.full_for, [this] { process_.set_full(false); }));
    // Only a disk that is asked to sync owes anything to a machine that loses its power.
    if (disk.fsync != journal::Fsync::Always) return;
    keepers_.spawn(strike(disk.power_cut_every, [this] {
        if (chances_.coin())
            process_.lose_power_soon(20);
        else
            process_.die(StoreProcess::Death::PowerCut);
    }));
    keepers_.spawn(strike(disk.failed_sync_every, [this] { process_.fail_next_sync(); }));
}

void World::start_crowd() {
    const auto start = [this](std::uint32_t count, const std::string& name, auto actor) {
        for (std::uint32_t i = 1; i <= count; ++i)
            actors_.spawn(actor(*this, name + "-" + std::to_string(i)));
    };
    start(plan_.crowd.submitters, "submitter", submitter);
    start(plan_.crowd.workers, "worker", worker);
    start(plan_.crowd.approvers, "approver", approver);
    start(plan_.crowd.operators, "operator", operator_at_work);
    start(plan_.crowd.flow_authors, "author", flow_author);
}

asio::awaitable<void> World::calm_down() {
    calm_ = true;
    crowd_ = peaceful(crowd_);
    note("world", "calm", "", "");
    process_.set_full(false);
    for (const std::shared_ptr<Server>& one : servers_)
        if (one) one->link().set_plan({});
    // A power cut that was on its way may still come.
    if (!history_.is_broken()) co_await pause(5s);
    co_await open_lanes();
    co_await lift_limits();
}

std::size_t World::unfinished(std::string& example) {
    std::size_t count = 0;
    for (const auto& [id, subject] : ledger_.subjects()) {
        const model::ExecKeys keys(id);
        const resp::Value state = process_.look({"HGET", keys.core(), "lifecycle_phase"});
        if (state.is_null() || state.text() == "terminal") continue;
        ++count;
        example = id.to_string();
    }
    return count;
}

template <class Act>
asio::awaitable<void> World::insist(Act act) {
    while (!history_.is_broken()) {
        co_await pause(100ms);
        const std::shared_ptr<Server> one = server();
        if (!one) continue;
        auto acting = act(*one);
        const Result<Done> done = co_await std::move(acting);
        if (done.has_value()) break;
    }
}

/// Whoever paused a lane opens it again.
asio::awaitable<void> World::open_lanes() {
    for (const model::LaneId& lane : lanes_of(plan_)) {
        const auto open = [&lane](Server& one) {
            return one.services().lanes.set({.lane_id = lane, .state = sched::LaneState::Active});
        };
        co_await insist(open);
    }
}

asio::awaitable<void> World::set_limits() {
    if (!limits_.any()) co_return;
    const auto establish = [this](Server& one) { return limits_.establish(one); };
    co_await insist(establish);
}

asio::awaitable<void> World::lift_limits() {
    if (!limits_.has_budget()) co_return;
    const auto lift = [this](Server& one) { return limits_.lift(one); };
    co_await insist(lift);
}

/// Something that it depends on has not succeeded, and nobody replays that.
bool World::waits_for_replay(const Subject& subject) {
    const auto has_failed = [this](const model::ExecutionId& id) {
        const model::ExecKeys keys(id);
        return process_.look({"HGET", keys.core(), "public_state"}).text() != "completed";
    };
    const auto late = [&](const auto& edge) { return has_failed(edge.first); };
    return std::ranges::any_of(subject.upstream, has_failed) ||
           std::ranges::any_of(subject.late_upstream, late);
}

/// Whoever replayed a member and not what it depends on has to cancel it: it waits for that replay.
asio::awaitable<void> World::cancel_forsaken() {
    for (const auto& [id, subject] : ledger_.subjects()) {
        const std::shared_ptr<Server> one = server();
        if (!one || (subject.upstream.empty() && subject.late_upstream.empty())) continue;
        const model::ExecKeys keys(id);
        const resp::Value state = process_.look({"HGET", keys.core(), "public_state"});
        const resp::Value replays = process_.look({"HGET", keys.core(), "replay_count"});
        if (state.text() != "waiting_children" || replays.text().value_or("0") == "0") continue;
        if (!waits_for_replay(subject)) continue;
        Asked call(*this, id, Act::Cancel);
        auto cancelling =
            one->services().executions.cancel({.execution_id = id, .reason = "forsaken"});
        const Result<model::PublicState> cancelled = co_await std::move(cancelling);
        call.told(cancelled, true);
        note("world", "cancel forsaken", id.to_string(), outcome_of(cancelled));
        if (!process_.life()) co_return;
    }
}

asio::awaitable<bool> World::wait_for_ends() {
    const Deadline patience = Deadline::after(kPatience);
    Deadline forsaken = Deadline::after(kForsaken);
    std::string example;
    while (!history_.is_broken()) {
        co_await pause(kLook);
        if (forsaken.passed() && process_.life()) {
            co_await cancel_forsaken();
            forsaken = Deadline::after(kForsaken);
        }
        if (process_.life() && executions_left == 0 && unfinished(example) == 0) co_return true;
        if (patience.passed()) break;
    }
    if (!history_.is_broken())
        history_.broke("what can end has ended",
                       example + " is still " + describe_execution(process_, example));
    co_return false;
}

void World::check_calls() {
    if (history_.is_broken()) return;
    for (const auto& [id, subject] : ledger_.subjects())
        if (subject.ends_by_itself || subject.may_go_on) calls_.may_end_alone(id);
    if (const auto impossible = calls_.find())
        ledger_.broke("calls on one execution happen one after the other", impossible->id,
                      impossible->what);
}

asio::awaitable<void> World::live() {
    keepers_.spawn(keep_store_up());
    while (!process_.life()) co_await pause(1ms);
    for (std::size_t i = 0; i < servers_.size(); ++i) keepers_.spawn(keep_server_up(i));
    co_await set_limits();
    start_faults();
    start_crowd();
    const Deadline chaos = Deadline::after(plan_.chaos);
    while (!chaos.passed() && !history_.is_broken()) co_await pause(100ms);
    co_await calm_down();
    const bool all_ended = co_await wait_for_ends();
    over_ = true;
    co_await actors_.join();
    if (all_ended && process_.life()) {
        inspect(process_, ledger_, plan_);
        limits_.inspect();
        recorded_.inspect();
    }
    check_calls();
    ended_ = true;
    co_await keepers_.join();
    co_await process_.stop();
}

Report World::run() {
    const auto guard = asio::make_work_guard(context_);
    bool done = false;
    asio::co_spawn(context_, live(), [&done](const std::exception_ptr& thrown) {
        done = true;
        if (thrown) std::rethrow_exception(thrown);
    });
    while (!done) {
        if (context_.poll() > 0) continue;
        if (!time_.advance()) break;
    }
    FF_ASSERT(done);
    Report report{.seed = plan_.seed,
                  .operations = history_.operations(),
                  .store_calls = store_calls_,
                  .faults = history_.faults,
                  .digest = history_.digest(store_calls_),
                  .simulated = std::chrono::duration_cast<Millis>(time_.now() - kBegin),
                  .broken = history_.broken()};
    for (const History::Entry& entry : history_.last()) report.last.push_back(entry.to_text());
    return report;
}

}  // namespace ff::simulation
