#include "valkey/pipeline.h"

#include <list>

#include <gtest/gtest.h>

namespace ff::valkey {
namespace {

using Time = Pipeline::Time;
using std::chrono::milliseconds;

Time at(int ms) {
    return Time(milliseconds(ms));
}

/// Requests of a test: they must stay where they are.
class Requests {
  public:
    Exchange& make(std::string_view name) {
        commands_.emplace_back(name);
        return exchanges_.emplace_back(commands_.back(), Deadline::never(), waiter_);
    }
    Exchange& make_until(std::string_view name, Deadline deadline) {
        Exchange& exchange = make(name);
        exchange.deadline = deadline;
        return exchange;
    }

  private:
    Waiter waiter_{};
    std::list<resp::Command> commands_{};
    std::list<Exchange> exchanges_{};
};

std::string outcome(const Exchange& exchange) {
    if (!exchange.finished()) return "pending";
    if (const auto* reply = std::get_if<resp::Value>(&exchange.outcome))
        return reply->to_debug_text();
    const auto& failure = std::get<Failure>(exchange.outcome);
    return failure.error.code + (failure.sent == Sent::Maybe ? " maybe" : " no");
}

const Error kGone{.code = "gone"};

TEST(Pipeline, AnswersInTheOrderOfTheRequests) {
    Pipeline pipeline({});
    Requests requests;
    Exchange& first = requests.make("A");
    Exchange& second = requests.make("B");
    pipeline.add(first);
    pipeline.add(second);
    std::string out;
    pipeline.encode(out, at(5));
    EXPECT_EQ(out, "*1\r\n$1\r\nA\r\n*1\r\n$1\r\nB\r\n");
    EXPECT_EQ(pipeline.on_reply(resp::Value::integer(1), at(7)).round_trip, milliseconds(2));
    EXPECT_EQ(outcome(first), "1");
    EXPECT_EQ(outcome(second), "pending");
    EXPECT_TRUE(pipeline.on_reply(resp::Value::integer(2), at(8)).matched);
    EXPECT_EQ(outcome(second), "2");
    EXPECT_FALSE(pipeline.on_reply(resp::Value::integer(3), at(9)).matched) << "nobody asked";
}

TEST(Pipeline, SendsAskingAheadAndDropsItsReply) {
    Pipeline pipeline({});
    Requests requests;
    Exchange& exchange = requests.make("A");
    exchange.asking = true;
    pipeline.add(exchange);
    std::string out;
    pipeline.encode(out, at(0));
    EXPECT_EQ(out, "*1\r\n$6\r\nASKING\r\n*1\r\n$1\r\nA\r\n");
    pipeline.on_reply(resp::Value::simple("OK"), at(0));
    EXPECT_EQ(outcome(exchange), "pending");
    pipeline.on_reply(resp::Value::integer(4), at(0));
    EXPECT_EQ(outcome(exchange), "4");
}

TEST(Pipeline, BoundsWhatIsInFlightAndWhatWaits) {
    Pipeline pipeline({.in_flight_max = 2, .waiting_max = 3});
    Requests requests;
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(pipeline.add(requests.make("A")));
    EXPECT_FALSE(pipeline.add(requests.make("A")));
    std::string out;
    pipeline.encode(out, at(0));
    EXPECT_EQ(pipeline.in_flight(), 2U);
    EXPECT_EQ(pipeline.waiting(), 1U);
    pipeline.on_reply(resp::Value(), at(0));
    pipeline.encode(out, at(0));
    EXPECT_EQ(pipeline.in_flight(), 2U);
    EXPECT_EQ(pipeline.waiting(), 0U);
}

TEST(Pipeline, EncodesNoMoreWhileTheSocketIsBehind) {
    Pipeline pipeline({.write_bytes_max = 1});
    Requests requests;
    pipeline.add(requests.make("A"));
    pipeline.add(requests.make("B"));
    std::string out;
    pipeline.encode(out, at(0));
    EXPECT_EQ(pipeline.waiting(), 1U);
    pipeline.encode(out, at(0));
    EXPECT_EQ(pipeline.waiting(), 1U);
    out.clear();
    pipeline.encode(out, at(0));
    EXPECT_EQ(pipeline.waiting(), 0U);
}

TEST(Pipeline, ABreakFailsOnlyWhatTheServerMayHaveSeenWhole) {
    Pipeline pipeline({});
    Requests requests;
    Exchange& whole = requests.make("A");
    Exchange& half = requests.make("B");
    Exchange& unsent = requests.make("C");
    Exchange& waiting = requests.make("D");
    pipeline.add(whole);
    pipeline.add(half);
    pipeline.add(unsent);
    std::string out;
    pipeline.encode(out, at(0));
    pipeline.add(waiting);
    pipeline.handed_over(out.size() / 3 + 4);
    pipeline.on_broken(kGone);
    EXPECT_EQ(outcome(whole), "gone maybe");
    EXPECT_EQ(outcome(half), "pending");

    // The rest goes out whole and in order on the next connection.
    out.clear();
    pipeline.encode(out, at(1));
    EXPECT_EQ(out, "*1\r\n$1\r\nB\r\n*1\r\n$1\r\nC\r\n*1\r\n$1\r\nD\r\n");
    pipeline.handed_over(1);
    pipeline.on_broken(kGone);
    EXPECT_EQ(outcome(half), "pending") << "the count of bytes starts anew";
    pipeline.refuse_waiting(kGone);
    EXPECT_EQ(outcome(half), "gone no");
    EXPECT_EQ(outcome(waiting), "gone no");
    EXPECT_TRUE(pipeline.empty());
}

TEST(Pipeline, AReplyAfterTheDeadlineIsDroppedAndNotGivenToTheNext) {
    Pipeline pipeline({});
    Requests requests;
    const Deadline soon = Deadline::after(milliseconds(0));
    Exchange& late = requests.make_until("A", soon);
    Exchange& next = requests.make("B");
    pipeline.add(late);
    pipeline.add(next);
    std::string out;
    pipeline.encode(out, soon.at());
    Exchange& unsent = requests.make_until("C", soon);
    pipeline.add(unsent);
    EXPECT_EQ(pipeline.next_deadline(), soon.at());
    pipeline.expire(soon.at());
    EXPECT_EQ(outcome(late), "storage_error maybe");
    EXPECT_EQ(std::get<Failure>(late.outcome).error.kind, "fatal_receive");
    EXPECT_EQ(outcome(unsent), "storage_error no");
    EXPECT_EQ(std::get<Failure>(unsent.outcome).error.kind, "io_error");
    EXPECT_EQ(pipeline.next_deadline(), Time::max());
    pipeline.on_reply(resp::Value::integer(1), at(0));
    EXPECT_EQ(outcome(next), "pending");
    pipeline.on_reply(resp::Value::integer(2), at(0));
    EXPECT_EQ(outcome(next), "2");
}

TEST(Pipeline, AnAbandonedRequestLeavesItsPlace) {
    Pipeline pipeline({});
    Requests requests;
    Exchange& sent = requests.make("A");
    pipeline.add(sent);
    std::string out;
    pipeline.encode(out, at(0));
    Exchange& waiting = requests.make("B");
    pipeline.add(waiting);
    pipeline.abandon(sent, kGone);
    pipeline.abandon(waiting, kGone);
    EXPECT_EQ(outcome(sent), "gone maybe");
    EXPECT_EQ(outcome(waiting), "gone no");
    EXPECT_EQ(pipeline.in_flight(), 1U);
    EXPECT_TRUE(pipeline.unwanted());
    EXPECT_FALSE(pipeline.empty());
    EXPECT_TRUE(pipeline.on_reply(resp::Value(), at(0)).matched);
}

TEST(Pipeline, ACoroutineThatIsResumedMayAskAgainAtOnce) {
    Pipeline pipeline({});
    Waiter waiter;
    const resp::Command command("A");
    Exchange first(command, Deadline::never(), waiter);
    Waiter other;
    Exchange second(command, Deadline::never(), other);
    waiter.resumption().set([&] { pipeline.add(second); });
    pipeline.add(first);
    std::string out;
    pipeline.encode(out, at(0));
    pipeline.handed_over(out.size());
    pipeline.on_broken(kGone);
    EXPECT_TRUE(first.finished());
    EXPECT_EQ(pipeline.waiting(), 1U);
}

}  // namespace
}  // namespace ff::valkey
