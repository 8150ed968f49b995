#include "http/session.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <optional>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/write.hpp>
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/http/chunk_encode.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include "base/bytes.h"
#include "base/random.h"
#include "http/endpoint_text.h"
#include "http/wire_stream.h"

namespace ff::http {
namespace asio = boost::asio;
namespace beast = boost::beast;
namespace wire = boost::beast::http;

namespace {

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kRequestIdBytesMax = 128;
/// How long, and for how many bytes, a connection is read on after its last response, so that
/// closing it does not reset it before the client has read that response.
constexpr std::chrono::milliseconds kLingerMax{1000};
constexpr std::size_t kLingerBytesMax = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kGoodbyeMax{200};
constexpr std::size_t kReadBytes = std::size_t{16} << 10;

Response refusal(std::string_view field, std::string_view why) {
    return error_response(400, invalid_input(field, why));
}

Response too_long(unsigned status, std::string_view code, std::string_view what) {
    return error_response(status, {.code = std::string(code),
                                   .message = "the " + std::string(what) + " is too long"});
}

Response long_target_refusal() {
    return too_long(414, "uri_too_long", "request line");
}

Response body_too_large(const Admission& admission) {
    return {.status = 413,
            .body = R"({"error":"payload_too_large","code":"payload_too_large","limit_bytes":)" +
                    std::to_string(admission.body_bytes_max) + R"(,"route":")" + admission.route +
                    R"(","retryable":false})"};
}

bool acceptable_id(std::string_view id) {
    return !id.empty() && id.size() <= kRequestIdBytesMax &&
           std::all_of(id.begin(), id.end(), [](char c) { return c > ' ' && c <= '~'; });
}

/// A TLS alert, or an encrypted record too short for a request: the goodbye of TLS 1.3.
bool is_farewell(const std::array<std::uint8_t, 5>& head, std::size_t count) {
    constexpr std::uint8_t kAlert = 0x15;
    constexpr unsigned kSealedAlertBytes = 19;
    if (count < head.size()) return false;
    return head[0] == kAlert || head[3] * 256U + head[4] == kSealedAlertBytes;
}

bool is_malformed(const beast::error_code& failure) {
    static const auto& kCategory = wire::make_error_code(wire::error::bad_method).category();
    return failure.category() == kCategory && failure != wire::error::end_of_stream &&
           failure != wire::error::partial_message;
}

}  // namespace

RequestIds::RequestIds() {
    SecureRandom random;
    std::array<std::uint8_t, 8> bytes{};
    random.fill(bytes);
    prefix_ = to_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()}) + "-";
}

std::string RequestIds::next() {
    return prefix_ + std::to_string(++count_);
}

const std::string& DateText::now() {
    const std::time_t second = std::time(nullptr);
    if (second == second_) return text_;
    second_ = second;
    std::tm parts{};
    gmtime_r(&second, &parts);
    std::array<char, 40> buffer{};
    const std::size_t length =
        std::strftime(buffer.data(), buffer.size(), "%a, %d %b %Y %H:%M:%S GMT", &parts);
    text_.assign(buffer.data(), length);
    return text_;
}

struct Session::Stream final : Peer {
    Stream(Socket socket, std::shared_ptr<TlsKeys::Native> keys)
        : wire(std::move(socket), std::move(keys)) {}

    asio::awaitable<void> gone() override {
        auto& socket = wire.socket();
        const auto [failure] = co_await socket.async_wait(Socket::wait_read, kAsTuple);
        if (failure) co_return;
        std::array<std::uint8_t, 5> head{};
        beast::error_code ended;
        const std::size_t count =
            socket.receive(asio::buffer(head), asio::socket_base::message_peek, ended);
        if (ended || (wire.encrypted() && is_farewell(head, count))) co_return;
        // The next request is there already, so only a reset can be seen from here.
        co_await socket.async_wait(Socket::wait_error, kAsTuple);
    }

    std::string address() const override {
        beast::error_code failure;
        const auto remote = wire.socket().remote_endpoint(failure);
        return failure ? std::string() : text_of(remote);
    }

    WireStream wire;
    beast::flat_buffer buffer{};
};

/// A request on its way in, and what its response needs to know of it.
struct Session::Incoming {
    wire::request_parser<wire::string_body> parser{};
    Request request{};
    std::string id{};
    Response refused{};
    Admission admission{};
    unsigned version = 11;
    bool head_only = false;
    bool keep_alive = false;

    void take_head(RequestIds& ids);
    template <class Body>
    wire::response<Body> head_of(const Response& response, DateText& date) const;
};

void Session::Incoming::take_head(RequestIds& ids) {
    const auto& message = parser.get();
    version = message.version();
    keep_alive = message.keep_alive();
    head_only = message.method() == wire::verb::head;
    request.method = std::string(message.method_string());
    request.target = std::string(message.target());
    for (const auto& field : message)
        request.headers.push_back(
            {.name = std::string(field.name_string()), .value = std::string(field.value())});
    const auto given = request.header("X-Request-Id");
    id = given && acceptable_id(*given) ? std::string(*given) : ids.next();
    request.id = id;
}

