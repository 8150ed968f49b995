#include <set>

#include "engine/change_execution.h"
#include "engine/end_execution.h"
#include "engine/retain_execution.h"
#include "engine/stream.h"
#include "engine/waitpoint.h"
#include "host/embedded_store.h"
#include "model/flow_keys.h"
#include "model/global_keys.h"
#include "scan/scan_world.h"
#include "sched/wake_listener.h"

namespace ff::testing {
namespace {

using scan::Kind;

class Ch07Indexes : public ScanTest {
  protected:
    /// Every key of the store whose name contains the text.
    std::set<std::string> keys_with(const std::string& text) {
        std::set<std::string> found;
        if (auto* embedded = dynamic_cast<host::EmbeddedStore*>(&world.store())) {
            for (const host::KeyFacts& key : embedded->keys()) {
                if (key.key.find(text) != std::string::npos) found.insert(key.key);
            }
            return found;
        }
        const store::Reply keys = world.command({"KEYS", "*" + text + "*"});
        for (const store::Reply& key : keys.items()) found.emplace(key.text().value_or(""));
        return found;
    }
    model::ExecutionId create_tagged(const model::LaneId& lane, const std::string& ns) {
        auto task = world.task(lane);
        task.ns = *model::Namespace::parse(ns);
        task.tags_json = R"({"team":"blue"})";
        return world.create(std::move(task));
    }
    /// Done by a worker, with a stream, a waitpoint and a result.
    model::ExecutionId finish_with_everything(const model::LaneId& lane, Millis retention) {
        auto task = world.task(lane);
        task.ns = *model::Namespace::parse("kept");
        task.tags_json = R"({"team":"blue"})";
        task.policy_json = R"({"retention_ms":)" + std::to_string(retention.count()) + "}";
        task.idempotency_key =
            model::IdempotencyKey::parse("once-" + lane.text() + std::to_string(retention.count()))
                .value();
        const auto id = world.create(std::move(task));
        const auto held = claim_one(lane, id);
        world.must(engine::InitWaitpointSecret{
            .partition = id.partition(), .kid = "k1", .secret_hex = std::string(64, 'a')});
        const auto waitpoint = model::WaitpointId::mint(world.random());
        marks[id] = {id.uuid().to_string(), waitpoint.to_string(),
                     "once-" + lane.text() + std::to_string(retention.count())};
        world.must(
            engine::CreatePendingWaitpoint{.execution_id = id,
                                           .attempt_index = held.attempt_index,
                                           .waitpoint_id = waitpoint,
                                           .waitpoint_key = *model::WaitpointKey::parse("wpk:z"),
                                           .expires_at = model::DueTime::after(Millis(3'600'000)),
                                           .fence = held.fence});
        engine::AppendFrames frames{
            .stream = {.execution_id = id, .attempt_index = held.attempt_index},
            .fence = held.fence};
        frames.frames.push_back({.type = "token", .payload = "x"});
        world.must(std::move(frames));
        world.must(
            engine::CompleteExecution{.execution_id = id, .fence = held.fence, .result = "done"});
        return id;
    }
    /// Every key of an execution: those named after it, its waitpoint and its idempotency key.
    std::set<std::string> keys_of(const model::ExecutionId& id) {
        std::set<std::string> all;
        for (const std::string& mark : marks[id]) all.merge(keys_with(mark));
        return all;
    }

