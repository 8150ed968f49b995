#include "http/session.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

namespace ff::http {
namespace asio = boost::asio;
namespace beast = boost::beast;

namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);

Request to_request(beast::http::request<beast::http::string_body>& message) {
    Request request;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message)
        request.headers.push_back(
            {.name = std::string(field.name_string()), .value = std::string(field.value())});
    request.body = std::move(message.body());
    return request;
}

/// What to answer when the request itself could not be read; nullopt means just close.
std::optional<Response> refusal(const beast::error_code& failure) {
    const auto body = [](std::string_view code) {
        return R"({"error":")" + std::string(code) + R"(","code":")" + std::string(code) +
               R"(","class":"terminal","kind":")" + std::string(code) +
               R"(","retryable":false,"detail":[]})";
    };
    if (failure == beast::http::error::body_limit)
        return Response{.status = 413, .body = body("payload_too_large")};
    if (failure == beast::http::error::header_limit)
        return Response{.status = 431, .body = body("headers_too_large")};
    if (failure.category() ==
            beast::http::make_error_code(beast::http::error::bad_method).category() &&
        failure != beast::http::error::end_of_stream &&
        failure != beast::http::error::partial_message)
        return Response{.status = 400, .body = body("invalid_input")};
    return std::nullopt;
}

beast::http::response<beast::http::string_body> to_message(Response response, unsigned version,
                                                           bool keep_alive) {
    beast::http::response<beast::http::string_body> message;
    message.version(version);
    message.result(response.status);
    message.set(beast::http::field::content_type, response.content_type);
    for (const Header& header : response.headers) message.insert(header.name, header.value);
    message.body() = std::move(response.body);
    message.keep_alive(keep_alive);
    message.prepare_payload();
    return message;
}

}  // namespace

struct Session::Stream {
    explicit Stream(asio::ip::tcp::socket socket) : tcp(std::move(socket)) {}
    beast::tcp_stream tcp;
    beast::flat_buffer buffer{};
};

Session::Session(asio::ip::tcp::socket socket, const SessionContext& context)
    : stream_(std::make_unique<Stream>(std::move(socket))), context_(context) {}

Session::~Session() = default;

asio::awaitable<void> Session::run() {
    bool again = true;
    while (again && !context_.draining) again = co_await serve_one();
    beast::error_code ignored;
    stream_->tcp.socket().shutdown(asio::ip::tcp::socket::shutdown_send, ignored);
}

void Session::interrupt_idle() {
    if (idle_) stream_->tcp.cancel();
}

asio::awaitable<bool> Session::serve_one() {
    beast::http::request_parser<beast::http::string_body> parser;
    parser.header_limit(static_cast<std::uint32_t>(context_.options.header_bytes_max));
    parser.body_limit(context_.options.body_bytes_max);
    stream_->tcp.expires_after(context_.options.idle_max);
    idle_ = true;
    const auto [read_failure, count] =
        co_await beast::http::async_read(stream_->tcp, stream_->buffer, parser, kAsTuple);
    idle_ = false;

    std::optional<Response> refused;
    if (read_failure) refused = refusal(read_failure);
    if (read_failure && !refused) co_return false;

    Response response;
    unsigned version = 11;
    bool keep_alive = false;
    if (refused) {
        response = std::move(*refused);
    } else {
        version = parser.get().version();
        keep_alive = parser.get().keep_alive();
        const bool head = parser.get().method() == beast::http::verb::head;
        Request request = to_request(parser.get());
        response = co_await context_.handler(std::move(request));
        if (head) response.body.clear();
    }
    if (context_.draining) keep_alive = false;

    auto message = to_message(std::move(response), version, keep_alive);
    stream_->tcp.expires_after(context_.options.idle_max);
    const auto [write_failure, written] =
        co_await beast::http::async_write(stream_->tcp, message, kAsTuple);
    co_return keep_alive && !write_failure;
}

}  // namespace ff::http
