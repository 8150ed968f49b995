#include "http/request_reader.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

#include "http/chunked_decoder.h"

namespace ff::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

namespace {

constexpr std::uint64_t kBodyReadBytesMax = std::uint64_t{256} << 10;
constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";
constexpr std::string_view kVersionAndEnd = "HTTP/1.1\r\n";
/// A method of ours and the two spaces are shorter.
constexpr std::size_t kMethodBytesMax = 32;

Response malformed(std::string_view field, std::string_view why) {
    return error_response(400, invalid_input(field, why));
}

Response too_long(unsigned status, std::string_view code, std::string_view what) {
    return error_response(status, {.code = std::string(code),
                                   .message = "the " + std::string(what) + " is too long"});
}

Response long_target() {
    return too_long(414, "uri_too_long", "request line");
}

Response long_headers(std::string_view what) {
    return too_long(431, "headers_too_large", what);
}

std::string too_large_text(const Admission& admission, const std::string& limit) {
    // A handler names no pattern where there is no route.
    if (!admission.route.starts_with('/'))
        return "The body is larger than " + limit +
               " bytes, and there is no such route. See /openapi.json for those that there are.";
    return "The body is larger than the " + limit + " bytes that " + admission.route +
           " takes. Send less, or in parts.";
}

Response body_too_large(const Admission& admission) {
    const std::string limit = std::to_string(admission.body_bytes_max);
    Response response = error_response(413, {.code = "payload_too_large",
                                             .detail = {limit, admission.route},
                                             .message = too_large_text(admission, limit)});
    const std::string known = R"("limit_bytes":)" + limit + R"(,"route":")" + admission.route + '"';
    response.body.pop_back();
    response.body += "," + known + R"(,"fields":{)" + known + "}}";
    return response;
}

bool is_malformed(const beast::error_code& failure) {
    static const auto& kCategory = wire::make_error_code(wire::error::bad_method).category();
    return failure.category() == kCategory && failure != wire::error::end_of_stream &&
           failure != wire::error::partial_message;
}

}  // namespace

struct RequestReader::Parser : wire::request_parser<wire::string_body> {};

RequestReader::RequestReader(WireStream& wire, RequestLimits limits)
    : wire_(wire), limits_(limits), parser_(std::make_unique<Parser>()) {
    // Beast counts what it parses in one call, so a long head in one write would pass its limit.
    parser_->header_limit(std::numeric_limits<std::uint32_t>::max());
    parser_->body_limit(boost::none);
}

RequestReader::~RequestReader() = default;

bool RequestReader::has_body() const {
    return framing_.kind == RequestFraming::Kind::Chunked || framing_.length > 0;
}

/// Whether what was parsed, and what waits to be, is more than a head may have.
bool RequestReader::head_too_long() const {
    const bool whole = parser_->is_header_done();
    const std::size_t bytes = head_bytes_ + (whole ? 0 : wire_.received().size());
    const auto& message = parser_->get();
    const std::size_t target = message.target().size();
    if (target == 0) return bytes > limits_.target_bytes_max + kMethodBytesMax;
    const std::size_t line = message.method_string().size() + target + 2 + kVersionAndEnd.size();
    return target > limits_.target_bytes_max || bytes > line + limits_.header_bytes_max;
}

Response RequestReader::long_head() const {
    // Without a target, not even the first line has ended within the limit.
    const std::size_t target_bytes = parser_->get().target().size();
    const bool long_line = target_bytes == 0 || target_bytes > limits_.target_bytes_max;
    return long_line ? long_target() : long_headers("header block");
}

asio::awaitable<WireStream::Failure> RequestReader::feed_head() {
    while (!parser_->is_header_done()) {
        const std::string_view bytes = wire_.received();
        beast::error_code failure = wire::error::need_more;
        if (!bytes.empty()) {
            const asio::const_buffer given(bytes.data(), bytes.size());
            const std::size_t parsed = parser_->put(given, failure);
            head_bytes_ += parsed;
            wire_.consume(parsed);
        }
        if (failure && failure != wire::error::need_more) co_return failure;
        if (head_too_long()) co_return wire::error::header_limit;
        if (!failure) continue;
        failure = co_await wire_.receive();
        if (failure == asio::error::eof) {
            failure = wire::error::end_of_stream;
            if (parser_->got_some()) parser_->put_eof(failure);
        }
        if (failure) co_return failure;
    }
    co_return WireStream::Failure();
}

