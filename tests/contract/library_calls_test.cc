#include "contract/execution.h"

namespace ff::contract {
namespace {

/// The store calls of the hot path (chapter 00 section 8), counted by the embedded host.
class LibraryCalls : public ExecutionContract {
  protected:
    template <class Call>
    std::uint64_t calls_of(std::string_view function, Call call) const {
        const std::uint64_t before = host().store_calls(function).value_or(0);
        EXPECT_EQ(element(call(), 2), "OK");
        return host().store_calls(function).value_or(0) - before;
    }
};

INSTANTIATE_TEST_SUITE_P(On, LibraryCalls, ::testing::Values(HostKind::Embedded),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(LibraryCalls, OfThePlainPathAreThoseOfTheOverview) {
    Execution e = execution();
    EXPECT_EQ(calls_of("ff_create_execution", [&] { return e.create(); }), 8U);
    e.grant();
    EXPECT_EQ(calls_of("ff_claim_execution", [&] { return e.claim(); }), 12U);
    EXPECT_EQ(calls_of("ff_complete_execution", [&] { return e.complete(); }), 11U);
    Execution other = active();
    EXPECT_EQ(calls_of("ff_renew_lease", [&] { return other.renew(); }), 5U);
    EXPECT_EQ(calls_of("ff_complete_execution", [&] { return other.complete(""); }), 10U);
}

// The last call of a retry and of a delay announces that it is due soon; both begin the lease
// history.
TEST_P(LibraryCalls, OfOtherEndsStaySmall) {
    Execution failed = active();
    EXPECT_EQ(calls_of("ff_fail_execution",
                       [&] { return failed.fail({.retry_policy = R"({"max_retries":1})"}); }),
              13U);
    Execution delayed = active();
    EXPECT_EQ(calls_of("ff_delay_execution", [&] { return delayed.delay("+0"); }), 13U);
    EXPECT_EQ(calls_of("ff_promote_delayed", [&] { return delayed.promote(); }), 7U);
    delayed.grant();
    EXPECT_EQ(calls_of("ff_claim_resumed_execution", [&] { return delayed.claim_resumed(); }), 14U);
    Execution returned = active();
    EXPECT_EQ(calls_of("ff_delay_execution", [&] { return returned.give_back(); }), 14U);
    Execution cancelled = created();
    EXPECT_EQ(calls_of("ff_cancel_execution", [&] { return cancelled.cancel(); }), 7U);
}

}  // namespace
}  // namespace ff::contract