template <class Body>
wire::response<Body> Session::Incoming::head_of(const Response& response, DateText& date) const {
    wire::response<Body> message;
    message.version(version);
    message.result(response.status);
    message.set(wire::field::date, date.now());
    if (response.status != 204) message.set(wire::field::content_type, response.content_type);
    message.set("X-Request-Id", id);
    for (const Header& header : response.headers) message.insert(header.name, header.value);
    message.keep_alive(keep_alive);
    return message;
}

class Session::StreamedBody final : public BodyWriter {
  public:
    StreamedBody(WireStream& wire, std::chrono::milliseconds write_max, bool chunked)
        : wire_(wire), write_max_(write_max), chunked_(chunked) {}

    Task<Done> write(std::string piece) override {
        if (broken_) co_return gone();
        // An empty chunk would be read as the end.
        if (piece.empty()) co_return Done{};
        wire_.expires_after(write_max_);
        const asio::const_buffer bytes = asio::buffer(piece);
        beast::error_code failure;
        if (chunked_) {
            auto framed = wire::make_chunk(bytes);
            const auto [failed, count] = co_await asio::async_write(wire_, framed, kAsTuple);
            failure = failed;
        } else {
            const auto [failed, count] = co_await asio::async_write(wire_, bytes, kAsTuple);
            failure = failed;
        }
        broken_ = static_cast<bool>(failure);
        if (broken_) co_return gone();
        co_return Done{};
    }

    asio::awaitable<bool> finish() {
        if (broken_ || !chunked_) co_return !broken_;
        wire_.expires_after(write_max_);
        auto last = wire::make_chunk_last();
        const auto [failure, count] = co_await asio::async_write(wire_, last, kAsTuple);
        co_return !failure;
    }

  private:
    static Error gone() {
        return {.code = "client_gone", .message = "the client does not read its response"};
    }

    WireStream& wire_;
    std::chrono::milliseconds write_max_;
    bool chunked_;
    bool broken_ = false;
};

Session::Session(Socket socket, SessionContext& context)
    : stream_(std::make_unique<Stream>(
          std::move(socket), context.options.tls ? context.options.tls->native() : nullptr)),
      context_(context) {}

Session::~Session() = default;

asio::awaitable<void> Session::run() {
    // A cut is noticed by the failing socket; throwing would end the process instead.
    co_await asio::this_coro::throw_if_cancelled(false);
    bool again = co_await greet();
    while (again && !context_.draining) {
        const bool arrived = co_await await_first_byte();
        if (!arrived) break;
        again = co_await serve_one();
    }
    co_await say_goodbye();
    beast::error_code ignored;
    stream_->wire.socket().shutdown(Socket::shutdown_send, ignored);
    co_await linger();
}

asio::awaitable<bool> Session::greet() {
    if (!stream_->wire.encrypted()) co_return true;
    stream_->wire.expires_after(context_.options.idle_max);
    const auto [failure] = co_await stream_->wire.async_handshake(kAsTuple);
    co_return !failure;
}

/// A client of TLS must be able to tell the end from a cut. It need not answer.
asio::awaitable<void> Session::say_goodbye() {
    if (!stream_->wire.encrypted() || !stream_->wire.socket().is_open()) co_return;
    stream_->wire.expires_after(kGoodbyeMax);
    co_await stream_->wire.async_goodbye(kAsTuple);
}

void Session::interrupt_idle() {
    if (idle_) stream_->wire.cancel();
}

void Session::cut() {
    stream_->wire.close();
}

asio::awaitable<bool> Session::await_first_byte() {
    if (stream_->buffer.size() > 0) co_return true;
    idle_ = true;
    idle_since_ = IdleClock::now();
    stream_->wire.expires_after(context_.options.idle_max);
    const auto [failure, count] =
        co_await stream_->wire.async_read_some(stream_->buffer.prepare(kReadBytes), kAsTuple);
    idle_ = false;
    if (failure) co_return false;
    stream_->buffer.commit(count);
    co_return true;
}

asio::awaitable<bool> Session::serve_one() {
    Incoming incoming;
    Read read = co_await read_head(incoming);
    if (read == Read::Whole) {
        read = co_await read_body(incoming);
    }
    if (read == Read::Broken) co_return false;
    Response response;
    if (read == Read::Refused) {
        // What follows on this connection may be the rest of what was refused.
        incoming.keep_alive = false;
        more_to_come_ = true;
        response = std::move(incoming.refused);
    } else {
        incoming.request.body = std::move(incoming.parser.get().body());
        response = co_await context_.handler.handle(std::move(incoming.request), *stream_);
    }
    if (context_.draining || context_.crowded) incoming.keep_alive = false;
    const auto undelivered = std::move(response.undelivered);
    bool written = false;
    if (response.stream) {
        written = co_await write_streamed(incoming, std::move(response));
    } else {
        written = co_await write(incoming, std::move(response));
    }
    if (!written && undelivered) co_await undelivered();
    co_return written&& incoming.keep_alive;
}

