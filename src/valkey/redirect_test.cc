#include "valkey/redirect.h"

#include <gtest/gtest.h>

#include "model/transport_kind.h"
#include "valkey/resend.h"

namespace ff::valkey {
namespace {

using std::chrono::milliseconds;
using Kind = Step::Kind;

const net::Address kFrom{.host = "10.0.0.1", .port = 7000};

Step reply(RedirectFsm& fsm, std::string line) {
    return fsm.on_reply(resp::Value::error(std::move(line)), kFrom);
}

Failure failure(Sent sent) {
    const auto kind =
        sent == Sent::No ? model::TransportKind::IoError : model::TransportKind::FatalReceive;
    return {.error = model::storage_error(kind, "broken"), .sent = sent};
}

TEST(RedirectFsm, TakesAReplyAndAnOrdinaryErrorAsTheyAre) {
    RedirectFsm fsm(false);
    EXPECT_EQ(fsm.on_reply(resp::Value::integer(1), kFrom).kind, Kind::Done);
    EXPECT_EQ(reply(fsm, "WRONGTYPE x").kind, Kind::Done);
    EXPECT_EQ(reply(fsm, "MASTERDOWN x").kind, Kind::Done);
}

TEST(RedirectFsm, FollowsMovedForGoodAndAskForOnce) {
    RedirectFsm fsm(false);
    const Step moved = reply(fsm, "MOVED 3999 127.0.0.1:6381");
    EXPECT_EQ(moved.kind, Kind::Again);
    EXPECT_EQ(moved.to->text(), "127.0.0.1:6381");
    EXPECT_EQ(moved.moved_slot, 3999);
    EXPECT_EQ(moved.refresh, Step::Refresh::Meanwhile);
    EXPECT_FALSE(moved.asking);
    const Step ask = reply(fsm, "ASK 3999 ::1:6382");
    EXPECT_EQ(ask.to->text(), "[::1]:6382");
    EXPECT_TRUE(ask.asking);
    EXPECT_EQ(ask.moved_slot, std::nullopt);
    EXPECT_EQ(ask.refresh, Step::Refresh::No);
    EXPECT_EQ(reply(fsm, "MOVED 1 :9").to->text(), "10.0.0.1:9") << "the host that was asked";
}

TEST(RedirectFsm, EndsAChainOfMoreThanFiveHops) {
    RedirectFsm fsm(true);
    for (int hop = 0; hop < 5; ++hop) EXPECT_EQ(reply(fsm, "MOVED 1 a:1").kind, Kind::Again) << hop;
    const Step last = reply(fsm, "MOVED 1 a:1");
    EXPECT_EQ(last.kind, Kind::Fail);
    EXPECT_EQ(last.error.kind, "moved");
    EXPECT_EQ(last.error.cls, ErrorClass::Terminal);
}

TEST(RedirectFsm, RefusesARedirectionToNowhere) {
    for (const std::string line : {"MOVED", "MOVED 1", "MOVED x a:1", "MOVED 16384 a:1",
                                   "MOVED 1 a", "MOVED 1 a:0", "ASK 1 a:b"}) {
        RedirectFsm fsm(true);
        const Step step = reply(fsm, line);
        EXPECT_EQ(step.kind, Kind::Fail) << line;
        EXPECT_EQ(step.error.kind, "parse_error");
    }
}

TEST(Ch01, S39_TransientRepliesAreRetriedThenSurfaceAsRetryable) {
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"TRYAGAIN x", "try_again"},
        {"CLUSTERDOWN x", "cluster_down"},
        {"LOADING x", "busy_loading"}};
    for (const auto& [line, kind] : cases) {
        RedirectFsm fsm(false);
        for (const int pause : {10, 20, 40, 80, 160}) {
            const Step step = reply(fsm, line);
            EXPECT_EQ(step.kind, Kind::Again);
            EXPECT_EQ(step.pause, milliseconds(pause));
        }
        const Step last = reply(fsm, line);
        EXPECT_EQ(last.kind, Kind::Fail);
        EXPECT_EQ(last.error.kind, kind);
        EXPECT_EQ(last.error.cls, ErrorClass::Retryable);
    }
    RedirectFsm read_only(false);
    EXPECT_EQ(reply(read_only, "READONLY x").refresh, Step::Refresh::First);
    const Step second = reply(read_only, "READONLY x");
    EXPECT_EQ(second.kind, Kind::Fail) << "one refresh and one retry";
    EXPECT_EQ(second.error.kind, "read_only");
    EXPECT_EQ(second.error.cls, ErrorClass::Terminal);
    RedirectFsm denied(false);
    EXPECT_EQ(reply(denied, "NOPERM x").kind, Kind::Done) << "stands as it is";
    EXPECT_FALSE(model::is_retryable(model::TransportKind::PermissionDenied));
    EXPECT_FALSE(model::is_retryable(model::TransportKind::Moved));
}

TEST(RedirectFsm, ResendsOnlyWhatIsSafeOnceBytesHaveLeft) {
    RedirectFsm safe(true);
    EXPECT_EQ(safe.on_failure(failure(Sent::Maybe)).kind, Kind::Again);
    RedirectFsm unsafe(false);
    EXPECT_EQ(unsafe.on_failure(failure(Sent::No)).kind, Kind::Again);
    const Step step = unsafe.on_failure(failure(Sent::Maybe));
    EXPECT_EQ(step.kind, Kind::Fail);
    EXPECT_EQ(step.error.kind, "fatal_receive");
}

TEST(RedirectFsm, GivesUpWhereAnotherAttemptCannotHelp) {
    RedirectFsm fsm(true);
    Failure refused = failure(Sent::No);
    refused.worth_retrying = false;
    EXPECT_EQ(fsm.on_failure(refused).kind, Kind::Fail);
}

// Otherwise a caller would take "retryable" for "not executed" and do it a second time.
TEST(RedirectFsm, NeverCallsACallUnexecutedThatMayHaveRunBefore) {
    RedirectFsm fsm(true);
    fsm.on_failure(failure(Sent::Maybe));
    const Step again = fsm.on_failure(failure(Sent::No));
    EXPECT_EQ(fsm.out_of_time(again.error).kind, "fatal_receive");
    EXPECT_EQ(fsm.out_of_time(again.error).cls, ErrorClass::Terminal);
    RedirectFsm clean(true);
    EXPECT_EQ(clean.out_of_time(clean.on_failure(failure(Sent::No)).error).kind, "io_error");
}

TEST(RedirectFsm, PausesGrowAndStayShort) {
    RedirectFsm fsm(true);
    for (const int pause : {10, 20, 40, 80, 160, 160})
        EXPECT_EQ(fsm.on_failure(failure(Sent::No)).pause, milliseconds(pause));
}

TEST(Resend, OnlyReadsAreSafeByTheirName) {
    EXPECT_TRUE(is_plain_read("hgetall"));
    EXPECT_TRUE(is_plain_read("FCALL_RO"));
    for (const std::string_view name : {"FCALL", "SET", "XADD", "INCR", "GETX", ""})
        EXPECT_FALSE(is_plain_read(name)) << name;
}

}  // namespace
}  // namespace ff::valkey
