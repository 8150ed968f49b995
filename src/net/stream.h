#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/task.h"

namespace ff::net {

/// A connected byte stream, plain or TLS. Lives on one loop. One read and one write may be under
/// way at a time. Failures have the code `io_error`.
class Stream {
  public:
    virtual ~Stream() = default;

    /// At least one byte; the end of the stream is a failure.
    virtual Task<std::size_t> read_some(std::span<char> into) = 0;
    /// Returns when all bytes are on their way. They stay in place until then.
    virtual Task<Done> write_all(std::string_view bytes) = 0;
    /// Writes what goes without waiting and says how much that was: 0 is always allowed. Not while
    /// a write_all is under way.
    virtual Result<std::size_t> try_write(std::string_view bytes) = 0;
    /// Ends the operations under way with a failure. May be called more than once.
    virtual void close() = 0;
};

}  // namespace ff::net
