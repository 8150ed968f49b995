#include "valkey/caller.h"

#include <algorithm>
#include <utility>

#include "model/transport_kind.h"
#include "store/command_keys.h"
#include "store/reply_errors.h"
#include "valkey/await.h"
#include "valkey/resend.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;
using model::TransportKind;
using store::Call;
using store::Reply;

bool may_be_resent(const Call& call) {
    return call.resend_safe || is_plain_read(call.command.argv(0));
}

/// The reply that needs no second look, or null.
resp::Value* plain_reply(Outcome& outcome) {
    auto* reply = std::get_if<resp::Value>(&outcome);
    return reply != nullptr && !reply->is_error() ? reply : nullptr;
}

}  // namespace

/// One call of a pipeline, through its attempts.
struct Caller::Track {
    explicit Track(const Call& one) : call(&one), fsm(may_be_resent(one)) {}

    const Call* call;
    RedirectFsm fsm;
    std::optional<std::uint16_t> slot{};
    /// The last step, while the call is open.
    Step step{.kind = Step::Kind::Again};
    net::Address from{};
    std::optional<Result<Reply>> result{};
};

void Caller::submit(Connection* connection, Exchange& exchange) {
    if (connection == nullptr) {
        exchange.finish(router_.why_nobody());
    } else {
        connection->submit(exchange);
    }
}

Task<Reply> Caller::call(const Call& call) {
    FF_CO_TRY(const std::optional<std::uint16_t> slot, store::slot_of(call.command.args()));
    Waiter waiter;
    Exchange exchange(call.command, call.deadline, waiter);
    Connection* connection = router_.owner(slot);
    submit(connection, exchange);
    co_await answered(exchange, waiter);
    if (resp::Value* reply = plain_reply(exchange.outcome)) co_return std::move(*reply);
    // The connection may be gone by now; the address of one server never changes.
    const std::optional<net::Address> from = router_.owner_address(slot);
    co_return co_await follow(call, slot, std::move(exchange.outcome),
                              from.value_or(net::Address()));
}

Task<Reply> Caller::follow(const Call& call, std::optional<std::uint16_t> slot, Outcome outcome,
                           net::Address from) {
    std::vector<Track> tracks;
    Track& track = tracks.emplace_back(call);
    track.slot = slot;
    track.from = std::move(from);
    settle(track, std::move(outcome));
    while (!track.result) {
        co_await prepare(tracks);
        co_await attempt(tracks);
    }
    co_return *std::move(track.result);
}

void Caller::settle(Track& track, Outcome outcome) {
    const auto* failure = std::get_if<Failure>(&outcome);
    track.step = failure != nullptr
                     ? track.fsm.on_failure(*failure)
                     : track.fsm.on_reply(std::get<resp::Value>(outcome), track.from);
    switch (track.step.kind) {
        case Step::Kind::Done:
            track.result = store::without_error(std::get<resp::Value>(std::move(outcome)));
            return;
        case Step::Kind::Fail:
            track.result = std::move(track.step.error);
            return;
        case Step::Kind::Again:
            break;
    }
    const Step& step = track.step;
    const auto kind = model::parse_transport_kind(step.error.kind);
    probe_.redirected(kind.value_or(TransportKind::Unknown));
    if (kind == TransportKind::ReadOnly) router_.found_read_only(track.from);
    if (step.moved_slot && step.to) router_.moved(*step.moved_slot, *step.to);
    if (track.call->deadline.passed()) track.result = track.fsm.out_of_time(step.error);
}

asio::awaitable<void> Caller::prepare(std::vector<Track>& tracks) {
    milliseconds longest{0};
    auto refresh = Step::Refresh::No;
    Deadline earliest = Deadline::never();
    for (const Track& track : tracks) {
        if (track.result) continue;
        longest = std::max(longest, track.step.pause);
        refresh = std::max(refresh, track.step.refresh);
        if (track.call->deadline.at() < earliest.at()) earliest = track.call->deadline;
    }
    if (refresh == Step::Refresh::Meanwhile) router_.refresh_meanwhile();
    if (refresh == Step::Refresh::First) {
        co_await router_.refresh(earliest);
    }
    if (longest > milliseconds(0)) {
        co_await pause(loop_, longest, earliest);
    }
    for (Track& track : tracks) {
        if (!track.result && track.call->deadline.passed())
            track.result = track.fsm.out_of_time(track.step.error);
    }
}

asio::awaitable<void> Caller::attempt(std::vector<Track>& tracks) {
    Waiter waiter;
    std::vector<Exchange> exchanges;
    exchanges.reserve(tracks.size());
    std::vector<Track*> open;
    for (Track& track : tracks) {
        if (track.result) continue;
        open.push_back(&track);
        Exchange& exchange =
            exchanges.emplace_back(track.call->command, track.call->deadline, waiter);
        exchange.asking = track.step.asking;
        Connection* connection =
            track.step.to ? router_.node(*track.step.to) : router_.owner(track.slot);
        if (connection != nullptr) track.from = connection->address();
        submit(connection, exchange);
    }
    co_await answered(exchanges, waiter);
    for (std::size_t i = 0; i < open.size(); ++i) settle(*open[i], std::move(exchanges[i].outcome));
}

asio::awaitable<std::vector<Result<Reply>>> Caller::pipeline(const std::vector<Call>& calls) {
    std::vector<Track> tracks;
    tracks.reserve(calls.size());
    for (const Call& call : calls) {
        Track& track = tracks.emplace_back(call);
        Result<std::optional<std::uint16_t>> slot = store::slot_of(call.command.args());
        if (slot.has_value()) {
            track.slot = *slot;
        } else {
            track.result = std::move(slot).error();
        }
    }
    co_await attempt(tracks);
    const auto is_open = [](const Track& track) { return !track.result.has_value(); };
    while (std::ranges::any_of(tracks, is_open)) {
        co_await prepare(tracks);
        co_await attempt(tracks);
    }
    std::vector<Result<Reply>> results;
    results.reserve(tracks.size());
    for (Track& track : tracks) results.push_back(*std::move(track.result));
    co_return results;
}

asio::awaitable<std::vector<NodeReply>> Caller::every_primary(const Call& call) {
    std::vector<NodeReply> replies;
    Waiter waiter;
    std::vector<Exchange> exchanges;
    const std::vector<Connection*> primaries = router_.primaries();
    exchanges.reserve(primaries.size());
    for (Connection* primary : primaries) {
        replies.push_back({.address = primary->address(), .reply = Reply()});
        primary->submit(exchanges.emplace_back(call.command, call.deadline, waiter));
    }
    co_await answered(exchanges, waiter);
    for (std::size_t i = 0; i < replies.size(); ++i) {
        if (auto* failure = std::get_if<Failure>(&exchanges[i].outcome)) {
            replies[i].reply = std::move(failure->error);
        } else {
            replies[i].reply =
                store::without_error(std::get<resp::Value>(std::move(exchanges[i].outcome)));
        }
    }
    co_return replies;
}

Task<Reply> Caller::at_node(net::Address address, const Call& call) {
    Waiter waiter;
    Exchange exchange(call.command, call.deadline, waiter);
    submit(router_.node(address), exchange);
    co_await answered(exchange, waiter);
    if (auto* failure = std::get_if<Failure>(&exchange.outcome)) co_return failure->error;
    co_return store::without_error(std::get<resp::Value>(std::move(exchange.outcome)));
}

}  // namespace ff::valkey
