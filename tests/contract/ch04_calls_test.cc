#include "contract/streams.h"

namespace ff::contract {
namespace {

/// The store calls of signals and frames, counted by the embedded host. On Valkey each costs 2-3
/// us.
class SignalCalls : public StreamContract {
  protected:
    template <class Call>
    std::uint64_t calls_of(std::string_view function, Call call) const {
        const std::uint64_t before = host().store_calls(function).value_or(0);
        EXPECT_EQ(element(call(), 2), "OK");
        return host().store_calls(function).value_or(0) - before;
    }
};

INSTANTIATE_TEST_SUITE_P(On, SignalCalls, ::testing::Values(HostKind::Embedded),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(SignalCalls, AFrameIsFiveCallsOnceItsStreamExists) {
    const Execution e = active();
    const auto cost = [&](const FrameArgs& args) {
        return calls_of("ff_append_frame", [&] { return append(e, args); });
    };
    EXPECT_EQ(cost({}), 8U);
    // TIME, HMGET core, HMGET meta, HSET meta, XADD.
    EXPECT_EQ(cost({}), 5U);
    EXPECT_EQ(cost({.mode = "best_effort", .ttl_ms = "1000"}), 7U);
    EXPECT_EQ(cost({.payload = "{}", .mode = "summary"}), 9U);
    EXPECT_EQ(calls_of("ff_append_frames", [&] { return append_many(e, List(100, "x")); }), 104U);
    // At the limit every frame also costs the one it pushes out: XLEN, XRANGE, XTRIM, HSET.
    cost({.retention_maxlen = "10"});
    EXPECT_EQ(cost({.retention_maxlen = "10"}), 9U);
}

TEST_P(SignalCalls, OfASuspensionAndItsSignalsStaySmall) {
    const Execution e = active();
    Suspended s;
    EXPECT_EQ(calls_of("ff_suspend_execution",
                       [&] {
                           s = read_suspended(
                               try_suspend(e, {.condition = flat_condition(R"(["ok"])", "count", 2),
                                               .timeout_at = "+60000"}));
                           return s.reply;
                       }),
              22U);
    EXPECT_EQ(calls_of("ff_deliver_signal", [&] { return deliver(e, s.primary()); }), 16U);
    // One HSET of these tells the matchers which signal closed it.
    EXPECT_EQ(calls_of("ff_deliver_signal", [&] { return deliver(e, s.primary()); }), 24U);
}

}  // namespace
}  // namespace ff::contract
