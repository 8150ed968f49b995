#include "valkey/connection.h"

#include <algorithm>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "model/transport_kind.h"
#include "store/reply_errors.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;
using model::TransportKind;
using std::chrono::steady_clock;

/// Requests that are sent before the batch of replies that led to them is through.
constexpr std::size_t kFlushEvery = 32;
/// Memory that the write buffer keeps between two writes.
constexpr std::size_t kOutKeptMax = std::size_t{4} << 20;

Deadline at(Pipeline::Time time) {
    return time == Pipeline::Time::max()
               ? Deadline::never()
               : Deadline::after(std::chrono::ceil<milliseconds>(time - steady_clock::now()));
}

}  // namespace

Connection::Connection(asio::any_io_executor loop, Random& random, Probe& probe,
                       ConnectionOptions options, std::function<void()> on_lost)
    : loop_(std::move(loop)),
      random_(random),
      probe_(probe),
      options_(std::move(options)),
      on_lost_(std::move(on_lost)),
      pipeline_(options_.limits),
      pause_(loop_),
      look_(loop_),
      drained_(loop_),
      tasks_(loop_, "valkey connection") {
    tasks_.spawn(run());
    tasks_.spawn(watch());
}

Connection::~Connection() {
    *alive_ = false;
}

std::optional<Failure> Connection::refusal(const Exchange& exchange) const {
    if (stopping_) return Failure{.error = store::shutting_down(), .worth_retrying = false};
    if (!down_because_) return std::nullopt;
    // Wrong credentials or settings: waiting does not mend them.
    if (down_because_->cls != ErrorClass::Retryable)
        return Failure{.error = *down_because_, .worth_retrying = false};
    if (!options_.hold_while_down || exchange.deadline.passed())
        return Failure{.error = *down_because_};
    return std::nullopt;
}

void Connection::submit(Exchange& exchange) {
    if (std::optional<Failure> refused = refusal(exchange)) {
        exchange.finish(*std::move(refused));
        return;
    }
    if (!pipeline_.add(exchange)) {
        Error error = model::storage_error(TransportKind::IoError, "too many calls are waiting");
        exchange.finish(Failure{.error = std::move(error), .worth_retrying = false});
        return;
    }
    if (exchange.deadline.at() < look_at_ || look_at_ == Pipeline::Time::max()) {
        look_at_ = exchange.deadline.at();
        look_.notify();
    }
    if (is_up()) schedule_flush();
}

void Connection::renew() {
    if (!is_up()) return;
    renewing_ = true;
    if (pipeline_.in_flight() == 0) break_off();
}

void Connection::schedule_flush() {
    if (in_batch_ || flush_posted_ || writing_) return;
    flush_posted_ = true;
    asio::post(loop_, [this, alive = alive_] {
        if (!*alive) return;
        flush_posted_ = false;
        flush();
    });
}

void Connection::flush() {
    while (is_up() && !writing_ && !renewing_) {
        pipeline_.encode(out_, steady_clock::now());
        if (out_.empty()) break;
        const Result<std::size_t> count = session_->stream().try_write(out_);
        if (!count.has_value()) return break_off();
        pipeline_.handed_over(*count);
        if (*count == out_.size()) {
            out_.clear();
            if (out_.capacity() > kOutKeptMax) out_ = {};
            continue;
        }
        out_.erase(0, *count);
        writing_ = true;
        tasks_.spawn(write_rest(session_));
    }
    report();
}

asio::awaitable<void> Connection::write_rest(std::shared_ptr<Session> session) {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (session == session_ && !out_.empty()) {
        std::string bytes;
        std::swap(bytes, out_);
        pipeline_.handed_over(bytes.size());
        const Result<Done> written = co_await session->stream().write_all(bytes);
        if (!written.has_value()) session->close();
        if (session == session_ && !renewing_) pipeline_.encode(out_, steady_clock::now());
    }
    if (session == session_) writing_ = false;
}

void Connection::break_off() {
    if (session_) session_->close();
}

asio::awaitable<void> Connection::run() {
    co_await asio::this_coro::throw_if_cancelled(false);
    Backoff backoff(random_, options_.reconnect);
    while (!stopping_) {
        const Deadline deadline = Deadline::after(options_.session.connect_timeout);
        Result<std::shared_ptr<Session>> session =
            co_await Session::open(loop_, options_.address, options_.session, deadline);
        if (stopping_) break;
        if (session.has_value()) {
            backoff.reset();
            co_await serve(*std::move(session));
        } else {
            on_refused(session.error());
        }
        if (stopping_) break;
        co_await pause_.wait(Deadline::after(backoff.next()));
    }
}

