#include "http/streamed_body.h"

#include <array>
#include <charconv>

namespace ff::http {
namespace asio = boost::asio;

namespace {

constexpr std::string_view kLineEnd = "\r\n";
constexpr std::string_view kLastChunk = "0\r\n\r\n";

Error gone() {
    return {.code = "client_gone", .message = "the client does not read its response"};
}

/// The line before a chunk: its length in hexadecimal.
std::string chunk_line(std::size_t length) {
    std::array<char, 16> digits{};
    const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), length, 16);
    return std::string(digits.data(), end.ptr).append(kLineEnd);
}

}  // namespace

Task<Done> StreamedBody::write(std::string piece) {
    if (broken_) co_return gone();
    // An empty chunk would be read as the end.
    if (piece.empty()) co_return Done{};
    wire_.expires_after(piece_max_);
    const std::string line = chunked_ ? chunk_line(piece.size()) : std::string();
    const std::string_view end = chunked_ ? kLineEnd : std::string_view();
    const WireStream::Pieces pieces = {asio::buffer(line), asio::buffer(piece), asio::buffer(end)};
    const WireStream::Failure failure = co_await wire_.write(pieces);
    broken_ = failure.failed();
    if (broken_) co_return gone();
    co_return Done{};
}

asio::awaitable<bool> StreamedBody::finish() {
    if (broken_ || !chunked_) co_return !broken_;
    wire_.expires_after(piece_max_);
    const WireStream::Pieces last = {asio::buffer(kLastChunk)};
    const WireStream::Failure failure = co_await wire_.write(last);
    co_return !failure;
}

}  // namespace ff::http
