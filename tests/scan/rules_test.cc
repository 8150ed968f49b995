// The common rules of scanners, with a store that fails where it is told to.

#include <array>

#include "engine/end_execution.h"
#include "scan/pace.h"
#include "scan/scan_world.h"

namespace ff::testing {
namespace {

using scan::Kind;

/// Passes calls on to a real store, except for those that concern certain keys.
class FailingStore final : public store::Store {
  public:
    explicit FailingStore(store::Store& inner) : inner_(inner) {}

    Task<store::Reply> call(store::Call call) override {
        if (throws) throw std::runtime_error("on purpose");
        if (concerns(call)) co_return failure();
        co_return co_await inner_.call(std::move(call));
    }
    Task<store::Reply> fcall(store::Call call) override { return inner_.fcall(std::move(call)); }
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline(
        std::vector<store::Call> calls) override {
        longest_pipeline = std::max(longest_pipeline, calls.size());
        std::vector<bool> failed;
        for (const store::Call& call : calls) failed.push_back(concerns(call));
        auto replies = co_await inner_.pipeline(std::move(calls));
        for (std::size_t i = 0; i < replies.size(); ++i) {
            if (failed[i]) replies[i] = failure();
        }
        co_return replies;
    }
    Task<store::Reply> blocking_read(store::Call call) override {
        return inner_.blocking_read(std::move(call));
    }
    Task<std::unique_ptr<store::Subscription>> subscribe(store::Channels channels) override {
        return inner_.subscribe(std::move(channels));
    }
    boost::asio::awaitable<void> stop() override { co_return; }

    /// A word that the failing commands contain.
    std::string failing{};
    bool throws = false;
    std::size_t longest_pipeline = 0;

  private:
    bool concerns(const store::Call& call) const {
        return !failing.empty() && call.command.wire().find(failing) != std::string_view::npos;
    }
    static Error failure() {
        return Error{.code = "storage_error", .cls = ErrorClass::Retryable, .kind = "timeout"};
    }
    store::Store& inner_;
};

class Ch07Rules : public ScanTest {
  protected:
    void SetUp() override {
        lanes = {world.lane("rules")};
        scan::Options options;
        options.partitions = world.partitions();
        options.lanes = lanes;
        for (auto& interval : options.intervals) interval = Millis(150);
        scanners =
            std::make_unique<scan::Scanners>(world.loop().get_executor(), failing, world.clock(),
                                             world.random(), std::move(options), probe);
    }
    void start() {
        scanners->start();
        started = true;
    }
    /// Due, in the partition of a flow of its own.
    model::ExecutionId create_due() {
        auto task = world.task(lanes[0]);
        const auto flow = model::FlowId::mint(world.random());
        task.execution_id = model::ExecutionId::for_flow(flow, world.partitions(), world.random());
        task.delay_until = model::DueTime::after(Millis(1));
        const auto id = world.create(std::move(task));
        wait_for_time(store_now_ms() + 2);
        return id;
    }
    std::uint64_t cycles(Kind kind) { return probe.of[kind].cycles; }

    FailingStore failing{world.store()};
};

TEST_P(Ch07Rules, AReadErrorIsCountedAndHoldsUpNoOtherPartition) {
    const auto unread = create_due();
    const auto other = create_due();
    ASSERT_NE(unread.partition_index(), other.partition_index());
    failing.failing = unread.partition().tag() + ":lane:" + lanes[0].text() + ":delayed";
    cycle(Kind::DelayedPromoter);
    EXPECT_EQ(probe.of[Kind::DelayedPromoter].errors, 1U);
    EXPECT_EQ(field(other, "eligibility_state"), "eligible_now");
    EXPECT_EQ(field(unread, "eligibility_state"), "not_eligible_until_time");
    failing.failing.clear();
    cycle(Kind::DelayedPromoter);
    EXPECT_EQ(field(unread, "eligibility_state"), "eligible_now");
}

/// A partition that cannot be read is not taken for an empty one.
TEST_P(Ch07Rules, AReadErrorIsNotAbsence) {
    const auto id = create_due();
    failing.failing = id.partition().tag() + ":all_executions";
    cycle(Kind::DelayedPromoter);
    EXPECT_EQ(field(id, "eligibility_state"), "eligible_now");
}

TEST_P(Ch07Rules, AScannerThatFailedOrCrashedBeginsAgain) {
    // It neither hears of it nor knows of it: only a cycle can find it.
    const auto id = create_due();
    failing.failing = "TIME";
    start();
    EXPECT_TRUE(until([&] { return probe.restarts >= scan::all_kinds().size(); }));
    EXPECT_EQ(cycles(Kind::DelayedPromoter), 0U);
    failing.failing.clear();
    EXPECT_TRUE(until([&] { return field(id, "eligibility_state") == "eligible_now"; }));
    const auto restarts = probe.restarts;
    failing.throws = true;
    EXPECT_TRUE(until([&] { return probe.restarts > restarts; }));
    failing.throws = false;
    const std::uint64_t before = cycles(Kind::DelayedPromoter);
    EXPECT_TRUE(until([&] { return cycles(Kind::DelayedPromoter) > before; }, Millis(20'000)));
}

/// Whoever calls in the meantime waits behind a piece of it, not behind everything.
TEST_P(Ch07Rules, UpkeepLooksThroughEverythingInPieces) {
    constexpr std::size_t kReadsEach = 2;
    constexpr std::size_t kExecutions = scan::Pace::kPiece + 60;
    const std::array both{lanes[0], world.lane("elsewhere")};
    for (std::size_t i = 0; i < kExecutions; ++i) world.create(both[i % both.size()]);
    // The first cycle also finds out which partitions there are, with one long pipeline.
    cycle(Kind::LeaseExpiry);
    failing.longest_pipeline = 0;
    cycle(Kind::IndexReconciler);
    EXPECT_GE(probe.of[Kind::IndexReconciler].items, kExecutions);
    EXPECT_LE(failing.longest_pipeline, kReadsEach * scan::Pace::kPiece);
}

/// Cycles follow the interval, and what lies far ahead makes nobody spin.
TEST_P(Ch07Rules, ADelayBeyondAllClocksCostsNothing) {
    auto task = world.task(lanes[0]);
    // As nanoseconds of the steady clock this is 2^64 and a little: a sum that wraps is long past.
    const auto steady =
        std::chrono::duration_cast<Millis>(std::chrono::steady_clock::now().time_since_epoch());
    const std::int64_t wraps = 18'446'744'073'710 + store_now_ms() - steady.count();
    task.delay_until = model::DueTime::at(timestamp_from_ms(wraps));
    const auto id = world.create(std::move(task));
    start();
    EXPECT_TRUE(until([&] { return cycles(Kind::DelayedPromoter) >= 4; }));
    EXPECT_LE(probe.partial_cycles, 3U);
    EXPECT_EQ(field(id, "eligibility_state"), "not_eligible_until_time");
    world.must(engine::CancelExecution{.execution_id = id, .source = "operator_override"});
}

INSTANTIATE_TEST_SUITE_P(Hosts, Ch07Rules, ::testing::Values("embedded", "valkey"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
