#include "valkey/blocking_pool.h"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "model/transport_kind.h"
#include "net/connect.h"
#include "store/command_keys.h"
#include "store/reply_errors.h"
#include "valkey/await.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;
using model::TransportKind;
using std::chrono::steady_clock;
using store::Reply;

/// How long a read keeps a connection while others wait for one.
constexpr milliseconds kSlice{100};
/// The longest single wait; a read with more time sends another.
constexpr milliseconds kBlockMax{60'000};
/// A reply may be so late beyond the BLOCK time (spec 01, section 11).
constexpr milliseconds kLateMax{500};
constexpr milliseconds kPlainPatience{5'000};
constexpr std::string_view kAsking = "*1\r\n$6\r\nASKING\r\n";

Deadline earlier(Deadline a, Deadline b) {
    return a.at() < b.at() ? a : b;
}

}  // namespace

struct BlockingPool::Claim {
    explicit Claim(const asio::any_io_executor& loop) : turn(loop) {}
    Event turn;
};

struct BlockingPool::Opening {
    explicit Opening(const asio::any_io_executor& loop) : ended(loop) {}
    Event ended;
    std::optional<Result<std::shared_ptr<Session>>> session{};
};

struct BlockingPool::Progress {
    Progress(const store::Call& one, std::optional<std::uint16_t> its_slot)
        : call(one),
          slot(its_slot),
          request(one.command),
          end(earlier(request.end(), one.deadline)) {
        if (!request.blocks()) end = one.deadline;
    }
    const store::Call& call;
    std::optional<std::uint16_t> slot;
    BlockingRead request;
    /// When it is null that is answered.
    Deadline end;
    RedirectFsm fsm{true};
    Step step{.kind = Step::Kind::Again};
};

BlockingPool::BlockingPool(asio::any_io_executor loop, Router& router, Probe& probe,
                           const Options& options)
    : loop_(std::move(loop)),
      router_(router),
      probe_(probe),
      options_(options),
      idle_(loop_),
      left_(loop_),
      tasks_(loop_, "valkey blocking reads") {
    tasks_.spawn(close_idle());
}

Task<Reply> BlockingPool::read(const store::Call& call) {
    FF_CO_TRY(const std::optional<std::uint16_t> slot, store::slot_of(call.command.args()));
    if (stopping_) co_return store::shutting_down();
    Progress progress(call, slot);
    ++readers_;
    Result<Reply> reply = co_await read_in_slices(progress);
    --readers_;
    if (stopping_ && readers_ == 0) left_.notify();
    co_return reply;
}

Task<Reply> BlockingPool::read_in_slices(Progress& progress) {
    while (true) {
        const std::optional<net::Address> owner = router_.owner_address(progress.slot);
        const std::optional<net::Address> address = progress.step.to ? progress.step.to : owner;
        Outcome outcome = router_.why_nobody();
        if (address) {
            const std::optional<Place> seat = co_await acquire(*address, progress.end);
            if (stopping_) co_return store::shutting_down();
            if (!seat) co_return Reply();
            outcome = co_await read_once(progress, *seat);
            if (stopping_) co_return store::shutting_down();
        }
        const auto* failure = std::get_if<Failure>(&outcome);
        const auto* reply = std::get_if<resp::Value>(&outcome);
        if (reply != nullptr && reply->is_null() && !progress.end.passed() &&
            progress.request.blocks()) {
            progress.step = {.kind = Step::Kind::Again};
            continue;
        }
        const net::Address from = address.value_or(net::Address());
        progress.step = failure != nullptr ? progress.fsm.on_failure(*failure)
                                           : progress.fsm.on_reply(*reply, from);
        Step& step = progress.step;
        if (step.kind == Step::Kind::Fail) co_return step.error;
        if (step.kind == Step::Kind::Done)
            co_return store::without_error(std::get<resp::Value>(std::move(outcome)));
        if (progress.call.deadline.passed() || progress.end.passed()) co_return step.error;
        probe_.redirected(
            model::parse_transport_kind(step.error.kind).value_or(TransportKind::Unknown));
        if (step.moved_slot && step.to) router_.moved(*step.moved_slot, *step.to);
        if (step.refresh == Step::Refresh::First) {
            co_await router_.refresh(progress.end);
        } else if (step.refresh == Step::Refresh::Meanwhile) {
            router_.refresh_meanwhile();
        }
        co_await pause(loop_, step.pause, progress.end);
    }
}

asio::awaitable<Outcome> BlockingPool::read_once(Progress& progress, Place seat) {
    Result<Done> connected = co_await connect(seat);
    if (!connected.has_value()) {
        const bool again = connected.error().cls == ErrorClass::Retryable;
        release(seat, false);
        co_return Failure{.error = std::move(connected).error(), .worth_retrying = again};
    }
    Result<resp::Value> reply = co_await exchange(progress, seat);
    const bool interrupted = seat->interrupted;
    release(seat, reply.has_value());
    if (reply.has_value()) co_return *std::move(reply);
    // Made to leave, and nothing had come: as if its time had been shorter.
    if (interrupted) co_return resp::Value();
    co_return Failure{.error = std::move(reply).error(), .sent = Sent::Maybe};
}

Task<Done> BlockingPool::connect(Place seat) {
    if (seat->session) co_return Done{};
    const auto opening = std::make_shared<Opening>(loop_);
    tasks_.spawn(open_session(opening, seat->address));
    while (!opening->session && !stopping_) {
        co_await opening->ended.wait(Deadline::never());
    }
    if (!opening->session) co_return store::shutting_down();
    FF_CO_TRY(seat->session, *std::move(opening->session));
    co_return Done{};
}

asio::awaitable<void> BlockingPool::open_session(std::shared_ptr<Opening> opening,
                                                 net::Address address) {
    co_await asio::this_coro::throw_if_cancelled(false);
    const Deadline deadline = Deadline::after(options_.session.connect_timeout);
    Result<std::shared_ptr<Session>> session =
        co_await Session::open(loop_, std::move(address), options_.session, deadline);
    opening->session.emplace(std::move(session));
    opening->ended.notify();
}

Task<resp::Value> BlockingPool::exchange(Progress& progress, Place seat) {
    const std::shared_ptr<Session> session = seat->session;
    seat->since = steady_clock::now();
    seat->sliced = readers_ > options_.blocking_max;
    const auto left = std::chrono::ceil<milliseconds>(progress.end.remaining());
    const milliseconds block = std::min(left, seat->sliced ? kSlice : kBlockMax);
    const milliseconds patience = progress.request.blocks() ? block + kLateMax : kPlainPatience;
    const net::CloseAt guard(loop_, session->shared_stream(), Deadline::after(patience));
    std::string bytes(progress.step.asking ? kAsking : "");
    bytes += progress.request.slice(block).wire();
    FF_CO_CHECK(co_await session->write(std::move(bytes)));
    if (progress.step.asking) {
        FF_CO_CHECK(co_await session->read());
    }
    co_return co_await session->read();
}

asio::awaitable<std::optional<BlockingPool::Place>> BlockingPool::acquire(net::Address address,
                                                                          Deadline deadline) {
    Claim claim(loop_);
    queue_.push_back(&claim);
    std::optional<Place> seat;
    while (!stopping_ && !deadline.passed()) {
        if (queue_.front() == &claim) {
            seat = try_take(address);
            if (seat) break;
            interrupt_one();
        }
        co_await claim.turn.wait(deadline);
    }
    std::erase(queue_, &claim);
    wake_next();
    co_return seat;
}

std::optional<BlockingPool::Place> BlockingPool::try_take(const net::Address& address) {
    const auto free_one = [](const Seat& seat) { return !seat.busy; };
    auto place = std::ranges::find_if(
        seats_, [&](const Seat& seat) { return !seat.busy && seat.address == address; });
    if (place == seats_.end() && seats_.size() < options_.blocking_max)
        place = seats_.insert(seats_.end(), Seat{});
    if (place == seats_.end()) place = std::ranges::find_if(seats_, free_one);
    if (place == seats_.end()) return std::nullopt;
    if (place->address != address) {
        if (place->session) place->session->close();
        *place = Seat{.address = address};
    }
    place->busy = true;
    place->interrupted = false;
    return place;
}

void BlockingPool::release(Place seat, bool healthy) {
    if (healthy && !seat->interrupted && !stopping_) {
        seat->busy = false;
        seat->since = steady_clock::now();
        idle_.notify();
    } else {
        if (seat->session) seat->session->close();
        seats_.erase(seat);
    }
    wake_next();
}

void BlockingPool::interrupt_one() {
    Seat* longest = nullptr;
    for (Seat& seat : seats_) {
        if (seat.sliced || seat.interrupted || !seat.session) continue;
        if (longest == nullptr || seat.since < longest->since) longest = &seat;
    }
    if (longest == nullptr) return;
    longest->interrupted = true;
    longest->session->close();
}

void BlockingPool::wake_next() {
    if (!queue_.empty()) queue_.front()->turn.notify();
}

asio::awaitable<void> BlockingPool::close_idle() {
    co_await asio::this_coro::throw_if_cancelled(false);
    while (!stopping_) {
        Deadline next = Deadline::never();
        const auto now = steady_clock::now();
        for (auto it = seats_.begin(); it != seats_.end();) {
            const auto left =
                std::chrono::ceil<milliseconds>(it->since - now) + options_.blocking_idle;
            if (it->busy) {
                ++it;
            } else if (left.count() > 0) {
                next = earlier(next, Deadline::after(left));
                ++it;
            } else {
                it->session->close();
                it = seats_.erase(it);
            }
        }
        co_await idle_.wait(next);
    }
}

asio::awaitable<void> BlockingPool::stop() {
    stopping_ = true;
    for (const Seat& seat : seats_)
        if (seat.session) seat.session->close();
    for (Claim* claim : queue_) claim->turn.notify();
    idle_.notify();
    tasks_.cancel();
    while (readers_ > 0) {
        co_await left_.wait(Deadline::never());
    }
    seats_.clear();
    co_await tasks_.join();
}

}  // namespace ff::valkey
