#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "resp/value.h"

namespace ff::resp {

struct ParserLimits {
    /// Aggregates inside each other, attributes included.
    std::size_t depth_max = 128;
    /// Elements of one aggregate; a pair of a map counts as two.
    std::size_t elements_max = std::size_t{16} << 20;
    std::size_t bulk_bytes_max = std::size_t{512} << 20;
    /// Wire bytes of one value from its first to its last, attributes included.
    std::size_t value_bytes_max = std::size_t{1} << 30;
    /// A line without its type byte and line end.
    std::size_t line_bytes_max = std::size_t{64} << 10;
};

/// Reads RESP2 and RESP3 values from bytes that arrive in arbitrary pieces. Every byte is looked at
/// a bounded number of times, however the pieces fall. Streamed strings and aggregates of RESP3 are
/// understood; attributes are checked and dropped.
///
/// A failure is an Error with code `parse_error`; detail[0] is the limit reached (`depth_max`, ...)
/// or the fault (`unexpected_byte`, ...), detail[1] the offset in decimal, counted from the first
/// byte ever fed or the last reset. After a failure the parser stays failed until `reset`.
class Parser {
  public:
    explicit Parser(ParserLimits limits = {}) : limits_(limits) {}

    /// Takes a piece in by copying it.
    void feed(std::string_view bytes);
    /// Room for at least `least` bytes to read into; `commit` says how many arrived. The room is
    /// valid until the next call of any other method.
    std::span<char> prepare(std::size_t least);
    void commit(std::size_t bytes);

    /// The next complete value, or nothing if more bytes are needed.
    Result<std::optional<Value>> next();

    /// Forgets everything that was fed, and a failure.
    void reset();

    /// No byte of an unfinished value is held: the peer may close here without cutting a reply.
    bool idle() const;
    /// Offset of the first byte not yet used.
    std::uint64_t offset() const { return offset_; }
    /// Bytes moved by the parser since it was made: into its buffer, within it and into values.
    /// Tests hold it against the bytes fed.
    std::uint64_t bytes_copied() const { return bytes_copied_; }

  private:
    enum class Mode : std::uint8_t { Line, Bulk, BulkEnd, Failed };
    /// What became of one step: go on, wait for bytes, a value is out, or failed.
    enum class Step : std::uint8_t { Again, NeedMore, Ready, Failed };

    /// An aggregate whose elements are arriving.
    struct Frame {
        Type type = Type::Array;
        bool attribute = false;
        bool streamed = false;
        /// Elements still to come; of a streamed one, elements seen.
        std::size_t count = 0;
        Value::Items items{};
    };

    std::string_view unread() const { return {buffer_.get() + begin_, end_ - begin_}; }
    void consume(std::size_t bytes);
    void append_text(std::string_view bytes);
    /// Whether `bytes` more would still be within the limit of the whole value.
    bool within_value(std::size_t bytes) const;
    bool may_begin_line(char type) const;

    Step read_line();
    Step read_bulk();
    Step read_bulk_end();
    Step on_line(char type, std::string_view line);
    Step on_scalar_line(char type, std::string_view line);
    Step on_bulk_line(char type, std::string_view line);
    Step on_chunk_line(std::string_view line);
    Step on_aggregate_line(char type, std::string_view line);
    Step on_stream_end(std::string_view line);
    Step open_bulk(std::size_t length);
    Step close_frame();
    Step finish_text();
    Step deliver(Value value);

    Step fail(std::string_view what, std::uint64_t at, std::string message);
    Step fail_limit(std::string_view limit, std::size_t most);
    Step fail_byte(std::uint64_t at, char byte);
    /// A line that should hold a number does not: names the byte, or the fault if none stands out.
    Step fail_number(std::string_view what, std::string_view line);

    ParserLimits limits_;

    std::unique_ptr<char[]> buffer_;
    std::size_t capacity_ = 0;
    std::size_t begin_ = 0;
    std::size_t end_ = 0;
    /// Bytes of the current line that were searched for its end already.
    std::size_t scanned_ = 0;

    Mode mode_ = Mode::Line;
    /// The string under way: its type, what is left of its length (or chunk), its bytes so far.
    Type text_type_ = Type::BulkString;
    /// Between `$?` and `;0`: only chunks may come.
    bool text_streamed_ = false;
    /// A value, or an attribute before one, has begun and not ended.
    bool value_open_ = false;
    std::size_t text_left_ = 0;
    std::string text_;
    std::vector<Frame> stack_;

    std::uint64_t offset_ = 0;
    std::uint64_t value_start_ = 0;
    std::uint64_t line_start_ = 0;
    std::uint64_t bytes_copied_ = 0;
    Value ready_;
    Error failure_{};
};

}  // namespace ff::resp
