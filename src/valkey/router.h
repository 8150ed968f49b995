#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "base/deadline.h"
#include "net/address.h"
#include "valkey/connection.h"

namespace ff::valkey {

/// How long calls under way may go on once the store is asked to stop.
constexpr milliseconds kStopGrace{5'000};

/// Knows which server serves what, and holds the connections to them. Lives on the store's loop.
/// A connection it names is valid until the next await.
class Router {
  public:
    virtual ~Router() = default;

    /// The connection to the primary of a slot, or to any primary for a call without keys. Null if
    /// none is known at present.
    virtual Connection* owner(std::optional<std::uint16_t> slot) = 0;
    /// What a call meets that nobody can be named for.
    virtual Failure why_nobody() const = 0;
    /// The connection to one node.
    virtual Connection* node(const net::Address& address) = 0;
    /// A connection to each primary.
    virtual std::vector<Connection*> primaries() = 0;
    /// Where blocking reads and subscriptions may connect to, the best first.
    virtual std::vector<net::Address> addresses() = 0;
    /// The primary of a slot, to connect to it on another way.
    virtual std::optional<net::Address> owner_address(std::optional<std::uint16_t> slot) = 0;

    /// A redirection said so.
    virtual void moved(std::uint16_t slot, const net::Address& to) = 0;
    /// Learns anew who serves what. Those who ask at the same time share one look. Returns when it
    /// is done or at the deadline.
    virtual boost::asio::awaitable<void> refresh(Deadline deadline) = 0;
    virtual void refresh_meanwhile() = 0;
    /// A node that was taken for a primary answered that it is none.
    virtual void found_read_only(const net::Address& address) = 0;

    virtual boost::asio::awaitable<void> stop() = 0;
};

/// What a connection to that node is made with.
ConnectionOptions connection_options(const Options& options, const net::Address& address);

}  // namespace ff::valkey
