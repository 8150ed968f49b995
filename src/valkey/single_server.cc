#include "valkey/single_server.h"

#include <utility>

namespace ff::valkey {

namespace asio = boost::asio;

SingleServer::SingleServer(asio::any_io_executor loop, Random& random, Probe& probe,
                           const Options& options)
    : connection_(std::move(loop), random, probe,
                  connection_options(options, options.addresses.front()), [] {}) {}

Connection* SingleServer::owner(std::optional<std::uint16_t>) {
    return &connection_;
}

Connection* SingleServer::node(const net::Address&) {
    return &connection_;
}

std::optional<net::Address> SingleServer::owner_address(std::optional<std::uint16_t>) {
    return connection_.address();
}

void SingleServer::moved(std::uint16_t, const net::Address&) {}

asio::awaitable<void> SingleServer::refresh(Deadline) {
    co_return;
}

void SingleServer::found_read_only(const net::Address&) {
    connection_.renew();
}

asio::awaitable<void> SingleServer::stop() {
    co_await connection_.stop(kStopGrace);
}

}  // namespace ff::valkey
