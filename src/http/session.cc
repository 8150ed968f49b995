#include "http/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <ctime>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <sys/socket.h>

#include "base/bytes.h"
#include "base/random.h"
#include "http/endpoint_text.h"
#include "http/streamed_body.h"

namespace ff::http {
namespace asio = boost::asio;

namespace {

using Socket = WireStream::Socket;
using Read = RequestReader::Read;

constexpr auto kAsTuple = asio::as_tuple(asio::use_awaitable);
constexpr std::size_t kRequestIdBytesMax = 128;
/// How long, and for how many bytes, a connection is read on after its last response, so that
/// closing it does not reset it before the client has read that response.
constexpr std::chrono::milliseconds kLingerMax{1000};
constexpr std::size_t kLingerBytesMax = std::size_t{4} << 20;
constexpr std::chrono::milliseconds kGoodbyeMax{200};
/// How long a client may take to send its request, or to read its answer, before it makes room for
/// others where room is short.
constexpr std::chrono::milliseconds kReadingPatience{1000};
constexpr std::chrono::milliseconds kWritingPatience{5000};

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

/// The other end, as a handler sees it.
class Session::Client final : public Peer {
  public:
    explicit Client(WireStream& wire) : wire_(wire) {}

    asio::awaitable<void> gone() override {
        Socket& socket = wire_.socket();
        const auto [failure] = co_await socket.async_wait(Socket::wait_read, kAsTuple);
        if (failure) co_return;
        std::array<std::uint8_t, 5> head{};
        boost::system::error_code ended;
        const std::size_t count =
            socket.receive(asio::buffer(head), asio::socket_base::message_peek, ended);
        if (ended || (wire_.encrypted() && is_farewell(head, count))) co_return;
        // The next request is there already, so only a reset can be seen from here.
        co_await socket.async_wait(Socket::wait_error, kAsTuple);
    }

    bool has_left() override {
        std::array<std::uint8_t, 5> head{};
        const ssize_t count = ::recv(wire_.socket().native_handle(), head.data(), head.size(),
                                     MSG_PEEK | MSG_DONTWAIT);
        if (count < 0) return errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR;
        const auto size = static_cast<std::size_t>(count);
        return size == 0 || (wire_.encrypted() && is_farewell(head, size));
    }

    std::string address() const override {
        boost::system::error_code failure;
        const auto remote = wire_.socket().remote_endpoint(failure);
        return failure ? std::string() : text_of(remote);
    }

