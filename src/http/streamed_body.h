#pragma once

#include <chrono>
#include <string>

#include <boost/asio/awaitable.hpp>

#include "http/message.h"
#include "http/wire_stream.h"

namespace ff::http {

/// Writes a body of unknown length, as chunks or, for HTTP/1.0, as bare bytes.
class StreamedBody final : public BodyWriter {
  public:
    /// `wire` outlives it. Each piece may take `piece_max`.
    StreamedBody(WireStream& wire, std::chrono::milliseconds piece_max, bool chunked)
        : wire_(wire), piece_max_(piece_max), chunked_(chunked) {}

    Task<Done> write(std::string piece) override;
    /// Whether everything could be written.
    boost::asio::awaitable<bool> finish();

  private:
    WireStream& wire_;
    std::chrono::milliseconds piece_max_;
    bool chunked_;
    bool broken_ = false;
};

}  // namespace ff::http
