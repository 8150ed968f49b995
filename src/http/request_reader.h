#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "http/handler.h"
#include "http/message.h"
#include "http/wire_stream.h"

namespace ff::http {

struct RequestLimits {
    std::size_t target_bytes_max = 0;
    std::size_t header_bytes_max = 0;
};

/// Reads one request from a connection, its head and then its body; the parser is Beast's. Each
/// wait is bounded by what the stream's `expires_after` said last.
class RequestReader {
  public:
    /// Refused: `refusal()` is what the client is to be told. Broken: there is nobody to tell.
    enum class Read : std::uint8_t { Whole, Refused, Broken };

    /// `wire` outlives it.
    RequestReader(WireStream& wire, RequestLimits limits);
    ~RequestReader();

    boost::asio::awaitable<Read> read_head();
    /// Once the head is whole; invites a client that waits to be. Refuses what `admission` does not
    /// allow, before reading it where its length is announced.
    boost::asio::awaitable<Read> read_body(Admission admission);

    /// The head once it is whole, and with it the body once that is; its `id` is the caller's to
    /// set.
    Request& request() { return request_; }
    Response& refusal() { return refusal_; }
    /// 10 or 11, also of a request that was refused.
    unsigned version() const { return version_; }
    bool keep_alive() const { return keep_alive_; }
    bool head_only() const { return head_only_; }

  private:
    struct Parser;
    enum class Part : std::uint8_t { Head, Everything };

    boost::asio::awaitable<WireStream::Failure> feed_until(Part part);
    std::size_t room_for(Part part) const;
    void take_head();

    WireStream& wire_;
    RequestLimits limits_;
    std::unique_ptr<Parser> parser_;
    Request request_{};
    Response refusal_{};
    unsigned version_ = 11;
    bool keep_alive_ = false;
    bool head_only_ = false;
};

}  // namespace ff::http