  private:
    WireStream& wire_;
};

Session::Session(Socket socket, SessionContext& context)
    : wire_(std::move(socket), context.options.tls ? context.options.tls->native() : nullptr),
      client_(std::make_unique<Client>(wire_)),
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
    boost::system::error_code ignored;
    wire_.socket().shutdown(Socket::shutdown_send, ignored);
    co_await linger();
}

asio::awaitable<bool> Session::greet() {
    if (!wire_.encrypted()) co_return true;
    wire_.expires_after(context_.options.head_max);
    const WireStream::Failure failure = co_await wire_.handshake();
    co_return !failure;
}

/// A client of TLS must be able to tell the end from a cut. It need not answer.
asio::awaitable<void> Session::say_goodbye() {
    if (!wire_.encrypted() || !wire_.socket().is_open()) co_return;
    wire_.expires_after(kGoodbyeMax);
    co_await wire_.goodbye();
}

void Session::interrupt_idle() {
    if (idle()) wire_.cancel();
}

void Session::enter(Stage stage) {
    stage_ = stage;
    stage_since_ = IdleClock::now();
}

Session::IdleClock::time_point Session::dispensable_from() const {
    const auto writing = wire_.writing_since();
    if (writing) return *writing + kWritingPatience;
    switch (stage_) {
        case Stage::Idle:
            return IdleClock::time_point::min() + stage_since_.time_since_epoch();
        case Stage::Reading:
            return stage_since_ + kReadingPatience;
        case Stage::Answering:
            break;
    }
    return IdleClock::time_point::max();
}

void Session::cut() {
    wire_.close();
}

asio::awaitable<bool> Session::await_first_byte() {
    if (!wire_.received().empty()) co_return true;
    enter(Stage::Idle);
    wire_.expires_after(context_.options.idle_max);
    const WireStream::Failure failure = co_await wire_.receive();
    co_return !failure;
}

asio::awaitable<bool> Session::serve_one() {
    const ServerOptions& options = context_.options;
    RequestReader reader(wire_, {.target_bytes_max = options.target_bytes_max,
                                 .header_bytes_max = options.header_bytes_max,
                                 .body_grace = options.body_grace,
                                 .body_bytes_per_second_min = options.body_bytes_per_second_min});
    enter(Stage::Reading);
    std::shared_ptr<void> held;
    const Read read = co_await this->read(reader, held);
    enter(Stage::Answering);
    if (read == Read::Broken) co_return false;
    const std::string id = reader.request().id;
    Response response;
    if (read == Read::Refused) {
        // What follows on this connection may be the rest of what was refused.
        more_to_come_ = true;
        response = std::move(reader.refusal());
    } else {
        response = co_await context_.handler.handle(std::move(reader.request()), *client_);
    }
    HeadFacts facts{.version = reader.version(), .date = context_.date.now(), .request_id = id};
    facts.keep_alive =
        reader.keep_alive() && read == Read::Whole && !context_.draining && !context_.crowded;
    if (response.stream)
        facts.framing = facts.version >= 11 ? BodyFraming::Chunked : BodyFraming::UntilClose;
    if (facts.framing == BodyFraming::UntilClose) facts.keep_alive = false;
    const auto undelivered = std::move(response.undelivered);
    const bool written = co_await write(response, facts, reader.head_only());
    if (!written && undelivered) co_await undelivered();
    co_return written&& facts.keep_alive;
}

asio::awaitable<Read> Session::read(RequestReader& reader, std::shared_ptr<void>& held) {
    wire_.expires_after(context_.options.head_max);
    Read read = co_await reader.read_head();
    Request& request = reader.request();
    const auto given = request.header("X-Request-Id");
    request.id = given && acceptable_id(*given) ? std::string(*given) : context_.ids.next();
    if (read != Read::Whole || !reader.has_body()) co_return read;
    Admission admission = context_.handler.admit(request, *client_);
    held = std::move(admission.held);
    if (admission.refusal) {
        reader.refusal() = *std::move(admission.refusal);
        co_return Read::Refused;
    }
    read = co_await reader.read_body(std::move(admission));
    co_return read;
}

asio::awaitable<bool> Session::write(Response& response, HeadFacts facts, bool head_only) {
    const std::string head = response_head(response, facts);
    const std::string_view body = head_only ? std::string_view() : std::string_view(response.body);
    const WireStream::Pieces pieces = {asio::buffer(head), asio::buffer(body)};
    wire_.expires_after(context_.options.idle_max);
    const WireStream::Failure failure = co_await wire_.write(pieces);
    if (failure) co_return false;
    if (!response.stream || head_only) co_return true;
    StreamedBody streamed(wire_, context_.options.piece_max, facts.framing == BodyFraming::Chunked);
    co_await response.stream(streamed);
    const bool finished = co_await streamed.finish();
    co_return finished;
}

asio::awaitable<void> Session::linger() {
    boost::system::error_code failure;
    const bool unread =
        more_to_come_ || !wire_.received().empty() || wire_.socket().available(failure) > 0;
    if (failure || !unread) co_return;
    enter(Stage::Idle);
    wire_.expires_after(kLingerMax);
    std::size_t discarded = 0;
    while (discarded < kLingerBytesMax) {
        wire_.consume(wire_.received().size());
        const WireStream::Failure ended = co_await wire_.receive();
        if (ended) co_return;
        discarded += wire_.received().size();
    }
}

}  // namespace ff::http
