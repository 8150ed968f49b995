#include "simulation/interleaving.h"

#include <gtest/gtest.h>

namespace ff::simulation {
namespace {

using Answer = Call::Answer;

Call::Moment at(int second) {
    return Call::Moment(std::chrono::seconds(second));
}

Call call(Act act, std::uint64_t epoch, Answer answer, int begun, int told) {
    return {.act = act,
            .epoch = epoch,
            .key = std::to_string(epoch),
            .answer = answer,
            .begun = at(begun),
            .told = answer == Answer::Unknown ? Call::Moment::max() : at(told)};
}

Call signal(const char* id, Answer answer, int begun, int told) {
    Call made = call(Act::Signal, 0, answer, begun, told);
    made.key = id;
    return made;
}

const Call kClaim = call(Act::Claim, 1, Answer::Done, 0, 1);

TEST(Interleaving, ATaskThatIsClaimedAndCompletedHasAnOrder) {
    EXPECT_TRUE(has_order({kClaim, call(Act::Complete, 1, Answer::Done, 2, 3),
                           call(Act::Complete, 1, Answer::Again, 4, 5)},
                          false));
}

TEST(Interleaving, CallsThatOverlapMayHaveHappenedInAnyOrder) {
    EXPECT_TRUE(has_order({kClaim, call(Act::Complete, 1, Answer::Done, 2, 5),
                           call(Act::Cancel, 0, Answer::Ended, 3, 4)},
                          false));
}

TEST(Interleaving, WhatEndedCannotBeCancelledAfterwards) {
    EXPECT_FALSE(has_order({kClaim, call(Act::Complete, 1, Answer::Done, 2, 3),
                            call(Act::Cancel, 0, Answer::Again, 4, 5)},
                           false));
    EXPECT_FALSE(has_order({kClaim, call(Act::Cancel, 0, Answer::Ended, 2, 3),
                            call(Act::Complete, 1, Answer::Done, 4, 5)},
                           true));
}

TEST(Interleaving, ALeaseThatWasGivenOnIsNotHonouredAgain) {
    EXPECT_FALSE(has_order({kClaim, call(Act::Claim, 2, Answer::Done, 2, 3),
                            call(Act::Complete, 1, Answer::Done, 4, 5)},
                           false));
    EXPECT_FALSE(has_order({kClaim, call(Act::Renew, 1, Answer::Fenced, 2, 3),
                            call(Act::Renew, 1, Answer::Done, 4, 5)},
                           false));
}

TEST(Interleaving, AnEpochIsGivenOnlyOnceAndRises) {
    EXPECT_FALSE(has_order(
        {call(Act::Claim, 2, Answer::Done, 0, 1), call(Act::Claim, 1, Answer::Done, 2, 3)}, false));
}

TEST(Interleaving, ACallWithoutAnAnswerMayHaveHappenedOrNot) {
    const Call lost = call(Act::Complete, 1, Answer::Unknown, 2, 0);
    EXPECT_TRUE(has_order({kClaim, lost, call(Act::Cancel, 0, Answer::Ended, 4, 5)}, false));
    EXPECT_TRUE(has_order({kClaim, lost, call(Act::Cancel, 0, Answer::Again, 4, 5)}, false));
    EXPECT_FALSE(has_order({kClaim, call(Act::Cancel, 0, Answer::Ended, 4, 5)}, false));
    EXPECT_TRUE(has_order({kClaim, call(Act::Cancel, 0, Answer::Ended, 4, 5)}, true));
}

TEST(Interleaving, ASignalCountsOnceAndNotAfterTheEnd) {
    EXPECT_TRUE(
        has_order({signal("a", Answer::Done, 0, 1), signal("a", Answer::Again, 2, 3)}, false));
    EXPECT_FALSE(
        has_order({signal("a", Answer::Done, 0, 1), signal("a", Answer::Done, 2, 3)}, false));
    EXPECT_FALSE(has_order(
        {call(Act::Cancel, 0, Answer::Done, 0, 1), signal("a", Answer::Done, 2, 3)}, false));
}

TEST(Interleaving, OnlyAReplayMakesAnEndUndone) {
    const Call done = call(Act::Complete, 1, Answer::Done, 2, 3);
    const Call again = call(Act::Claim, 2, Answer::Done, 6, 7);
    EXPECT_FALSE(has_order({kClaim, done, again}, false));
    EXPECT_TRUE(has_order({kClaim, done, call(Act::Replay, 0, Answer::Done, 4, 5), again}, false));
}

TEST(Interleaving, TheImpossibleIsToldWithTheShortestBeginning) {
    Interleavings calls;
    const model::ExecutionId id =
        *model::ExecutionId::parse("{fp:0}:234e3eb8-2fe8-497b-b1d4-dc5f1328894c");
    for (const Call& one :
         {kClaim, call(Act::Complete, 1, Answer::Done, 2, 3),
          call(Act::Fail, 1, Answer::Done, 4, 5), call(Act::Cancel, 0, Answer::Ended, 6, 7)})
        calls.add(id, one);
    const auto found = calls.find();
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->id, id);
    EXPECT_NE(found->what.find("fail of epoch 1"), std::string::npos);
    EXPECT_EQ(found->what.find("cancel"), std::string::npos) << found->what;
}

}  // namespace
}  // namespace ff::simulation
