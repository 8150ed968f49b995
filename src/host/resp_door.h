#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/result.h"
#include "host/shard_work.h"
#include "store/store.h"

namespace ff::host {

struct RespDoorOptions {
    /// An IP address. Any other than a loopback address needs a password.
    std::string host = "127.0.0.1";
    /// 0: any free one.
    std::uint16_t port = 6379;
    /// Empty: none is asked for.
    std::string password{};
    std::size_t connections_max = 1000;
    /// Of one request; a longer one ends its connection.
    std::size_t request_bytes_max = 64U << 20;
    /// Channels and patterns of one connection.
    std::size_t subscriptions_max = 256;
};

/// Lets clients of Valkey talk to the embedded store: RESP2 and RESP3 over TCP, the commands of
/// spec 01, section 6.2. All that came with one read of a connection goes to the shards as one
/// batch and comes back with one write; replies keep the order of the requests.
///
/// Lives on one single-threaded loop: construct, call and destroy it there. Stop it before the
/// store.
class RespDoor {
  public:
    /// Listens when it returns. `store` and `shards` are usually one object and outlive the door.
    static Result<std::unique_ptr<RespDoor>> open(boost::asio::any_io_executor loop,
                                                  store::Store& store, ShardWorkTaker& shards,
                                                  RespDoorOptions options);
    ~RespDoor();

    std::uint16_t port() const;
    std::size_t connections() const;
    /// Closes every connection once what it has under way is answered by the store.
    boost::asio::awaitable<void> stop();

  private:
    class Impl;
    explicit RespDoor(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace ff::host
