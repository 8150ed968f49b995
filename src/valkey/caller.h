#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/task.h"
#include "store/call.h"
#include "valkey/probe.h"
#include "valkey/redirect.h"
#include "valkey/router.h"

namespace ff::valkey {

/// What one node answered.
struct NodeReply {
    net::Address address{};
    Result<store::Reply> reply;
};

/// Brings calls to the servers that serve their keys and follows redirections. Lives on the
/// store's loop; all awaits are made there. A call belongs to the awaiting coroutine.
class Caller {
  public:
    Caller(boost::asio::any_io_executor loop, Router& router, Probe& probe)
        : loop_(std::move(loop)), router_(router), probe_(probe) {}

    Task<store::Reply> call(const store::Call& call);
    boost::asio::awaitable<std::vector<Result<store::Reply>>> pipeline(
        const std::vector<store::Call>& calls);
    /// The same command at every primary at once.
    boost::asio::awaitable<std::vector<NodeReply>> every_primary(const store::Call& call);
    /// At one node, without redirections.
    Task<store::Reply> at_node(net::Address address, const store::Call& call);

  private:
    struct Track;
    /// Sends all that is open, once, and waits for the outcomes.
    boost::asio::awaitable<void> attempt(std::vector<Track>& tracks);
    void settle(Track& track, Outcome outcome);
    /// Refreshes and pauses as the steps of the open tracks ask.
    boost::asio::awaitable<void> prepare(std::vector<Track>& tracks);
    Task<store::Reply> follow(const store::Call& call, std::optional<std::uint16_t> slot,
                              Outcome outcome, net::Address from);
    void submit(Connection* connection, Exchange& exchange);

    boost::asio::any_io_executor loop_;
    Router& router_;
    Probe& probe_;
};

}  // namespace ff::valkey