asio::awaitable<Session::Read> Session::read_head(Incoming& incoming) {
    const ServerOptions& options = context_.options;
    incoming.parser.header_limit(static_cast<std::uint32_t>(options.header_bytes_max));
    // Decided when the head is known.
    incoming.parser.body_limit(boost::none);
    stream_->wire.expires_after(options.idle_max);
    const auto [failure, count] =
        co_await wire::async_read_header(stream_->wire, stream_->buffer, incoming.parser, kAsTuple);
    if (failure == wire::error::header_limit) {
        // Without a target, not even the first line has ended within the limit.
        const std::size_t target_bytes = incoming.parser.get().target().size();
        const bool long_target = target_bytes == 0 || target_bytes > options.target_bytes_max;
        incoming.refused = long_target ? long_target_refusal()
                                       : too_long(431, "headers_too_large", "header block");
    } else if (failure && is_malformed(failure)) {
        incoming.refused = refusal("request", failure.message());
    } else if (failure) {
        co_return Read::Broken;
    } else {
        incoming.take_head(context_.ids);
        if (incoming.request.target.size() <= options.target_bytes_max) co_return Read::Whole;
        incoming.refused = long_target_refusal();
    }
    if (incoming.id.empty()) incoming.id = context_.ids.next();
    co_return Read::Refused;
}

asio::awaitable<Session::Read> Session::read_body(Incoming& incoming) {
    incoming.admission = context_.handler.admit(incoming.request);
    const std::size_t most = incoming.admission.body_bytes_max;
    const auto announced = incoming.parser.content_length();
    if (announced && *announced > most) {
        incoming.refused = body_too_large(incoming.admission);
        co_return Read::Refused;
    }
    incoming.parser.body_limit(most);
    stream_->wire.expires_after(context_.options.idle_max);
    if (incoming.parser.get()[wire::field::expect] == "100-continue") {
        wire::response<wire::empty_body> go_on(wire::status::continue_, incoming.version);
        const auto [failed, written] = co_await wire::async_write(stream_->wire, go_on, kAsTuple);
        if (failed) co_return Read::Broken;
    }
    const auto [failure, count] =
        co_await wire::async_read(stream_->wire, stream_->buffer, incoming.parser, kAsTuple);
    if (!failure) co_return Read::Whole;
    if (failure == wire::error::body_limit) {
        incoming.refused = body_too_large(incoming.admission);
    } else if (is_malformed(failure)) {
        incoming.refused = refusal("body", failure.message());
    } else {
        co_return Read::Broken;
    }
    co_return Read::Refused;
}

asio::awaitable<bool> Session::write(Incoming& incoming, Response response) {
    stream_->wire.expires_after(context_.options.idle_max);
    if (incoming.head_only) {
        auto head = incoming.head_of<wire::empty_body>(response, context_.date);
        head.content_length(response.body.size());
        const auto [failure, count] = co_await wire::async_write(stream_->wire, head, kAsTuple);
        co_return !failure;
    }
    auto message = incoming.head_of<wire::string_body>(response, context_.date);
    message.body() = std::move(response.body);
    message.prepare_payload();
    if (response.status == 204) message.content_length(boost::none);
    const auto [failure, count] = co_await wire::async_write(stream_->wire, message, kAsTuple);
    co_return !failure;
}

asio::awaitable<bool> Session::write_streamed(Incoming& incoming, Response response) {
    const bool chunked = incoming.version >= 11;
    // HTTP/1.0 knows no chunks: there the end of the connection ends the body.
    if (!chunked) incoming.keep_alive = false;
    auto head = incoming.head_of<wire::empty_body>(response, context_.date);
    head.chunked(chunked);
    wire::response_serializer<wire::empty_body> serializer(head);
    stream_->wire.expires_after(context_.options.idle_max);
    const auto [failure, count] =
        co_await wire::async_write_header(stream_->wire, serializer, kAsTuple);
    if (failure) co_return false;
    if (incoming.head_only) co_return true;
    StreamedBody body(stream_->wire, context_.options.piece_max, chunked);
    co_await response.stream(body);
    const bool finished = co_await body.finish();
    co_return finished;
}

asio::awaitable<void> Session::linger() {
    beast::error_code failure;
    const bool unread = more_to_come_ || stream_->buffer.size() > 0 ||
                        stream_->wire.socket().available(failure) > 0;
    if (failure || !unread) co_return;
    stream_->wire.expires_after(kLingerMax);
    std::size_t discarded = 0;
    while (discarded < kLingerBytesMax) {
        stream_->buffer.clear();
        const auto [ended, count] =
            co_await stream_->wire.async_read_some(stream_->buffer.prepare(kReadBytes), kAsTuple);
        if (ended) co_return;
        discarded += count;
    }
}

}  // namespace ff::http
