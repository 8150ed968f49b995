#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/task_group.h"
#include "base/time.h"
#include "model/ids.h"
#include "sched/claimer.h"
#include "store/store.h"

namespace ff::sched {

/// The message on a lane's wake channel when its configuration changed, instead of a partition.
constexpr std::string_view kLaneChanged = "lane";

/// Who else is told, on the listener's loop.
struct WakeHooks {
    /// A lane has work in a partition.
    std::function<void(const std::string& lane, std::uint16_t partition)> woken{};
    std::function<void(const model::LaneId& lane)> lane_changed{};
    /// Messages were lost.
    std::function<void()> gap{};
};

/// Tells the claimer what the store publishes about new work (spec 06, section 13). Lives on the
/// claimer's loop.
class WakeListener {
  public:
    WakeListener(boost::asio::any_io_executor loop, store::Store& store, Claimer& claimer,
                 WakeHooks hooks = {});

    void start();
    boost::asio::awaitable<void> stop();

    std::uint64_t messages() const { return messages_; }

  private:
    boost::asio::awaitable<void> listen();
    /// Until the subscription ends.
    boost::asio::awaitable<void> follow(store::Subscription& subscription);
    void take_up(const store::Notice& notice);
    void missed();
    void lane_changed(const std::string& lane);

    boost::asio::any_io_executor loop_;
    store::Store& store_;
    Claimer& claimer_;
    WakeHooks hooks_;
    std::uint64_t messages_ = 0;
    bool stopped_ = false;
    TaskGroup tasks_;
};

}  // namespace ff::sched
