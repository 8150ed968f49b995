#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/steady_clock.h"
#include "base/timer.h"
#include "sched/claimer.h"

namespace ff::sched {

/// The timers of the claims that wait; cancelling one wakes its claim.
struct Claimer::Waits {
    explicit Waits(boost::asio::any_io_executor executor) : loop(std::move(executor)) {}

    boost::asio::any_io_executor loop;
    struct Waiter {
        Timer& timer;
        /// There may be work, or it is time to go.
        bool woken = false;
    };
    std::map<WakeBoard::WaiterId, Waiter*> waiters{};
    Deadline next_sweep = Deadline::never();
    /// The one who looks everywhere when it is time; 0: nobody waits.
    WakeBoard::WaiterId sweeper = 0;

    void wake(Waiter& waiter) {
        waiter.woken = true;
        waiter.timer.cancel();
    }
    /// Whoever waits longest is the sweeper now, if anybody is left.
    void pass_sweeping_on() {
        sweeper = waiters.empty() ? 0 : waiters.begin()->first;
        if (sweeper != 0) waiters.begin()->second->timer.cancel();
    }
    /// By lane, and by group where kinds are asked for: never due, cancelled when the look through
    /// it has ended.
    std::map<std::string, std::shared_ptr<Timer>> surveys{};

    /// A look under way, whatever becomes of it.
    class Survey {
      public:
        Survey(Waits& waits, const std::string& lane) : waits_(waits), lane_(lane) {
            waits_.surveys.emplace(
                lane_, std::make_shared<Timer>(waits_.loop, SteadyClock::time_point::max()));
        }
        ~Survey() {
            const auto ended = waits_.surveys.extract(lane_);
            ended.mapped()->cancel();
        }
        Survey(const Survey&) = delete;
        Survey& operator=(const Survey&) = delete;

      private:
        Waits& waits_;
        std::string lane_;
    };
};

/// The request id of the second claim call of one request, within the length that functions allow.
std::string second_request_id(std::string_view request_id);
/// The name of the mark that a claim leaves at its anchor.
std::string mark_id(std::string_view request_id);

}  // namespace ff::sched
