// Many claimers, creators and completers at once, with leases that run out, are revoked and are
// cancelled at random; every acknowledged answer is written down, and afterwards the history and
// the store must tell the same story.

#include <chrono>
#include <cstdlib>
#include <iostream>
#include <map>
#include <random>
#include <set>

#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

#include "base/task_group.h"
#include "engine/claim_batch.h"
#include "engine/create_execution.h"
#include "engine/end_execution.h"
#include "engine/lease.h"
#include "engine/retain_execution.h"
#include "sched/world.h"

namespace ff::testing {
namespace {

using SteadyClock = std::chrono::steady_clock;

std::chrono::seconds duration() {
    const bool soak = std::getenv("FF_SOAK") != nullptr;  // NOLINT(concurrency-mt-unsafe)
    return std::chrono::seconds(soak ? 60 : 4);
}

std::uint64_t seed() {
    const char* given = std::getenv("FF_SEED");  // NOLINT(concurrency-mt-unsafe)
    return given != nullptr ? std::strtoull(given, nullptr, 10) : std::random_device{}();
}

/// All that was acknowledged.
struct History {
    std::set<std::string> created{};
    /// By execution: the epochs of its leases.
    std::map<std::string, std::set<std::uint64_t>> epochs{};
    std::set<std::string> completed{};
    std::set<std::string> cancelled{};
    std::vector<std::string> faults{};
};

class Crowd {
  public:
    Crowd(World& world, model::LaneId lane, std::uint64_t seed_value)
        : world_(world), lane_(std::move(lane)), random_(seed_value) {}

    void run_all() {
        until_ = SteadyClock::now() + duration();
        TaskGroup group(world_.loop().get_executor(), "crowd");
        for (int i = 0; i < 8; ++i) group.spawn(create_tasks());
        for (int i = 0; i < 32; ++i) group.spawn(claim_tasks(i));
        for (int i = 0; i < 2; ++i) group.spawn(disturb());
        run(world_.loop(), group.join(), Millis(duration()) + kPatience);
    }
    History& history() { return history_; }

  private:
    bool over() const { return SteadyClock::now() >= until_; }

    boost::asio::awaitable<void> pause(Millis span) {
        boost::asio::steady_timer timer(world_.loop(), span);
        co_await timer.async_wait(boost::asio::use_awaitable);
    }

    boost::asio::awaitable<void> create_tasks() {
        while (!over()) {
            engine::CreateExecution task = world_.task(lane_);
            const std::string id = task.execution_id.to_string();
            auto created = co_await engine::run(world_.store(), std::move(task));
            if (created.has_value()) history_.created.insert(id);
            if (history_.created.size() > history_.completed.size() + 200) {
                co_await pause(Millis(5));
            }
        }
    }

    engine::ClaimBatch claim_for(int worker) {
        engine::ClaimBatch claim{
            .partition = model::PartitionKey::flow(
                world_.partitioner().partition(lane_, world_.partitions())),
            .worker_id = *model::WorkerId::parse("pool"),
            .worker_instance_id = *model::WorkerInstanceId::parse("w" + std::to_string(worker)),
            .lane = lane_,
            .lease_ttl = random_.below(4) == 0 ? Millis(1) : Millis(10'000)};
        const std::uint64_t tasks = 1 + random_.below(4);
        for (std::uint64_t i = 0; i < tasks; ++i) {
            claim.leases.push_back({.lease_id = model::LeaseId::mint(random_),
                                    .attempt_id = model::AttemptId::mint(random_)});
        }
        return claim;
    }

    boost::asio::awaitable<void> claim_tasks(int worker) {
        while (!over()) {
            engine::ClaimBatch claim = claim_for(worker);
            auto batch = co_await engine::run(world_.store(), std::move(claim));
            if (!batch.has_value()) {
                history_.faults.push_back("claim: " + batch.error().text());
                co_return;
            }
            const Millis idle(batch->claimed.empty() ? 2 : 0);
            co_await pause(idle);
            for (const engine::ClaimedTask& task : batch->claimed) {
                const std::string id = task.execution_id.to_string();
                if (!history_.epochs[id].insert(task.fence.lease_epoch.value).second) {
                    history_.faults.push_back("two leases of one epoch: " + id);
                }
                last_claimed_ = id;
            }
            for (const engine::ClaimedTask& task : batch->claimed) {
                const std::string id = task.execution_id.to_string();
                const Millis work(random_.below(8) == 0 ? 3 : 0);
                co_await pause(work);
                if (random_.below(10) == 0) continue;  // a worker that dies with its lease
                engine::CompleteExecution complete{
                    .execution_id = task.execution_id, .fence = task.fence, .result = "r"};
                auto completed = co_await engine::run(world_.store(), std::move(complete));
                if (!completed.has_value()) continue;
                if (!history_.completed.insert(id).second) {
                    history_.faults.push_back("completed twice: " + id);
                }
            }
        }
    }

    boost::asio::awaitable<void> disturb() {
        while (!over()) {
            co_await pause(Millis(2));
            const auto id = model::ExecutionId::parse(last_claimed_);
            if (!id.has_value()) continue;
            if (random_.below(2) == 0) {
                engine::RevokeLease revoke{.execution_id = *id};
                auto revoked = co_await engine::run(world_.store(), std::move(revoke));
                (void)revoked;
                continue;
            }
            engine::CancelExecution cancel{.execution_id = *id, .source = "operator_override"};
            auto cancelled = co_await engine::run(world_.store(), std::move(cancel));
            if (cancelled.has_value()) history_.cancelled.insert(id->to_string());
        }
    }

    World& world_;
    model::LaneId lane_;
    SeededRandom random_;
    SteadyClock::time_point until_{};
    History history_{};
    std::string last_claimed_{};
};

class LeaseHistory : public ::testing::TestWithParam<std::string> {};

void check_execution(World& world, const History& history, const std::string& text) {
    const auto id = *model::ExecutionId::parse(text);
    const auto found = history.epochs.find(text);
    const std::set<std::uint64_t> epochs =
        found == history.epochs.end() ? std::set<std::uint64_t>() : found->second;
    // No gap: every lease counts one up from the one before.
    EXPECT_TRUE(epochs.empty() || *epochs.rbegin() == epochs.size()) << text;
    EXPECT_EQ(world.core_field(id, "current_lease_epoch"), std::to_string(epochs.size())) << text;
    const std::string outcome = world.core_field(id, "terminal_outcome");
    if (history.completed.contains(text)) {
        EXPECT_EQ(outcome, "success") << text;
    } else if (history.cancelled.contains(text)) {
        EXPECT_EQ(outcome, "cancelled") << text;
    } else {
        EXPECT_EQ(outcome, "none") << text;
    }
    const auto index =
        world.must(engine::ReconcileExecutionIndex{.execution_id = id, .check_only = true});
    EXPECT_EQ(index.result, "consistent")
        << text << ": " << ::testing::PrintToString(index.indexes);
}

TEST_P(LeaseHistory, TellsTheSameStoryAsTheStore) {
    World& world = world_of(GetParam());
    const std::uint64_t chosen = seed();
    std::cout << "FF_SEED=" << chosen << "\n";
    Crowd crowd(world, world.lane(GetParam()), chosen);
    crowd.run_all();
    const History& history = crowd.history();
    for (const std::string& fault : history.faults) ADD_FAILURE() << fault;
    EXPECT_GT(history.completed.size(), 50U);
    for (const std::string& id : history.created) check_execution(world, history, id);
}

INSTANTIATE_TEST_SUITE_P(Hosts, LeaseHistory, ::testing::Values("embedded", "valkey"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
