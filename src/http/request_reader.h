#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "http/handler.h"
#include "http/message.h"
#include "http/request_framing.h"
#include "http/wire_stream.h"

namespace ff::http {

struct RequestLimits {
    std::size_t target_bytes_max = 0;
    /// Of the header block, without the request line.
    std::size_t header_bytes_max = 0;
    std::chrono::milliseconds body_grace{};
    std::size_t body_bytes_per_second_min = 1;
};

/// Reads one request from a connection, its head and then its body. Beast parses the head; where
/// the body ends is decided here, because Beast bounds neither chunk extensions nor trailers and
/// reads an unknown `Transfer-Encoding` as no body at all. Waits for the head are bounded by what
/// the stream's `expires_after` said last, those for the body by the rate.
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
    /// The head announces a body.
    bool has_body() const;

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

    boost::asio::awaitable<WireStream::Failure> feed_head();
    bool head_too_long() const;
    Response long_head() const;
    void take_head();
    Result<Done> check_head();
    boost::asio::awaitable<bool> invite();
    /// Waits for more of the body, of which `so_far` bytes have come, as long as the rate allows.
    boost::asio::awaitable<WireStream::Failure> receive_body(std::uint64_t so_far,
                                                             std::size_t most);
    boost::asio::awaitable<Read> read_sized();
    boost::asio::awaitable<Read> read_chunked(const Admission& admission);

    WireStream& wire_;
    RequestLimits limits_;
    std::unique_ptr<Parser> parser_;
    std::size_t head_bytes_ = 0;  // parsed so far
    RequestFraming framing_{};
    std::chrono::steady_clock::time_point body_begun_{};
    Request request_{};
    Response refusal_{};
    unsigned version_ = 11;
    bool keep_alive_ = false;
    bool head_only_ = false;
};

}  // namespace ff::http
