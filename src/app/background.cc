#include "app/background.h"

#include <utility>

namespace ff::app {

Background::Background(boost::asio::any_io_executor loop, store::Store& store, const Clock& clock,
                       Random& random, sched::Claimer& claimer, BackgroundOptions options,
                       scan::Probe& probe)
    : cascade_(store, options.scan.partitions) {
    hub::ListenerOptions listening{.partitions = options.scan.partitions,
                                   .concurrency = options.dispatch_concurrency,
                                   .probe = options.listener_probe};
    if (options.completion_listener) {
        listener_ =
            std::make_unique<hub::CompletionListener>(loop, store, cascade_, std::move(listening));
    }
    if (!options.scanners) return;
    options.scan.on_wake = [&claimer](const std::string& lane, std::uint16_t partition) {
        claimer.on_wake(lane, partition);
    };
    scanners_ = std::make_unique<scan::Scanners>(loop, store, clock, random,
                                                 std::move(options.scan), probe);
}

void Background::start() {
    if (listener_) listener_->start();
    if (scanners_) scanners_->start();
}

void Background::time_moved() {
    if (scanners_) scanners_->time_moved();
}

boost::asio::awaitable<bool> Background::stop(Deadline grace) {
    bool in_time = true;
    if (listener_) co_await listener_->stop();
    if (scanners_) in_time = co_await scanners_->stop(grace);
    co_return in_time;
}

}  // namespace ff::app
