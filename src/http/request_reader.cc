#include "http/request_reader.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include <boost/asio/error.hpp>
#include <boost/beast/http/error.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/string_body.hpp>

namespace ff::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

namespace {

constexpr std::uint64_t kBodyReadBytesMax = std::uint64_t{256} << 10;
constexpr std::string_view kGoOn = "HTTP/1.1 100 Continue\r\n\r\n";

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

Response body_too_large(const Admission& admission) {
    return {.status = 413,
            .body = R"({"error":"payload_too_large","code":"payload_too_large","limit_bytes":)" +
                    std::to_string(admission.body_bytes_max) + R"(,"route":")" + admission.route +
                    R"(","retryable":false})"};
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
    parser_->header_limit(static_cast<std::uint32_t>(limits.header_bytes_max));
    // Decided when the head is known.
    parser_->body_limit(boost::none);
}

RequestReader::~RequestReader() = default;

/// A long body comes in few reads, whatever else it brings.
std::size_t RequestReader::room_for(Part part) const {
    if (part == Part::Head) return WireStream::kReadBytes;
    const auto left = parser_->content_length_remaining();
    return std::clamp<std::uint64_t>(left ? *left : 0, WireStream::kReadBytes, kBodyReadBytesMax);
}

asio::awaitable<WireStream::Failure> RequestReader::feed_until(Part part) {
    parser_->eager(part == Part::Everything);
    while (part == Part::Head ? !parser_->is_header_done() : !parser_->is_done()) {
        const std::string_view bytes = wire_.received();
        beast::error_code failure = wire::error::need_more;
        if (!bytes.empty()) {
            const asio::const_buffer given(bytes.data(), bytes.size());
            wire_.consume(parser_->put(given, failure));
        }
        if (!failure) continue;
        if (failure != wire::error::need_more) co_return failure;
        failure = co_await wire_.receive(room_for(part));
        if (failure == asio::error::eof) {
            failure = wire::error::end_of_stream;
            if (parser_->got_some()) parser_->put_eof(failure);
        }
        if (failure) co_return failure;
    }
    co_return WireStream::Failure();
}

asio::awaitable<RequestReader::Read> RequestReader::read_head() {
    const WireStream::Failure failure = co_await feed_until(Part::Head);
    if (failure == wire::error::header_limit) {
        // Without a target, not even the first line has ended within the limit.
        const std::size_t target_bytes = parser_->get().target().size();
        const bool long_line = target_bytes == 0 || target_bytes > limits_.target_bytes_max;
        refusal_ = long_line ? long_target() : too_long(431, "headers_too_large", "header block");
        co_return Read::Refused;
    }
    if (failure && is_malformed(failure)) {
        refusal_ = malformed("request", failure.message());
        co_return Read::Refused;
    }
    if (failure) co_return Read::Broken;
    take_head();
    if (request_.target.size() <= limits_.target_bytes_max) co_return Read::Whole;
    refusal_ = long_target();
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

asio::awaitable<RequestReader::Read> RequestReader::read_body(Admission admission) {
    const std::size_t most = admission.body_bytes_max;
    const auto announced = parser_->content_length();
    if (announced && *announced > most) {
        refusal_ = body_too_large(admission);
        co_return Read::Refused;
    }
    parser_->body_limit(most);
    if (parser_->get()[wire::field::expect] == "100-continue") {
        const WireStream::Pieces go_on = {asio::buffer(kGoOn)};
        const WireStream::Failure unsent = co_await wire_.write(go_on);
        if (unsent) co_return Read::Broken;
    }
    const WireStream::Failure failure = co_await feed_until(Part::Everything);
    if (!failure) {
        request_.body = std::move(parser_->get().body());
        wire_.shrink();
        co_return Read::Whole;
    }
    if (failure == wire::error::body_limit) {
        refusal_ = body_too_large(admission);
    } else if (is_malformed(failure)) {
        refusal_ = malformed("body", failure.message());
    } else {
        co_return Read::Broken;
    }
    co_return Read::Refused;
}

}  // namespace ff::http
