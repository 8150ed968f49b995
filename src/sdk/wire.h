#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "flowfabric/result.h"
#include "sdk/server_url.h"

namespace ff::sdk {

using SteadyTime = std::chrono::steady_clock::time_point;

/// What went wrong on the way: code `http`, with a kind of connect_failed, timeout,
/// connection_lost, protocol or tls. The last two are not cured by another try.
flowfabric::Error http_error(std::string kind, std::string message);

/// Bytes to and from a server. One caller at a time; every wait has a deadline.
class Wire {
  public:
    /// A TCP connection, or one to a unix socket.
    static flowfabric::Result<std::unique_ptr<Wire>> connect(const ServerUrl& url,
                                                             SteadyTime until);
    virtual ~Wire() = default;

    /// At least one byte; `connection_lost` at the end.
    virtual flowfabric::Result<std::size_t> read(std::span<char> into, SteadyTime until) = 0;
    /// All of both.
    virtual flowfabric::Result<flowfabric::Done> write(std::string_view head, std::string_view body,
                                                       SteadyTime until) = 0;
    /// Ends what is under way with `connection_lost`. From any thread.
    virtual void cut() const = 0;
    /// The other side has closed it, or said something unasked.
    virtual bool stale() const = 0;
};

}  // namespace ff::sdk
