#include "base/task_group.h"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

namespace ff {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> wait_for_ever(int& left) {
    asio::steady_timer timer(co_await asio::this_coro::executor);
    timer.expires_at(asio::steady_timer::time_point::max());
    boost::system::error_code cancelled;
    co_await timer.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    ++left;
}

asio::awaitable<void> join_then_mark(TaskGroup& group, bool& joined) {
    co_await group.join();
    joined = true;
}

void ignore(const std::exception_ptr& failure) {
    EXPECT_FALSE(failure);
}

TEST(TaskGroup, JoinsOnceEveryPieceOfWorkHasLeft) {
    asio::io_context loop;
    TaskGroup group(loop.get_executor(), "test");
    int left = 0;
    bool joined = false;
    for (int i = 0; i < 3; ++i) group.spawn(wait_for_ever(left));
    asio::co_spawn(loop, join_then_mark(group, joined), ignore);
    loop.poll();
    EXPECT_EQ(group.size(), 3U);
    EXPECT_FALSE(joined);
    group.cancel();
    group.cancel();
    loop.restart();
    loop.poll();
    EXPECT_EQ(left, 3);
    EXPECT_TRUE(joined);
    EXPECT_EQ(group.size(), 0U);
}

TEST(TaskGroup, AnEmptyGroupJoinsAtOnce) {
    asio::io_context loop;
    TaskGroup group(loop.get_executor(), "test");
    bool joined = false;
    asio::co_spawn(loop, join_then_mark(group, joined), ignore);
    loop.poll();
    EXPECT_TRUE(joined);
}

}  // namespace
}  // namespace ff
