#pragma once

#include <memory>
#include <string>

#include <boost/asio/any_io_executor.hpp>

#include "base/deadline.h"
#include "base/task.h"
#include "net/address.h"
#include "net/stream.h"
#include "resp/command.h"
#include "resp/parser.h"
#include "valkey/options.h"

namespace ff::valkey {

/// An open connection that has said HELLO: a stream with a parser behind it. Lives on one loop.
/// Shared by those who read, those who write and those who close it.
class Session {
  public:
    /// Connects, speaks RESP3, authenticates, gives the connection its name. A failure is a
    /// `storage_error`; its kind says whether trying again can help.
    static Task<std::shared_ptr<Session>> open(boost::asio::any_io_executor loop,
                                               net::Address address, SessionOptions options,
                                               Deadline deadline);

    explicit Session(std::shared_ptr<net::Stream> stream) : stream_(std::move(stream)) {}

    net::Stream& stream() { return *stream_; }
    const std::shared_ptr<net::Stream>& shared_stream() const { return stream_; }
    resp::Parser& parser() { return parser_; }

    /// Waits for bytes and gives them to the parser. Fails with kind `io_error`.
    Task<Done> fill();
    /// The next value of any kind. Fails with kind `io_error` or `parse_error`.
    Task<resp::Value> read();
    Task<Done> write(std::string bytes);
    void close() { stream_->close(); }

  private:
    std::shared_ptr<net::Stream> stream_;
    resp::Parser parser_{};
};

}  // namespace ff::valkey
