#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ff::resp {

struct RequestLimits {
    std::size_t args_max = std::size_t{1} << 20;
    std::size_t bulk_bytes_max = std::size_t{512} << 20;
    std::size_t inline_bytes_max = std::size_t{64} << 10;
};

/// What `RequestParser::parse` found.
enum class RequestStatus : std::uint8_t { Complete, NeedMore, Error };

/// Reads the requests of clients, multibulk or inline, in place: the arguments are views into the
/// receive buffer, and a warm parser allocates nothing. One parser serves one connection.
///
///     while (parser.parse(buffer, start) == RequestStatus::Complete) {
///         if (!parser.argv().empty()) serve(parser.argv());
///         start += parser.consumed();
///     }
///
/// After NeedMore, append to the buffer and call again with the same request at `start`; the buffer
/// may have moved, and what was read already is not read again. After Error, send `error()` and
/// close: the parser stays failed until `reset`.
class RequestParser {
  public:
    explicit RequestParser(RequestLimits limits = {}) : limits_(limits) {}

    /// `start` is where the request begins in `buffer`; at most its size.
    RequestStatus parse(std::string_view buffer, std::size_t start);

    /// Of a complete request, until the buffer changes or `parse` is called. Empty for an empty
    /// line or a count of zero, which are no request and get no reply.
    std::span<const std::string_view> argv() const { return argv_; }
    /// Bytes of the complete request.
    std::size_t consumed() const { return position_; }
    /// After NeedMore: at least so many bytes are missing.
    std::size_t need() const { return need_; }
    /// After Error: the reply without `-` and line end, as Valkey words it.
    std::string_view error() const { return error_; }

    /// Forgets a request under way, and a failure.
    void reset();

  private:
    enum class Mode : std::uint8_t { Start, Multibulk, Inline, Done, Failed };

    RequestStatus parse_count(std::string_view request);
    RequestStatus parse_args(std::string_view request);
    RequestStatus parse_inline(std::string_view request);
    /// False if quotes are not closed, or something stands right behind them.
    bool split_inline(std::string_view rest);
    void rebase(const char* origin);
    RequestStatus complete(std::size_t consumed);
    RequestStatus need_more(std::size_t bytes);
    RequestStatus fail(std::string_view text);

    RequestLimits limits_;
    Mode mode_ = Mode::Start;
    /// Relative to the start of the request: where to go on.
    std::size_t position_ = 0;
    std::size_t args_left_ = 0;
    std::size_t need_ = 0;
    /// The address `argv_` was taken against; a number, because that buffer may be gone.
    std::uintptr_t origin_ = 0;
    std::vector<std::string_view> argv_;
    /// The inline arguments that had quotes, one after the other.
    std::string unquoted_;
    std::string error_;
};

}  // namespace ff::resp
