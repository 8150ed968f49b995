#include "journal/read_ahead.h"

#include <atomic>
#include <memory>
#include <stdexcept>

#include <gtest/gtest.h>

namespace ff::journal {
namespace {

/// 0, 1, 2 and so on; how many were made can be asked for.
struct Numbers {
    int count;
    std::shared_ptr<std::atomic<int>> made = std::make_shared<std::atomic<int>>(0);

    std::optional<int> operator()() const {
        if (*made == count) return std::nullopt;
        return (*made)++;
    }
};

TEST(ReadAhead, GivesWhatIsMadeInItsOrderAndThenNothing) {
    for (const std::size_t most : {0U, 1U, 7U}) {
        ReadAhead<int> ahead(most, Numbers{.count = 100});
        for (int i = 0; i < 100; ++i) EXPECT_EQ(ahead.take(), i);
        EXPECT_EQ(ahead.take(), std::nullopt);
        EXPECT_EQ(ahead.take(), std::nullopt);
    }
}

TEST(ReadAhead, MakesWhatNobodyHasAskedForYetButNoMoreThanItMay) {
    const Numbers numbers{.count = 100};
    ReadAhead<int> ahead(3, numbers);
    while (*numbers.made < 3) std::this_thread::yield();
    EXPECT_EQ(ahead.take(), 0);
    while (*numbers.made < 4) std::this_thread::yield();
    EXPECT_EQ(*numbers.made, 4);
}

TEST(ReadAhead, WithoutRoomMakesEachWhenItIsTaken) {
    const Numbers numbers{.count = 100};
    ReadAhead<int> ahead(0, numbers);
    EXPECT_EQ(*numbers.made, 0);
    EXPECT_EQ(ahead.take(), 0);
    EXPECT_EQ(*numbers.made, 1);
}

TEST(ReadAhead, ThrowsToWhoTakesWhatWasThrownOnItsThread) {
    ReadAhead<int> ahead(2, []() -> std::optional<int> { throw std::runtime_error("full"); });
    EXPECT_THROW(ahead.take(), std::runtime_error);
}

TEST(ReadAhead, EndsItsThreadThoughMuchIsLeft) {
    const Numbers numbers{.count = 1'000'000'000};
    {
        ReadAhead<int> ahead(2, numbers);
    }
    EXPECT_LE(*numbers.made, 2);
}

}  // namespace
}  // namespace ff::journal