asio::awaitable<RequestReader::Read> RequestReader::read_head() {
    const WireStream::Failure failure = co_await feed_head();
    if (failure == wire::error::header_limit) {
        refusal_ = long_head();
        co_return Read::Refused;
    }
    if (failure && is_malformed(failure)) {
        refusal_ = malformed("request", failure.message());
        co_return Read::Refused;
    }
    if (failure) co_return Read::Broken;
    take_head();
    const Result<Done> checked = check_head();
    if (checked.has_value()) co_return Read::Whole;
    refusal_ = error_response(400, checked.error());
    co_return Read::Refused;
}

void RequestReader::take_head() {
    const auto& message = parser_->get();
    version_ = message.version();
    keep_alive_ = message.keep_alive();
    head_only_ = message.method() == wire::verb::head;
    request_.method = std::string(message.method_string());
    request_.target = std::string(message.target());
    for (const auto& field : message)
        request_.headers.push_back(
            {.name = std::string(field.name_string()), .value = std::string(field.value())});
}

Result<Done> RequestReader::check_head() {
    FF_CHECK(check_host(request_, version_));
    FF_TRY(framing_, framing_of(request_, version_));
    return Done{};
}

/// False when the client is gone.
asio::awaitable<bool> RequestReader::invite() {
    const auto expected = request_.header("Expect");
    if (!expected || !same_name(*expected, "100-continue") || !has_body()) co_return true;
    const WireStream::Pieces go_on = {asio::buffer(kGoOn)};
    const WireStream::Failure unsent = co_await wire_.write(go_on);
    co_return !unsent;
}

asio::awaitable<RequestReader::Read> RequestReader::read_body(Admission admission) {
    if (framing_.length > admission.body_bytes_max) {
        refusal_ = body_too_large(admission);
        co_return Read::Refused;
    }
    if (!has_body()) co_return Read::Whole;
    body_begun_ = std::chrono::steady_clock::now();
    const bool there = co_await invite();
    if (!there) co_return Read::Broken;
    Read read = Read::Whole;
    if (framing_.kind == RequestFraming::Kind::Chunked) {
        read = co_await read_chunked(admission);
    } else {
        read = co_await read_sized();
    }
    wire_.shrink();
    co_return read;
}

asio::awaitable<WireStream::Failure> RequestReader::receive_body(std::uint64_t so_far,
                                                                 std::size_t most) {
    using std::chrono::milliseconds;
    const milliseconds earned(so_far * 1000 / limits_.body_bytes_per_second_min);
    const auto end = body_begun_ + limits_.body_grace + earned;
    const auto left = std::chrono::ceil<milliseconds>(end - std::chrono::steady_clock::now());
    wire_.expires_after(std::max(left, milliseconds(0)));
    const WireStream::Failure failure = co_await wire_.receive(most);
    co_return failure;
}

/// The body grows as it arrives: an announced length costs no memory.
asio::awaitable<RequestReader::Read> RequestReader::read_sized() {
    std::string& body = request_.body;
    body.reserve(std::min(framing_.length, kBodyReadBytesMax));
    for (;;) {
        const std::string_view bytes = wire_.received();
        const std::size_t count =
            std::min<std::uint64_t>(bytes.size(), framing_.length - body.size());
        body.append(bytes.substr(0, count));
        wire_.consume(count);
        const std::uint64_t left = framing_.length - body.size();
        if (left == 0) co_return Read::Whole;
        // A long body comes in few reads, whatever else it brings.
        const std::size_t room =
            std::clamp<std::uint64_t>(left, WireStream::kReadBytes, kBodyReadBytesMax);
        const WireStream::Failure failure = co_await receive_body(body.size(), room);
        if (failure) co_return Read::Broken;
    }
}

asio::awaitable<RequestReader::Read> RequestReader::read_chunked(const Admission& admission) {
    using State = ChunkedDecoder::State;
    ChunkedDecoder decoder({.data_bytes_max = admission.body_bytes_max,
                            .trailer_bytes_max = limits_.header_bytes_max});
    while (decoder.state() == State::More) {
        if (wire_.received().empty()) {
            const WireStream::Failure failure =
                co_await receive_body(request_.body.size(), WireStream::kReadBytes);
            if (failure) co_return Read::Broken;
        }
        wire_.consume(decoder.feed(wire_.received(), request_.body));
    }
    if (decoder.state() == State::Done) co_return Read::Whole;
    refusal_ = decoder.state() == State::DataTooLarge       ? body_too_large(admission)
               : decoder.state() == State::TrailersTooLarge ? long_headers("trailer block")
                                                            : malformed("body", decoder.problem());
    co_return Read::Refused;
}

}  // namespace ff::http
