#include "base/thread_manners.h"

#include <thread>

#include <gtest/gtest.h>
#include <sched.h>

namespace ff {
namespace {

TEST(ThreadManners, HoldForTheThreadAndThoseItStarts) {
    ASSERT_EQ(sched_getscheduler(0), SCHED_OTHER);
    {
        const GivesWay gives_way;
        EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
        std::thread([] {
            EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
            take_precedence();
            EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
        }).join();
        {
            const GivesWay once_more;
            EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
        }
        EXPECT_EQ(sched_getscheduler(0), SCHED_BATCH);
    }
    EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
}

TEST(ThreadManners, LeaveOtherPoliciesAlone) {
    std::thread([] {
        const sched_param no_priority{};
        ASSERT_EQ(sched_setscheduler(0, SCHED_IDLE, &no_priority), 0);
        {
            const GivesWay gives_way;
            EXPECT_EQ(sched_getscheduler(0), SCHED_IDLE);
        }
        take_precedence();
        EXPECT_EQ(sched_getscheduler(0), SCHED_IDLE);
    }).join();
}

}  // namespace
}  // namespace ff
