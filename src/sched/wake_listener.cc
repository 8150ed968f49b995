#include "sched/wake_listener.h"

#include <string_view>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/timer.h"
#include "model/global_keys.h"
#include "model/partition.h"

namespace ff::sched {
namespace asio = boost::asio;

namespace {

constexpr Millis kSubscribePause{1'000};
constexpr std::string_view kChannelPrefix = "ff:wake:";

}  // namespace

WakeListener::WakeListener(asio::any_io_executor loop, store::Store& store, Claimer& claimer,
                           WakeHooks hooks)
    : loop_(loop),
      store_(store),
      claimer_(claimer),
      hooks_(std::move(hooks)),
      tasks_(loop, "wake listener") {}

void WakeListener::start() {
    tasks_.spawn(listen());
}

asio::awaitable<void> WakeListener::listen() {
    while (!stopped_) {
        store::Channels channels{.patterns = {std::string(model::kWakeChannelPattern)}};
        auto subscribed = co_await store_.subscribe(std::move(channels));
        if (subscribed.has_value()) {
            const std::unique_ptr<store::Subscription> subscription = *std::move(subscribed);
            // What was published before is nobody's news any more.
            missed();
            co_await follow(*subscription);
        }
        if (stopped_) co_return;
        Timer timer(loop_, kSubscribePause);
        co_await timer.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

asio::awaitable<void> WakeListener::follow(store::Subscription& subscription) {
    while (!stopped_) {
        const auto notice = co_await subscription.next(Deadline::never());
        if (!notice.has_value()) co_return;
        if (notice->has_value()) take_up(**notice);
    }
}

void WakeListener::missed() {
    if (hooks_.gap) hooks_.gap();
    claimer_.on_gap();
}

void WakeListener::lane_changed(const std::string& lane) {
    const auto id = model::LaneId::parse(lane);
    if (id.has_value()) {
        claimer_.lanes().forget(*id);
        if (hooks_.lane_changed) hooks_.lane_changed(*id);
    }
    claimer_.on_gap();
}

void WakeListener::take_up(const store::Notice& notice) {
    if (notice.kind == store::Notice::Kind::Gap) return missed();
    ++messages_;
    const bool known_channel = notice.channel.starts_with(kChannelPrefix);
    const std::string lane = known_channel ? notice.channel.substr(kChannelPrefix.size()) : "";
    if (notice.message == kLaneChanged) return lane_changed(lane);
    // `<tag>`, or `<tag> <kind>` for claims that ask for this kind.
    const std::string_view message = notice.message;
    const std::size_t space = message.find(' ');
    const auto partition = model::PartitionKey::parse(message.substr(0, space));
    const std::string_view kind =
        space == std::string_view::npos ? std::string_view() : message.substr(space + 1);
    if (!partition.has_value() || !known_channel) {
        log::warn("sched", "wake_malformed", {{"channel", notice.channel}});
        return;
    }
    if (hooks_.woken) hooks_.woken(lane, partition->index());
    claimer_.on_wake(lane, partition->index(), kind);
}

asio::awaitable<void> WakeListener::stop() {
    stopped_ = true;
    tasks_.cancel();
    co_await tasks_.join();
}

}  // namespace ff::sched
