#pragma once

#include <boost/asio/any_io_executor.hpp>

#include "base/random.h"
#include "valkey/options.h"
#include "valkey/router.h"

namespace ff::valkey {

/// One server that serves every slot.
class SingleServer final : public Router {
  public:
    /// Starts to connect. `options.addresses` holds the one address.
    SingleServer(boost::asio::any_io_executor loop, Random& random, Probe& probe,
                 const Options& options);

    Connection* owner(std::optional<std::uint16_t> slot) override;
    Failure why_nobody() const override { return {}; }
    Connection* node(const net::Address& address) override;
    std::vector<Connection*> primaries() override { return {&connection_}; }
    std::vector<net::Address> addresses() override { return {connection_.address()}; }
    std::optional<net::Address> owner_address(std::optional<std::uint16_t> slot) override;

    void moved(std::uint16_t slot, const net::Address& to) override;
    boost::asio::awaitable<void> refresh(Deadline deadline) override;
    void refresh_meanwhile() override {}
    /// Its name may lead to another server by now.
    void found_read_only(const net::Address& address) override;

    boost::asio::awaitable<void> stop() override;

  private:
    Connection connection_;
};

}  // namespace ff::valkey
