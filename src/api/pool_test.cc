#include "api/pool.h"

#include <optional>

#include <gtest/gtest.h>

namespace ff::api {
namespace {

TEST(Pool, RefusesWhenFullAndNamesItself) {
    Pool pool("stream_ops", 2);
    std::optional<Pool::Permit> first(*pool.take());
    const auto second = pool.take();
    const auto third = pool.take();
    ASSERT_FALSE(third.has_value());
    EXPECT_EQ(third.error().code, "too_many_requests");
    EXPECT_EQ(third.error().cls, ErrorClass::Retryable);
    EXPECT_NE(third.error().text().find("stream_ops of 2"), std::string::npos);
    first.reset();
    EXPECT_EQ(pool.used(), 1U);
    EXPECT_TRUE(pool.take().has_value());
}

TEST(Pool, PermitsMoveAndComeBackOnce) {
    Pool pool("p", 3);
    {
        Pool::Permit a = *pool.take();
        Pool::Permit b = *pool.take();
        EXPECT_EQ(pool.used(), 2U);
        b = std::move(a);
        EXPECT_EQ(pool.used(), 1U);
    }
    EXPECT_EQ(pool.used(), 0U);
}

TEST(Pool, AClosedOneSaysShuttingDown) {
    Pool pool("p", 1);
    pool.close();
    const auto refused = pool.take();
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, "shutting_down");
}

}  // namespace
}  // namespace ff::api
