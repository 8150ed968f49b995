#pragma once

#include <cstdint>

#include "base/result.h"
#include "http/message.h"

namespace ff::http {

/// How a request says where its body ends.
struct RequestFraming {
    enum class Kind : std::uint8_t { None, Sized, Chunked };

    Kind kind = Kind::None;
    /// Of a sized one.
    std::uint64_t length = 0;
};

/// Reads it from the head. Whatever another reader of the same bytes could take for a body of
/// another length is `invalid_input`: any `Transfer-Encoding` but a single `chunked`, one beside a
/// `Content-Length` or in HTTP/1.0, and a `Content-Length` that is repeated or no plain number.
Result<RequestFraming> framing_of(const Request& head, unsigned version);

/// Exactly one `Host` that can be one; HTTP/1.0 may leave it out.
Result<Done> check_host(const Request& head, unsigned version);

}  // namespace ff::http
