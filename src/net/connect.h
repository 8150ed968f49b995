#pragma once

#include <memory>

#include <boost/asio/any_io_executor.hpp>

#include "base/deadline.h"
#include "base/task.h"
#include "net/address.h"
#include "net/stream.h"
#include "net/tls_context.h"

namespace ff::net {

/// What to connect to, and how.
struct Target {
    Address address{};
    /// Plain when there is none. Not for unix sockets.
    std::shared_ptr<const TlsContext> tls{};
};

/// Resolves, connects and, for TLS, shakes hands. A failure is `io_error`, or
/// `invalid_client_config` where trying again cannot help (a certificate that does not verify).
/// Shared between its user and the guards that may close it.
Task<std::shared_ptr<Stream>> connect(boost::asio::any_io_executor loop, Target target,
                                      Deadline deadline);

/// Closes a stream when the deadline passes, unless it is destroyed first.
class CloseAt {
  public:
    CloseAt(boost::asio::any_io_executor loop, const std::shared_ptr<Stream>& stream,
            Deadline deadline);
    ~CloseAt();

  private:
    struct Timer;
    std::shared_ptr<Timer> timer_;  // watched by the expiry
};

}  // namespace ff::net