void Connection::on_refused(const Error& error) {
    if (!down_because_)
        log::warn("valkey", "connect_failed",
                  {{"address", options_.address.text()}, {"error", error.text()}});
    down_because_ = error;
    if (!options_.hold_while_down || error.cls != ErrorClass::Retryable)
        pipeline_.refuse_waiting(error, error.cls == ErrorClass::Retryable);
    on_lost_();
}

asio::awaitable<void> Connection::serve(std::shared_ptr<Session> session) {
    session_ = session;
    down_because_.reset();
    writing_ = renewing_ = false;
    last_byte_ = steady_clock::now();
    probe_.connected();
    flush();
    const Result<Done> ended = co_await read_replies(session);
    session->close();
    session_.reset();
    out_.clear();
    on_broken(ended.error());
}

void Connection::on_broken(const Error& error) {
    probe_.connection_lost();
    if (!stopping_ && !renewing_)
        log::warn("valkey", "connection_lost",
                  {{"address", options_.address.text()}, {"error", error.text()}});
    const bool garbled = error.kind == model::to_string(TransportKind::ParseError);
    pipeline_.on_broken(garbled ? error
                                : model::storage_error(TransportKind::FatalReceive,
                                                       "connection lost: " + error.text()),
                        !garbled);
    if (!options_.hold_while_down) pipeline_.refuse_waiting(error, true);
    if (stopping_ && pipeline_.unwanted()) drained_.notify();
    on_lost_();
}

Task<Done> Connection::read_replies(std::shared_ptr<Session> session) {
    while (true) {
        FF_CO_CHECK(co_await session->fill());
        in_batch_ = true;
        const Result<Done> taken = take_replies(*session);
        in_batch_ = false;
        if (!taken.has_value()) co_return taken.error();
        flush();
        if (stopping_ && pipeline_.unwanted()) drained_.notify();
        if (renewing_ && pipeline_.in_flight() == 0) break_off();
    }
}

Result<Done> Connection::take_replies(Session& session) {
    const Pipeline::Time now = steady_clock::now();
    last_byte_ = now;
    while (true) {
        Result<std::optional<resp::Value>> value = session.parser().next();
        if (!value.has_value())
            return model::storage_error(TransportKind::ParseError, value.error().message);
        if (!value->has_value()) return Done{};
        // Nothing was subscribed here; a push is news that nobody asked for.
        if ((*value)->type() == resp::Type::Push) continue;
        const Pipeline::Matched matched = pipeline_.on_reply(std::move(**value), now);
        // A long batch is sent in parts, so that the server works on the first while we make the
        // next; otherwise one of the two always waits for the other.
        if (pipeline_.waiting() >= kFlushEvery) flush();
        if (!matched.matched)
            return model::storage_error(TransportKind::ParseError, "a reply to no request");
        if (matched.round_trip) probe_.round_trip(*matched.round_trip);
    }
}

asio::awaitable<void> Connection::watch() {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!stopping_ || !pipeline_.unwanted()) {
        look_at_ = next_look();
        co_await look_.wait(at(look_at_));
        const Pipeline::Time now = steady_clock::now();
        pipeline_.expire(now);
        if (silent_too_long(now)) break_off();
        if (stopping_ && pipeline_.unwanted()) drained_.notify();
    }
}

bool Connection::silent_too_long(Pipeline::Time now) const {
    const std::optional<Pipeline::Time> oldest = pipeline_.oldest_sent();
    return oldest && now - std::max(*oldest, last_byte_) >= options_.silence_max;
}

Pipeline::Time Connection::next_look() const {
    if (pipeline_.empty()) return Pipeline::Time::max();
    return std::min(pipeline_.next_deadline(), steady_clock::now() + options_.silence_max);
}

asio::awaitable<void> Connection::stop(milliseconds grace) {
    stopping_ = true;
    if (!is_up()) pipeline_.refuse_waiting(store::shutting_down(), false);
    const Deadline deadline = Deadline::after(grace);
    while (!pipeline_.unwanted() && !deadline.passed()) {
        co_await drained_.wait(deadline);
    }
    break_off();
    pause_.notify();
    look_.notify();
    tasks_.cancel();
    co_await tasks_.join();
    pipeline_.on_broken(store::shutting_down(), false);
    pipeline_.refuse_waiting(store::shutting_down(), false);
}

}  // namespace ff::valkey
