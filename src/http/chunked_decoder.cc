#include "http/chunked_decoder.h"

#include <algorithm>

namespace ff::http {
namespace {

constexpr unsigned kSizeDigitsMax = 16;

/// -1 of what is no hex digit.
int hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    if (c >= 'A' && c <= 'F') return c - 'A' + 10;
    return -1;
}

bool is_control(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return (byte < ' ' && c != '\t') || byte == 0x7f;
}

}  // namespace

void ChunkedDecoder::fail(std::string_view why) {
    state_ = State::Malformed;
    problem_ = why;
}

void ChunkedDecoder::expect(char c, char wanted, Place next) {
    if (c != wanted) return fail("a line of the chunked body does not end with CRLF");
    place_ = next;
}

void ChunkedDecoder::take_size(char c) {
    const int digit = hex_digit(c);
    if (digit >= 0) {
        if (++size_digits_ > kSizeDigitsMax) return fail("a chunk size has more than 16 digits");
        chunk_left_ = chunk_left_ * 16 + static_cast<std::uint64_t>(digit);
        return;
    }
    if (size_digits_ == 0) return fail("a chunk size is not a hexadecimal number");
    if (c == ';') {
        place_ = Place::Extension;
        chunk_extension_bytes_ = 0;
        return;
    }
    if (c != '\r') return fail("a chunk size is not a hexadecimal number");
    place_ = Place::SizeEnd;
}

void ChunkedDecoder::take_extension(char c) {
    if (c == '\r') {
        place_ = Place::SizeEnd;
        return;
    }
    if (is_control(c)) return fail("a chunk extension holds a control character");
    if (++chunk_extension_bytes_ > kChunkExtensionBytesMax ||
        ++extension_bytes_ > kExtensionBytesMax)
        fail("the chunk extensions are too long");
}

void ChunkedDecoder::end_size_line(char c) {
    const bool last = chunk_left_ == 0;
    expect(c, '\n', last ? Place::TrailerStart : Place::Data);
    size_digits_ = 0;
    // Compared this way round, no sum can overflow.
    if (state_ == State::More && chunk_left_ > limits_.data_bytes_max - data_bytes_)
        state_ = State::DataTooLarge;
}

void ChunkedDecoder::count_trailer_byte() {
    if (++trailer_bytes_ > limits_.trailer_bytes_max) state_ = State::TrailersTooLarge;
}

void ChunkedDecoder::take_trailer(char c) {
    count_trailer_byte();
    if (c == '\r') {
        place_ = Place::TrailerEnd;
    } else if (is_control(c)) {
        fail("a trailer holds a control character");
    }
}

void ChunkedDecoder::take(char c) {
    switch (place_) {
        case Place::Size:
            return take_size(c);
        case Place::Extension:
            return take_extension(c);
        case Place::SizeEnd:
            return end_size_line(c);
        case Place::Data:
            return;  // taken in one piece by feed()
        case Place::DataReturn:
            return expect(c, '\r', Place::DataEnd);
        case Place::DataEnd:
            return expect(c, '\n', Place::Size);
        case Place::TrailerStart:
            if (c == '\r') {
                place_ = Place::LastEnd;
                return;
            }
            place_ = Place::Trailer;
            return take_trailer(c);
        case Place::Trailer:
            return take_trailer(c);
        case Place::TrailerEnd:
            count_trailer_byte();
            return expect(c, '\n', Place::TrailerStart);
        case Place::LastEnd:
            expect(c, '\n', Place::Size);
            if (state_ == State::More) state_ = State::Done;
            return;
    }
}

std::size_t ChunkedDecoder::feed(std::string_view bytes, std::string& body) {
    std::size_t at = 0;
    while (at < bytes.size() && state_ == State::More) {
        if (place_ != Place::Data) {
            take(bytes[at++]);
            continue;
        }
        const std::size_t count = std::min<std::uint64_t>(chunk_left_, bytes.size() - at);
        body.append(bytes.substr(at, count));
        at += count;
        data_bytes_ += count;
        chunk_left_ -= count;
        if (chunk_left_ == 0) place_ = Place::DataReturn;
    }
    return at;
}

}  // namespace ff::http
