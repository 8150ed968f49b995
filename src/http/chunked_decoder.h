#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ff::http {

/// Takes a chunked body apart, strictly: a size is at most 16 hex digits, lines end with CRLF, and
/// what is not data is bounded. Extensions and trailers are read over. Knows no sockets.
class ChunkedDecoder {
  public:
    enum class State : std::uint8_t { More, Done, Malformed, DataTooLarge, TrailersTooLarge };

    struct Limits {
        std::size_t data_bytes_max = 0;
        /// Of all trailers together.
        std::size_t trailer_bytes_max = 0;
    };

    explicit ChunkedDecoder(Limits limits) : limits_(limits) {}

    /// Appends the data in `bytes` to `body` and answers how many bytes belong to this body: all
    /// of them unless it ended or was refused.
    std::size_t feed(std::string_view bytes, std::string& body);
    State state() const { return state_; }
    /// What is wrong, in words; of a malformed one.
    std::string_view problem() const { return problem_; }

    /// Of the extensions of one body, and of those of one chunk.
    static constexpr std::size_t kExtensionBytesMax = std::size_t{16} << 10;
    static constexpr std::size_t kChunkExtensionBytesMax = 256;

  private:
    enum class Place : std::uint8_t {
        Size,
        Extension,
        SizeEnd,  // the line feed after a size
        Data,
        DataReturn,
        DataEnd,
        TrailerStart,
        Trailer,
        TrailerEnd,
        LastEnd,  // the line feed of the empty line
    };

    void take(char c);
    void take_size(char c);
    void take_extension(char c);
    void take_trailer(char c);
    void count_trailer_byte();
    void end_size_line(char c);
    void expect(char c, char wanted, Place next);
    void fail(std::string_view why);

    Limits limits_;
    Place place_ = Place::Size;
    State state_ = State::More;
    std::string_view problem_{};
    std::uint64_t chunk_left_ = 0;
    unsigned size_digits_ = 0;
    std::size_t data_bytes_ = 0;
    std::size_t chunk_extension_bytes_ = 0;
    std::size_t extension_bytes_ = 0;
    std::size_t trailer_bytes_ = 0;
};

}  // namespace ff::http
