#include "valkey/subscriber.h"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "model/transport_kind.h"
#include "store/reply_errors.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;
using model::TransportKind;
using std::chrono::steady_clock;

/// A silent connection is asked for a sign of life, and given up when none comes in as long again.
constexpr milliseconds kSilenceMax{10'000};

}  // namespace

Subscriber::Subscriber(asio::any_io_executor loop, Random& random, Router& router, Probe& probe,
                       const Options& options)
    : loop_(std::move(loop)),
      random_(random),
      router_(router),
      probe_(probe),
      options_(options),
      wanted_(loop_),
      pause_(loop_),
      tick_(loop_),
      tasks_(loop_, "valkey subscriber") {
    tasks_.spawn(run());
    tasks_.spawn(keep_alive());
}

Task<std::shared_ptr<Inbox>> Subscriber::subscribe(store::Channels channels) {
    if (stopping_) co_return store::shutting_down();
    auto inbox = std::make_shared<Inbox>(loop_, options_.subscription_max);
    const Hub::Change fresh = hub_.add(inbox, channels);
    if (session_) {
        send("SUBSCRIBE", fresh.names);
        send("PSUBSCRIBE", fresh.patterns);
    }
    wanted_.notify();
    const Deadline deadline = Deadline::after(options_.session.connect_timeout);
    while (!hub_.confirmed(channels) && !inbox->closed() && !deadline.passed()) {
        co_await inbox->changed().wait(deadline);
    }
    if (hub_.confirmed(channels)) co_return inbox;
    unsubscribe(inbox);
    if (stopping_) co_return store::shutting_down();
    co_return model::storage_error(TransportKind::IoError, "not subscribed in time");
}

void Subscriber::unsubscribe(const std::shared_ptr<Inbox>& inbox) {
    const Hub::Change unwanted = hub_.remove(inbox);
    if (!session_) return;
    send("UNSUBSCRIBE", unwanted.names);
    send("PUNSUBSCRIBE", unwanted.patterns);
}

asio::awaitable<void> Subscriber::run() {
    co_await asio::this_coro::throw_if_cancelled(false);
    Backoff backoff(random_, options_.reconnect);
    while (!stopping_) {
        if (hub_.empty()) {
            co_await wanted_.wait(Deadline::never());
            continue;
        }
        const Result<Done> ended = co_await connect_and_listen(backoff);
        if (stopping_) break;
        log::warn("valkey", "subscriber_lost", {{"error", ended.error().text()}});
        co_await pause_.wait(Deadline::after(backoff.next()));
    }
}

Task<Done> Subscriber::connect_and_listen(Backoff& backoff) {
    const std::vector<net::Address> addresses = router_.addresses();
    if (addresses.empty()) co_return router_.why_nobody().error;
    const net::Address address = addresses[turn_++ % addresses.size()];
    const Deadline deadline = Deadline::after(options_.session.connect_timeout);
    FF_CO_TRY(std::shared_ptr<Session> session,
              co_await Session::open(loop_, address, options_.session, deadline));
    if (stopping_) co_return store::shutting_down();
    backoff.reset();
    session_ = session;
    address_ = address;
    last_byte_ = steady_clock::now();
    out_.clear();
    writing_ = false;
    const store::Channels all = hub_.all();
    send("SUBSCRIBE", all.names);
    send("PSUBSCRIBE", all.patterns);
    const Result<Done> ended = co_await listen(session);
    session->close();
    session_.reset();
    hub_.on_lost();
    gap_owed_ = true;
    probe_.connection_lost();
    co_return ended;
}

Task<Done> Subscriber::listen(std::shared_ptr<Session> session) {
    while (true) {
        FF_CO_CHECK(co_await session->fill());
        last_byte_ = steady_clock::now();
        FF_CO_CHECK(take_values(*session));
        if (gap_owed_ && hub_.all_confirmed()) {
            gap_owed_ = false;
            hub_.add_gaps();
        }
    }
}

Result<Done> Subscriber::take_values(Session& session) {
    while (true) {
        Result<std::optional<resp::Value>> value = session.parser().next();
        if (!value.has_value())
            return model::storage_error(TransportKind::ParseError, value.error().message);
        if (!value->has_value()) return Done{};
        // A refusal, for example by the server's access rules; other replies answer our PING.
        if ((*value)->is_error()) return store::without_error(**value).error();
        hub_.on_push(**value);
    }
}

asio::awaitable<void> Subscriber::keep_alive() {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!stopping_) {
        co_await tick_.wait(Deadline::after(kSilenceMax));
        const auto silence = steady_clock::now() - last_byte_;
        const std::vector<net::Address> known = router_.addresses();
        // A node that left the cluster hears nothing of what is published there.
        const bool outside = std::ranges::find(known, address_) == known.end();
        if (!session_ || (silence < kSilenceMax && !outside)) continue;
        if (silence >= 2 * kSilenceMax || outside) {
            session_->close();
        } else {
            send(resp::Command("PING"));
        }
    }
}

void Subscriber::send(std::string_view verb, const std::vector<std::string>& names) {
    if (names.empty()) return;
    resp::Command command(verb);
    for (const std::string& name : names) command.arg(name);
    send(command);
}

void Subscriber::send(const resp::Command& command) {
    out_.append(command.wire());
    if (writing_) return;
    writing_ = true;
    tasks_.spawn(write_out(session_));
}

asio::awaitable<void> Subscriber::write_out(std::shared_ptr<Session> session) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (session == session_ && !out_.empty()) {
        std::string bytes;
        std::swap(bytes, out_);
        const Result<Done> written = co_await session->write(std::move(bytes));
        if (!written.has_value()) session->close();
    }
    if (session == session_) writing_ = false;
}

asio::awaitable<void> Subscriber::stop() {
    stopping_ = true;
    hub_.close();
    if (session_) session_->close();
    wanted_.notify();
    pause_.notify();
    tick_.notify();
    tasks_.cancel();
    co_await tasks_.join();
}

}  // namespace ff::valkey
