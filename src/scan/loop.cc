#include "scan/loop.h"

#include <algorithm>
#include <exception>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/steady_clock.h"
#include "model/transport_kind.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

using Steady = SteadyClock;

Millis since_start(Steady::time_point at) {
    return std::chrono::duration_cast<Millis>(at.time_since_epoch());
}

}  // namespace

Loop::Loop(asio::any_io_executor executor, Random& random, Ground& ground,
           std::unique_ptr<Scanner> scanner)
    : random_(random), ground_(ground), scanner_(std::move(scanner)), timer_(std::move(executor)) {}

asio::awaitable<void> Loop::run() {
    const Millis interval = ground_.options.interval(scanner_->kind());
    const Millis within = ground_.options.first_cycle_within(scanner_->kind());
    const auto spread = static_cast<std::uint64_t>(within.count());
    next_cycle_ = Steady::now() + Millis(random_.below(spread));
    while (!ground_.stopping) {
        co_await wait();
        if (ground_.stopping) break;
        const Steady::time_point begun = Steady::now();
        const bool full = begun >= next_cycle_;
        nudged_ = false;
        if (full) {
            last_cycle_ = begun;
            next_cycle_ = begun + interval;
        }
        const Millis pause = co_await attempt(full);
        not_before_ = Steady::now() + pause;
    }
}

asio::awaitable<void> Loop::wait() {
    while (!ground_.stopping) {
        const Steady::time_point until = std::max(nudged_ ? not_before_ : due_time(), not_before_);
        if (Steady::now() >= until) co_return;
        timer_.expires_at(until);
        waiting_ = true;
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
        waiting_ = false;
    }
}

Loop::SteadyTime Loop::due_time() const {
    const auto due = scanner_->next_due();
    if (!due || !store_ahead_known_ || is_held()) return next_cycle_;
    // A moment later: the store must agree that it is due.
    const Millis local = due->time_since_epoch() - store_ahead_ + Millis(1);
    // Compared as milliseconds: a delay may be longer than the steady clock can count.
    return local < since_start(next_cycle_) ? Steady::time_point(local) : next_cycle_;
}

bool Loop::is_held() const {
    const auto& doubted = ground_.options.time_is_doubted;
    return facts_of(scanner_->kind()).destructive && doubted && doubted();
}

asio::awaitable<Millis> Loop::attempt(bool full) {
    try {
        const Result<Done> outcome = co_await one(full);
        if (outcome.has_value()) co_return Millis(0);
        log::warn(
            "scan", "cycle_failed",
            {{"scanner", facts_of(scanner_->kind()).name}, {"error", outcome.error().text()}});
    } catch (const std::exception& thrown) {
        log::error("scan", "scanner_crashed",
                   {{"scanner", facts_of(scanner_->kind()).name}, {"what", thrown.what()}});
        ground_.probe.restarted(scanner_->kind());
        co_return kPauseAfterCrash;
    }
    ground_.probe.restarted(scanner_->kind());
    co_return kPauseAfterError;
}

Task<Done> Loop::one(bool full) {
    if (is_held()) co_return Done{};
    const Steady::time_point begun = Steady::now();
    FF_CO_TRY(const Timestamp now, co_await store_time());
    if (full) setbacks_.cycle_began();
    Cycle cycle(ground_, setbacks_, scanner_->kind(), now);
    if (full) {
        const Result<Done> refreshed = co_await ground_.territory.refresh();
        if (!refreshed) cycle.unread(refreshed.error());
        co_await scanner_->cycle(cycle);
    } else {
        co_await scanner_->serve_due(cycle);
    }
    ground_.probe.cycle_ended(CycleFacts{.kind = scanner_->kind(),
                                         .duration = Steady::now() - begun,
                                         .items = cycle.items(),
                                         .errors = cycle.errors(),
                                         .full = full});
    co_return Done{};
}

Task<Done> Loop::run_once() {
    co_return co_await one(true);
}

Task<Done> Loop::run_due() {
    co_return co_await one(false);
}

Task<Timestamp> Loop::store_time() {
    store::Call ask = store::plain({"TIME"}, true);
    FF_CO_TRY(const store::Reply reply, co_await ground_.store.call(std::move(ask)));
    const auto parts = reply.items();
    const auto seconds = parts.size() == 2 ? parts[0].to_integer() : std::nullopt;
    const auto micros = parts.size() == 2 ? parts[1].to_integer() : std::nullopt;
    if (!seconds || !micros)
        co_return model::storage_error(model::TransportKind::ParseError, "TIME");
    const Timestamp now = timestamp_from_ms(*seconds * 1000 + *micros / 1000);
    store_ahead_ = now.time_since_epoch() - since_start(Steady::now());
    store_ahead_known_ = true;
    co_return now;
}

void Loop::nudge() {
    nudged_ = true;
    wake();
}

void Loop::begin_again() {
    // Lost messages come in swarms; one cycle finds what all of them told.
    next_cycle_ = std::min(next_cycle_, std::max(Steady::now(), last_cycle_ + kCyclesApart));
    wake();
}

void Loop::wake() {
    if (waiting_) timer_.cancel();
}

void Loop::hear(const Announcement& announcement) {
    if (scanner_->announced(announcement)) wake();
}

}  // namespace ff::scan
