#include "base/timer.h"

#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/io_context.hpp>
#include <gtest/gtest.h>

#include "base/deadline.h"

namespace ff {
namespace {

using namespace std::chrono_literals;
namespace asio = boost::asio;
using ErrorCode = boost::system::error_code;

const SteadyClock::time_point kStart{1h};

/// Runs everything until nothing waits for a moment that will come.
void run_out(asio::io_context& loop, VirtualTime& time) {
    do {
        loop.restart();
        loop.poll();
    } while (time.advance());
}

TEST(Timer, WaitsForRealTimeOutsideOfASimulation) {
    asio::io_context loop;
    // Before the timer is made: on a busy machine its time may be over before the next line.
    const auto before = SteadyClock::now();
    Timer timer(loop.get_executor(), 1ms);
    bool ended = false;
    timer.async_wait([&](const ErrorCode& error) { ended = !error; });
    loop.run();
    EXPECT_TRUE(ended);
    EXPECT_GE(SteadyClock::now() - before, 1ms);
}

TEST(Timer, WaitsForVirtualTimeWithoutSpendingAny) {
    asio::io_context loop;
    VirtualTime time(kStart);
    Timer late(loop.get_executor(), 48h);
    Timer early(loop.get_executor(), 24h);
    std::vector<SteadyClock::time_point> ends;
    late.async_wait([&](const ErrorCode&) { ends.push_back(SteadyClock::now()); });
    early.async_wait([&](const ErrorCode&) { ends.push_back(SteadyClock::now()); });
    run_out(loop, time);
    EXPECT_EQ(ends, (std::vector{kStart + 24h, kStart + 48h}));
    EXPECT_TRUE(Deadline::after(0ms).passed());
    EXPECT_EQ(Deadline::after(5ms).remaining(), 5ms);
}

TEST(Timer, EndsWaitsOfOneMomentInTheOrderOfTheirBeginning) {
    asio::io_context loop;
    VirtualTime time(kStart);
    std::vector<std::unique_ptr<Timer>> timers;
    std::vector<int> order;
    for (int i = 0; i < 5; ++i) {
        timers.push_back(std::make_unique<Timer>(loop.get_executor(), 1s));
        timers.back()->async_wait([&order, i](const ErrorCode&) { order.push_back(i); });
    }
    run_out(loop, time);
    EXPECT_EQ(order, (std::vector{0, 1, 2, 3, 4}));
}

TEST(Timer, EndsVirtualWaitsThatAreCancelled) {
    asio::io_context loop;
    VirtualTime time(kStart);
    std::vector<ErrorCode> outcomes;
    const auto note = [&](const ErrorCode& error) { outcomes.push_back(error); };
    Timer forever(loop.get_executor(), SteadyClock::time_point::max());
    forever.async_wait(note);
    forever.async_wait(note);
    forever.cancel();
    forever.async_wait(note);
    forever.expires_after(1s);
    asio::cancellation_signal signal;
    forever.async_wait(asio::bind_cancellation_slot(signal.slot(), note));
    signal.emit(asio::cancellation_type::terminal);
    {
        Timer gone(loop.get_executor(), 1s);
        gone.async_wait(note);
    }
    run_out(loop, time);
    EXPECT_EQ(outcomes, std::vector<ErrorCode>(5, asio::error::operation_aborted));
    EXPECT_EQ(SteadyClock::now(), kStart);
}

}  // namespace
}  // namespace ff
