#pragma once

#include <map>
#include <string>
#include <string_view>

#include <boost/asio/steady_timer.hpp>

#include "sched/claimer.h"

namespace ff::sched {

/// The timers of the claims that wait; cancelling one wakes its claim.
struct Claimer::Waits {
    explicit Waits(boost::asio::any_io_executor executor) : loop(std::move(executor)) {}

    boost::asio::any_io_executor loop;
    std::map<WakeBoard::WaiterId, boost::asio::steady_timer*> timers{};
    Deadline next_sweep = Deadline::never();
};

/// The request id of the second claim call of one request, within the length that functions allow.
std::string second_request_id(std::string_view request_id);
/// The name of the mark that a claim leaves at its anchor.
std::string mark_id(std::string_view request_id);

}  // namespace ff::sched