    std::map<model::ExecutionId, std::vector<std::string>> marks{};
};

TEST_P(Ch07Indexes, S39_WorkThatFellOutOfItsQueueIsPutBackAndClaimed) {
    const auto lane = world.lane("lost");
    lanes = {lane};
    auto claimer = world.claimer();
    sched::WakeListener wakes(world.loop().get_executor(), world.store(), *claimer);
    wakes.start();
    // Once without work: it waits and is woken by the repair, nothing else.
    const auto id = world.create(lane);
    world.command({"ZREM", model::IndexKeys(solo(lane)).lane(lane).eligible(), id.to_string()});
    scanners = make();
    auto request = world.request({lane});
    request.wait = Millis(9'000);
    bool claimed = false;
    const auto take = [&]() -> boost::asio::awaitable<Done> {
        const auto tasks = co_await claimer->claim(std::move(request));
        claimed = tasks.has_value() && tasks->size() == 1 && tasks->front().task.execution_id == id;
        co_return Done{};
    };
    const auto repair = [&]() -> boost::asio::awaitable<Done> {
        const auto done = co_await scanners->run_once(Kind::IndexReconciler);
        EXPECT_TRUE(done.has_value());
        co_return Done{};
    };
    auto state = std::make_shared<RunState<Done>>();
    boost::asio::co_spawn(world.loop(), keep_value(take(), state),
                          [state](const std::exception_ptr& thrown) {
                              state->failure = thrown;
                              state->ended = true;
                          });
    ASSERT_TRUE(until([&] { return claimer->waiting() == 1; }));
    run(world.loop(), repair());
    EXPECT_TRUE(until([&] { return state->ended; }));
    EXPECT_TRUE(claimed);
    EXPECT_GE(probe.repaired["eligible"], 1);
    claimer->stop();
    run(world.loop(), wakes.stop());
}

TEST_P(Ch07Indexes, S60_ListingsByNamespaceAndTagAreRepaired) {
    const auto lane = world.lane("listed");
    lanes = {lane};
    const auto id = create_tagged(lane, "listing");
    const auto ns = *model::Namespace::parse("listing");
    const std::string by_ns = model::namespace_executions_key(ns);
    const std::string by_tag = model::tag_key(ns, "team", "blue");
    const auto gone = world.task(lane).execution_id;
    world.command({"ZADD", by_ns, "5", gone.to_string()});
    world.command({"SADD", model::kNamespacesKey, "listing"});
    cycle(Kind::IndexReconciler);
    EXPECT_TRUE(has(by_ns, id.to_string()));
    const std::string created = field(id, "created_at");
    EXPECT_EQ(world.command({"ZCOUNT", by_ns, created, created}).to_integer(), 1);
    EXPECT_EQ(world.command({"SISMEMBER", by_tag, id.to_string()}).to_integer(), 1);
    EXPECT_FALSE(has(by_ns, gone.to_string()));
    world.command({"DEL", by_ns});
}

/// A lane that was deleted under somebody's feet comes back; one whose work is over does not.
TEST_P(Ch07Indexes, TheLanesOfUnfinishedWorkAreKnown) {
    const auto used = world.lane("used");
    const auto over = world.lane("over");
    world.create(used);
    const auto ended = world.create(over);
    complete(claim_one(over, ended));
    scan::Options options;
    options.secondary_indexes = false;
    scanners = make(std::move(options));
    cycle(Kind::IndexReconciler);
    const auto known = [&](const model::LaneId& lane) {
        return world.command({"SISMEMBER", model::kLanesKey, lane.text()}).to_integer();
    };
    EXPECT_EQ(known(used), 1);
    EXPECT_EQ(known(over), 0);
    world.command({"SREM", model::kLanesKey, used.text()});
}

TEST_P(Ch07Indexes, ListingsAreLeftAloneWhenTheyAreOff) {
    const auto lane = world.lane("unlisted");
    lanes = {lane};
    create_tagged(lane, "unlisted");
    scan::Options options;
    options.secondary_indexes = false;
    scanners = make(std::move(options));
    cycle(Kind::IndexReconciler);
    EXPECT_TRUE(keys_with("ff:ns:unlisted:").empty());
    EXPECT_TRUE(keys_with("ff:tag:unlisted:").empty());
}

TEST_P(Ch07Indexes, S40_RetentionRemovesEveryKeyOfWhatIsDueAndNothingElse) {
    const auto lane = world.lane("kept");
    lanes = {lane};
    const auto brief = finish_with_everything(lane, Millis(1'000));
    const auto kept = finish_with_everything(lane, Millis(2'592'000'000));
    const auto ns = *model::Namespace::parse("kept");
    const std::string by_ns = model::namespace_executions_key(ns);
    const std::string by_tag = model::tag_key(ns, "team", "blue");
    cycle(Kind::IndexReconciler);
    EXPECT_TRUE(has(by_ns, brief.to_string()));
    const std::set<std::string> before = keys_of(kept);
    EXPECT_GT(before.size(), 8U);
    cycle(Kind::RetentionTrimmer);
    EXPECT_NE(field(brief, "public_state"), "");
    wait_for_time(std::stoll(field(brief, "completed_at")) + 1'001);
    cycle(Kind::RetentionTrimmer);
    EXPECT_EQ(keys_of(brief), std::set<std::string>());
    EXPECT_EQ(keys_of(kept), before);
    const model::IndexKeys keys(solo(lane));
    EXPECT_FALSE(has(keys.lane(lane).terminal(), brief.to_string()));
    EXPECT_TRUE(has(keys.lane(lane).terminal(), kept.to_string()));
    EXPECT_FALSE(has(keys.retention_due(), brief.to_string()));
    EXPECT_EQ(world.command({"SISMEMBER", keys.all_executions(), brief.to_string()}).to_integer(),
              0);
    EXPECT_FALSE(has(by_ns, brief.to_string()));
    EXPECT_TRUE(has(by_ns, kept.to_string()));
    EXPECT_EQ(world.command({"SISMEMBER", by_tag, brief.to_string()}).to_integer(), 0);
    EXPECT_EQ(world.command({"SISMEMBER", by_tag, kept.to_string()}).to_integer(), 1);
}

/// Without a time of their own: the server's default, and those kept longer do not hide them.
TEST_P(Ch07Indexes, OldEndsAreTrimmedByTheDefaultOfTheServer) {
    const auto lane = world.lane("old");
    lanes = {lane};
    std::vector<model::ExecutionId> all;
    for (int i = 0; i < 45; ++i) {
        auto task = world.task(lane);
        if (i < 25) task.policy_json = R"({"retention_ms":3600000})";
        all.push_back(world.create(std::move(task)));
    }
    const auto tasks = claim(lane, model::PartitionKey::flow(solo(lane)), 45);
    for (const auto& task : tasks) complete(task);
    wait_for_time(store_now_ms() + 3);
    scan::Options options;
    options.retention_default = Millis(1);
    scanners = make(std::move(options));
    cycle(Kind::RetentionTrimmer);
    int kept = 0;
    for (const auto& id : all) kept += field(id, "public_state").empty() ? 0 : 1;
    EXPECT_EQ(kept, 25);
    // An entry without a record is taken off the list.
    const auto gone = world.task(lane).execution_id;
    const std::string terminal = model::IndexKeys(solo(lane)).lane(lane).terminal();
    world.command({"ZADD", terminal, std::to_string(store_now_ms() - 2), gone.to_string()});
    cycle(Kind::RetentionTrimmer);
    EXPECT_FALSE(has(terminal, gone.to_string()));
}

TEST_P(Ch07Indexes, S42_TwoShardsScanEveryPartitionOnce) {
    const auto lane = world.lane("shards");
    lanes = {lane};
    std::vector<model::ExecutionId> ids;
    for (int i = 0; i < 24; ++i) {
        auto task = world.task(lane);
        const auto flow = model::FlowId::mint(world.random());
        task.execution_id = model::ExecutionId::for_flow(flow, world.partitions(), world.random());
        task.delay_until = model::DueTime::after(Millis(1));
        ids.push_back(world.create(std::move(task)));
    }
    wait_for_time(store_now_ms() + 2);
    for (std::uint16_t shard = 0; shard < 2; ++shard) {
        scan::Options options;
        options.shard = {.index = shard, .count = 2};
        scanners = make(std::move(options));
        cycle(Kind::DelayedPromoter);
        for (const auto& id : ids) {
            const bool done = field(id, "eligibility_state") == "eligible_now";
            EXPECT_EQ(done, shard == 1 || id.partition_index() % 2 == 0);
        }
    }
    std::vector<int> scanned(world.partitions().num_flow_partitions(), 0);
    for (std::uint16_t shard = 0; shard < 2; ++shard) {
        scan::Options options;
        options.partitions = world.partitions();
        options.shard = {.index = shard, .count = 2};
        const scan::Territory territory(world.store(), options);
        for (const std::uint16_t p : territory.share()) ++scanned[p];
    }
    EXPECT_EQ(std::ranges::count(scanned, 1), world.partitions().num_flow_partitions());
}

TEST_P(Ch07Indexes, TheFilterLeavesOtherExecutionsAlone) {
    const auto lane = world.lane("filtered");
    lanes = {lane};
    auto ours = world.task(lane);
    ours.ns = *model::Namespace::parse("ours");
    ours.tags_json = R"({"instance":"a"})";
    ours.delay_until = model::DueTime::after(Millis(1));
    auto untagged = ours;
    untagged.execution_id = world.task(lane).execution_id;
    untagged.tags_json.clear();
    auto other = ours;
    other.execution_id = world.task(lane).execution_id;
    other.ns = *model::Namespace::parse("other");
    const auto mine = world.create(std::move(ours));
    const auto bare = world.create(std::move(untagged));
    const auto theirs = world.create(std::move(other));
    wait_for_time(store_now_ms() + 2);
    scan::Options options;
    options.filter.ns = model::Namespace::parse("ours").value();
    options.filter.tag = scan::Filter::Tag{.key = "instance", .value = "a"};
    scanners = make(std::move(options));
    cycle(Kind::DelayedPromoter);
    EXPECT_EQ(field(mine, "eligibility_state"), "eligible_now");
    EXPECT_EQ(field(bare, "eligibility_state"), "not_eligible_until_time");
    EXPECT_EQ(field(theirs, "eligibility_state"), "not_eligible_until_time");
}

TEST_P(Ch07Indexes, LaneCountsAreWrittenAndTold) {
    const auto lane = world.lane("counted");
    lanes = {lane};
    for (int i = 0; i < 3; ++i) world.create(lane);
    const auto task = claim(lane, model::PartitionKey::flow(solo(lane)), 1);
    auto later = world.task(lane);
    later.delay_until = model::DueTime::after(Millis(3'600'000));
    world.create(std::move(later));
    cycle(Kind::LaneCounts);
    const auto count = [&](std::string_view state) {
        return world.command({"HGET", model::lane_counts_key(lane), state}).to_integer();
    };
    EXPECT_EQ(count("waiting"), 2);
    EXPECT_EQ(count("active"), 1);
    EXPECT_EQ(count("delayed"), 1);
    EXPECT_EQ(count("blocked_by_quota"), 0);
    EXPECT_EQ((probe.depth[{lane.text(), "waiting"}]), 2U);
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch07Indexes, ::testing::Values("embedded", "valkey"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
