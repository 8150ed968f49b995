#include "host/work.h"

#include <thread>
#include <vector>

#include <gtest/gtest.h>

namespace ff::host {
namespace {

using namespace std::chrono_literals;

class Numbered final : public Work {
  public:
    Progress run(Shard&, Wake) override { return Progress::Done; }
    void release(const Result<Done>&, Resumer&) override {}
    int thread = 0;
    int number = 0;
};

WorkQueue::Time soon() {
    return std::chrono::steady_clock::now() + 20s;
}

TEST(WorkQueue, KeepsTheOrderOfEveryPusher) {
    constexpr int kThreads = 3;
    constexpr int kWorks = 5000;
    WorkQueue queue(kThreads * kWorks);
    std::vector<std::vector<Numbered>> works(kThreads);
    for (auto& own : works) own = std::vector<Numbered>(kWorks);
    std::vector<std::thread> pushers;
    for (int t = 0; t < kThreads; ++t) {
        pushers.emplace_back([&queue, &own = works[static_cast<std::size_t>(t)], t] {
            for (int i = 0; i < kWorks; ++i) {
                Numbered& work = own[static_cast<std::size_t>(i)];
                work.thread = t;
                work.number = i;
                EXPECT_EQ(queue.push(work), WorkQueue::Push::Taken);
            }
        });
    }
    std::vector<int> next(kThreads, 0);
    for (int taken = 0; taken < kThreads * kWorks;) {
        WorkList list = queue.take(soon());
        for (; !list.empty(); ++taken) {
            const auto& work = static_cast<Numbered&>(list.pop_front());
            ASSERT_EQ(work.number, next[static_cast<std::size_t>(work.thread)]++);
        }
    }
    for (std::thread& pusher : pushers) pusher.join();
    EXPECT_EQ(queue.size(), 0U);
}

TEST(WorkQueue, RefusesMoreThanItHolds) {
    WorkQueue queue(2);
    Numbered works[3];
    EXPECT_EQ(queue.push(works[0]), WorkQueue::Push::Taken);
    EXPECT_EQ(queue.push(works[1]), WorkQueue::Push::Taken);
    EXPECT_EQ(queue.push(works[2]), WorkQueue::Push::Full);
    static_cast<void>(queue.take(soon()));
    EXPECT_EQ(queue.push(works[2]), WorkQueue::Push::Taken);
}

TEST(WorkQueue, ReturnsEmptyAtItsTimeAndAfterAWake) {
    WorkQueue queue(2);
    EXPECT_TRUE(queue.take(std::chrono::steady_clock::now() + 1ms).empty());
    queue.wake();
    EXPECT_TRUE(queue.take(soon()).empty());
}

TEST(WorkQueue, GivesOutTheLastAndRefusesTheRestOnceClosed) {
    WorkQueue queue(2);
    Numbered works[2];
    EXPECT_EQ(queue.push(works[0]), WorkQueue::Push::Taken);
    WorkList last = queue.close();
    ASSERT_FALSE(last.empty());
    EXPECT_EQ(&last.pop_front(), &works[0]);
    EXPECT_EQ(queue.push(works[1]), WorkQueue::Push::Closed);
}

TEST(WakeTogether, WakesASleeperAtItsEndOrWhenToldTo) {
    WorkQueue queue(2);
    Numbered works[2];
    for (const bool told : {false, true}) {
        std::thread taker([&queue] {
            WorkList list = queue.take(soon());
            EXPECT_FALSE(list.empty());
        });
        {
            const WakeTogether together;
            EXPECT_EQ(queue.push(works[told ? 1 : 0]), WorkQueue::Push::Taken);
            if (told) WakeTogether::wake_now();
            if (told) taker.join();
        }
        if (!told) taker.join();
    }
}

}  // namespace
}  // namespace ff::host
