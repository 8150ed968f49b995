#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "http/message.h"

namespace ff::http {

/// What a request may bring along, decided from its head.
struct Admission {
    std::size_t body_bytes_max = 0;
    /// The pattern of the route, named in the refusal of a larger body.
    std::string route{};
    /// The answer, when the head is enough to refuse: the body is not read, and the connection
    /// ends with it.
    std::optional<Response> refusal{};
    /// Kept until the request is answered, or will never be.
    std::shared_ptr<void> held{};
};

/// The other end of the connection a request came from.
class Peer {
  public:
    virtual ~Peer() = default;
    /// Returns when the client has closed its end, so that a handler that waits can stop waiting.
    /// Meant for one half of an `||`: otherwise it may never return. Does not see the end behind a
    /// further request that the client has already sent.
    virtual boost::asio::awaitable<void> gone() = 0;
    /// Whether the client has closed its end, as far as is known now; false also where nobody can
    /// tell.
    virtual bool has_left() { return false; }
    /// Address and port of the client, for logs.
    virtual std::string address() const = 0;
};

/// Answers requests. Called on the server's loop, for many connections at a time.
class Handler {
  public:
    virtual ~Handler() = default;
    /// Called when the head of a request with a body has arrived and before the body is read, or
    /// asked for with `100 Continue`. `head.body` is empty.
    virtual Admission admit(const Request& head, Peer& peer) = 0;
    /// `peer` lives until the response has been written.
    virtual boost::asio::awaitable<Response> handle(Request request, Peer& peer) = 0;
};

}  // namespace ff::http
