#include "scan/scanners.h"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/assert.h"
#include "base/log.h"
#include "model/global_keys.h"
#include "scan/due_kinds.h"
#include "scan/grant_expiry.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr Millis kSubscribePause{1'000};

}  // namespace

Scanners::Scanners(asio::any_io_executor loop, store::Store& store, const Clock& clock,
                   Random& random, Options options, Probe& probe)
    : executor_(loop),
      random_(random),
      options_(std::move(options)),
      territory_(store, options_),
      ground_{.store = store, .options = options_, .territory = territory_, .probe = probe},
      grants_(std::make_unique<GrantExpiry>(loop, clock, options_)),
      tasks_(loop, "scanners"),
      listener_(loop, "scanner messages") {
    for (auto& scanner : due_scanners()) add(std::move(scanner));
}

Scanners::~Scanners() = default;

void Scanners::add(std::unique_ptr<Scanner> scanner) {
    const Kind kind = scanner->kind();
    loops_.emplace(kind, std::make_unique<Loop>(executor_, random_, ground_, std::move(scanner)));
}

Loop& Scanners::loop_of(Kind kind) {
    const auto found = loops_.find(kind);
    FF_ASSERT(found != loops_.end());
    return *found->second;
}

void Scanners::start() {
    for (auto& [kind, loop] : loops_) tasks_.spawn(loop->run());
    listener_.spawn(listen());
}

asio::awaitable<bool> Scanners::stop(Deadline grace) {
    ground_.stopping = true;
    for (auto& [kind, loop] : loops_) loop->wake();
    grants_->stop();
    listener_.cancel();
    co_await listener_.join();
    bool in_time = true;
    asio::steady_timer limit(executor_, grace.at());
    limit.async_wait([&](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        in_time = false;
        tasks_.cancel();
    });
    co_await tasks_.join();
    // Its handler refers to this frame: it must have run before the frame goes.
    limit.cancel();
    co_await asio::post(executor_, asio::use_awaitable);
    co_return in_time;
}

Task<Done> Scanners::run_once(Kind kind) {
    return loop_of(kind).run_once();
}

Task<Done> Scanners::run_due(Kind kind) {
    return loop_of(kind).run_due();
}

void Scanners::nudge(Kind kind) {
    loop_of(kind).nudge();
}

asio::awaitable<void> Scanners::listen() {
    while (!ground_.stopping) {
        store::Channels channels{.names = {std::string(model::kDueChannel),
                                           std::string(model::kAdmissionFreedChannel),
                                           std::string(model::kFlowCompletionsChannel)}};
        auto subscribed = co_await ground_.store.subscribe(std::move(channels));
        if (subscribed.has_value()) {
            const std::unique_ptr<store::Subscription> subscription = *std::move(subscribed);
            listening_ = true;
            co_await follow(*subscription);
            listening_ = false;
        }
        if (ground_.stopping) break;
        asio::steady_timer pause(executor_, kSubscribePause);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

asio::awaitable<void> Scanners::follow(store::Subscription& subscription) {
    while (!ground_.stopping) {
        auto notice = co_await subscription.next(Deadline::never());
        if (!notice.has_value()) co_return;
        if (notice->has_value()) hear(**notice);
    }
}

void Scanners::hear(const store::Notice& notice) {
    if (notice.kind == store::Notice::Kind::Gap) {
        // What was missed is found by a cycle of everybody.
        for (auto& [kind, loop] : loops_) loop->begin_again();
        return;
    }
    if (notice.channel == model::kDueChannel) {
        const auto announcement = Announcement::parse(notice.message);
        if (!announcement) {
            log::warn("scan", "announcement_malformed", {{"error", announcement.error().text()}});
            return;
        }
        const bool flow = announcement->partition.family() == model::PartitionFamily::Flow;
        if (flow) territory_.touch(announcement->partition.index());
        if (grants_->announced(*announcement)) return;
        if (!options_.shard.has(announcement->partition.index())) return;
        for (auto& [kind, loop] : loops_) loop->hear(*announcement);
    }
}

}  // namespace ff::scan
