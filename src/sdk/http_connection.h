#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "flowfabric/result.h"
#include "sdk/door.h"
#include "sdk/tls_wire.h"
#include "sdk/wire.h"

namespace ff::sdk {

/// One HTTP/1.1 connection, for one request at a time. Blocks with a deadline.
class HttpConnection {
  public:
    /// With TLS if there is a trust.
    static flowfabric::Result<std::unique_ptr<HttpConnection>> open(const ServerUrl& url,
                                                                    const TlsTrust* trust,
                                                                    SteadyTime until);

    /// `head` ends with an empty line.
    flowfabric::Result<DoorReply> exchange(std::string_view head, std::string_view body,
                                           SteadyTime until);
    /// Ends an exchange under way with `connection_lost`. From any thread.
    void cut() const { wire_->cut(); }
    /// Another request may follow.
    bool reusable() const { return reusable_; }
    /// The server has closed it meanwhile.
    bool stale() const { return wire_->stale(); }

  private:
    explicit HttpConnection(std::unique_ptr<Wire> wire) : wire_(std::move(wire)) {}
    /// More bytes in the buffer; `connection_lost` at the end.
    flowfabric::Result<flowfabric::Done> fill(SteadyTime until);
    flowfabric::Result<std::string> line(SteadyTime until);
    flowfabric::Result<std::string> take(std::size_t count, SteadyTime until);
    flowfabric::Result<std::string> chunks(SteadyTime until);
    flowfabric::Result<std::string> rest(SteadyTime until);

    std::unique_ptr<Wire> wire_;
    std::string buffer_{};
    std::size_t used_ = 0;
    bool reusable_ = false;
};

}  // namespace ff::sdk
