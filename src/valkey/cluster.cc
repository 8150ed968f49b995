#include "valkey/cluster.h"

#include <algorithm>
#include <utility>

#include <boost/asio/this_coro.hpp>

#include "base/log.h"
#include "model/transport_kind.h"
#include "store/reply_errors.h"
#include "valkey/await.h"

namespace ff::valkey {
namespace {

namespace asio = boost::asio;

/// A node that does not tell its map within this time is passed over.
constexpr milliseconds kAskPatience{1'000};
/// Looks follow each other no faster than this, however many ask for them.
constexpr milliseconds kLookGap{20};

void add_once(std::vector<net::Address>& list, const net::Address& address) {
    if (std::ranges::find(list, address) == list.end()) list.push_back(address);
}

}  // namespace

Cluster::Cluster(asio::any_io_executor loop, Random& random, Probe& probe, const Options& options)
    : loop_(std::move(loop)),
      random_(random),
      probe_(probe),
      options_(options),
      wanted_(loop_),
      tasks_(loop_, "valkey cluster") {
    tasks_.spawn(keep_map());
}

Connection* Cluster::node(const net::Address& address) {
    if (stopping_) return nullptr;
    std::unique_ptr<Connection>& held = nodes_[address];
    if (!held) {
        auto on_lost = [this, address] {
            if (std::ranges::find(map_.primaries(), address) != map_.primaries().end())
                refresh_meanwhile();
        };
        held = std::make_unique<Connection>(loop_, random_, probe_,
                                            connection_options(options_, address), on_lost);
    }
    return held.get();
}

Connection* Cluster::owner(std::optional<std::uint16_t> slot) {
    const std::optional<net::Address> address = owner_address(slot);
    return address ? node(*address) : nullptr;
}

std::optional<net::Address> Cluster::owner_address(std::optional<std::uint16_t> slot) {
    if (slot) {
        const net::Address* primary = map_.primary_of(*slot);
        return primary != nullptr ? std::optional(*primary) : std::nullopt;
    }
    for (const net::Address& primary : map_.primaries()) {
        const auto known = nodes_.find(primary);
        if (known != nodes_.end() && known->second->is_up()) return primary;
    }
    if (map_.primaries().empty()) return std::nullopt;
    return map_.primaries()[turn_++ % map_.primaries().size()];
}

Failure Cluster::why_nobody() const {
    if (stopping_) return {.error = store::shutting_down(), .worth_retrying = false};
    if (no_map_because_)
        return {.error = *no_map_because_,
                .worth_retrying = no_map_because_->cls == ErrorClass::Retryable};
    return {.error = model::storage_error(model::TransportKind::ClusterDown,
                                          "no server is known for the slot")};
}

std::vector<Connection*> Cluster::primaries() {
    std::vector<Connection*> all;
    for (const net::Address& address : map_.primaries())
        if (Connection* connection = node(address)) all.push_back(connection);
    return all;
}

std::vector<net::Address> Cluster::addresses() {
    return candidates();
}

void Cluster::moved(std::uint16_t slot, const net::Address& to) {
    map_.move(slot, to);
}

void Cluster::found_read_only(const net::Address&) {
    refresh_meanwhile();
}

void Cluster::refresh_meanwhile() {
    wanted_.notify();
}

asio::awaitable<void> Cluster::refresh(Deadline deadline) {
    if (stopping_) co_return;
    Event done(loop_);
    const auto place = joiners_.insert(joiners_.end(), &done);
    wanted_.notify();
    co_await done.wait(deadline);
    joiners_.erase(place);
}

asio::awaitable<void> Cluster::keep_map() {
    co_await asio::this_coro::throw_if_cancelled(false);
    Event gap(loop_);
    while (!stopping_) {
        co_await look();
        for (Event* joiner : joiners_) joiner->notify();
        if (stopping_) break;
        co_await gap.wait(Deadline::after(kLookGap));
        if (stopping_) break;
        co_await wanted_.wait(Deadline::after(options_.refresh_interval));
    }
}

std::vector<net::Address> Cluster::candidates() {
    std::vector<net::Address> all;
    // Those that answer at once come first.
    for (const auto& [address, connection] : nodes_)
        if (connection->is_up()) add_once(all, address);
    if (!all.empty()) {
        const auto first = static_cast<std::ptrdiff_t>(turn_++ % all.size());
        std::rotate(all.begin(), all.begin() + first, all.end());
    }
    for (const net::Address& address : map_.nodes()) add_once(all, address);
    for (const net::Address& address : options_.addresses) add_once(all, address);
    return all;
}

asio::awaitable<void> Cluster::look() {
    Error last{};
    for (const net::Address& address : candidates()) {
        if (stopping_) co_return;
        Result<SlotMap> map = co_await ask(address);
        if (map.has_value()) {
            apply(*std::move(map));
            co_return;
        }
        last = map.error();
    }
    if (!no_map_because_) log::warn("valkey", "no_topology", {{"error", last.text()}});
    no_map_because_ = std::move(last);
}

Task<SlotMap> Cluster::ask(net::Address address) {
    Connection* connection = node(address);
    if (connection == nullptr) co_return store::shutting_down();
    resp::Command command("CLUSTER");
    command.arg("SLOTS");
    Waiter waiter;
    Exchange exchange(command, Deadline::after(kAskPatience), waiter);
    connection->submit(exchange);
    co_await answered(exchange, waiter);
    if (const auto* failure = std::get_if<Failure>(&exchange.outcome)) co_return failure->error;
    FF_CO_TRY(const resp::Value reply,
              store::without_error(std::get<resp::Value>(std::move(exchange.outcome))));
    FF_CO_TRY(SlotMap map, SlotMap::parse(reply, address));
    if (map.covered() == 0)
        co_return model::storage_error(model::TransportKind::ClusterDown,
                                       address.text() + " knows of no slots");
    co_return map;
}

void Cluster::apply(SlotMap map) {
    map_ = std::move(map);
    no_map_because_.reset();
    probe_.topology_refreshed();
    for (auto it = nodes_.begin(); it != nodes_.end();) {
        const bool seed =
            std::ranges::find(options_.addresses, it->first) != options_.addresses.end();
        if (seed || map_.has_node(it->first)) {
            ++it;
            continue;
        }
        tasks_.spawn(retire(std::move(it->second)));
        it = nodes_.erase(it);
    }
}

asio::awaitable<void> Cluster::retire(std::unique_ptr<Connection> connection) {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await connection->stop(kStopGrace);
}

asio::awaitable<void> Cluster::stop() {
    stopping_ = true;
    wanted_.notify();
    for (Event* joiner : joiners_) joiner->notify();
    for (auto& [address, connection] : std::exchange(nodes_, {}))
        tasks_.spawn(retire(std::move(connection)));
    co_await tasks_.join();
}

}  // namespace ff::valkey
