#include "sdk/http_connection.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "sdk/public_error.h"

namespace ff::sdk {
namespace {

using flowfabric::Done;
using flowfabric::Error;
using flowfabric::Result;

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kHeadBytesMax = 64 * 1024;
constexpr std::size_t kBodyBytesMax = 256U << 20;

std::string lower(std::string_view text) {
    std::string out(text);
    std::transform(out.begin(), out.end(), out.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return out;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// True when the socket is ready; an error at the deadline.
Result<Done> wait_ready(int fd, short events, SteadyTime until) {
    while (true) {
        const auto left =
            std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now());
        if (left.count() <= 0) return http_error("timeout", "no answer in time");
        pollfd waiting{.fd = fd, .events = events, .revents = 0};
        const int span = static_cast<int>(std::min<std::int64_t>(left.count(), 60'000));
        const int ready = ::poll(&waiting, 1, span);
        if (ready > 0) return Done{};
        if (ready < 0 && errno != EINTR) return http_error("connection_lost", std::strerror(errno));
    }
}

Result<Done> connect_one(int fd, const addrinfo& address, SteadyTime until) {
    if (::connect(fd, address.ai_addr, address.ai_addrlen) == 0) return Done{};
    if (errno != EINPROGRESS) return http_error("connect_failed", std::strerror(errno));
    FF_SDK_TRY([[maybe_unused]] Done ready, wait_ready(fd, POLLOUT, until));
    int failure = 0;
    socklen_t size = sizeof failure;
    ::getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &size);
    if (failure != 0) return http_error("connect_failed", std::strerror(failure));
    const int on = 1;
    ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return Done{};
}

struct Head {
    unsigned status = 0;
    std::string content_type{};
    std::optional<std::size_t> length{};
    bool chunked = false;
    bool close = false;
};

Result<Head> parse_status(std::string_view line) {
    Head head;
    if (line.size() < 12 || !line.starts_with("HTTP/1."))
        return http_error("protocol", "no HTTP/1.1 reply");
    const auto code = line.substr(9, 3);
    const auto read = std::from_chars(code.data(), code.data() + 3, head.status);
    if (read.ec != std::errc() || read.ptr != code.data() + 3)
        return http_error("protocol", "no status in the reply");
    head.close = line.starts_with("HTTP/1.0");
    return head;
}

Result<Done> add_header(Head& head, std::string_view line) {
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos) return http_error("protocol", "bad header in the reply");
    const std::string name = lower(line.substr(0, colon));
    const std::string_view value = trim(line.substr(colon + 1));
    if (name == "content-type") head.content_type = value;
    if (name == "connection") head.close = lower(value).find("close") != std::string::npos;
    if (name == "transfer-encoding") head.chunked = lower(value) == "chunked";
    if (name == "content-length") {
        std::size_t length = 0;
        const auto read = std::from_chars(value.data(), value.data() + value.size(), length);
        if (read.ec != std::errc() || read.ptr != value.data() + value.size() ||
            length > kBodyBytesMax)
            return http_error("protocol", "bad Content-Length in the reply");
        head.length = length;
    }
    return Done{};
}

}  // namespace

Error http_error(std::string kind, std::string message) {
    const bool again = kind != "protocol";
    return {.code = "http",
            .cls = again ? flowfabric::ErrorClass::Retryable : flowfabric::ErrorClass::Terminal,
            .kind = std::move(kind),
            .message = std::move(message)};
}

Result<ServerUrl> ServerUrl::parse(std::string_view url) {
    constexpr std::string_view kScheme = "http://";
    if (!url.starts_with(kScheme))
        return flowfabric::config_error("not a URL of the form http://host:port: " +
                                        std::string(url));
    std::string_view rest = url.substr(kScheme.size());
    ServerUrl parsed;
    if (const auto slash = rest.find('/'); slash != std::string_view::npos) {
        parsed.prefix = rest.substr(slash);
        while (parsed.prefix.ends_with('/')) parsed.prefix.pop_back();
        rest = rest.substr(0, slash);
    }
    const auto bracket = rest.find(']');
    const auto colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
    parsed.host = rest.substr(0, colon);
    if (parsed.host.starts_with('[') && parsed.host.ends_with(']'))
        parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
    if (colon != std::string_view::npos) parsed.port = rest.substr(colon + 1);
    const bool digits = !parsed.port.empty() && parsed.port.size() <= 5 &&
                        std::all_of(parsed.port.begin(), parsed.port.end(),
                                    [](char c) { return c >= '0' && c <= '9'; });
    if (parsed.host.empty() || !digits)
        return flowfabric::config_error("no host and port in " + std::string(url));
    return parsed;
}

std::string ServerUrl::authority() const {
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + port;
}

Result<std::unique_ptr<HttpConnection>> HttpConnection::open(const ServerUrl& url,
                                                             SteadyTime until) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    const int failed = ::getaddrinfo(url.host.c_str(), url.port.c_str(), &hints, &found);
    if (failed != 0) return http_error("connect_failed", url.host + ": " + ::gai_strerror(failed));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
    Error last = http_error("connect_failed", "no address");
    for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
        const int fd = ::socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (fd < 0) continue;
        std::unique_ptr<HttpConnection> connection(new HttpConnection(fd));
        const auto connected = connect_one(fd, *address, until);
        if (connected) return connection;
        last = connected.error();
    }
    last.message = "cannot reach " + url.authority() + ": " + last.message;
    return last;
}

HttpConnection::~HttpConnection() {
    ::close(fd_);
}

void HttpConnection::cut() const {
    ::shutdown(fd_, SHUT_RDWR);
}

bool HttpConnection::stale() const {
    pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
    return ::poll(&waiting, 1, 0) != 0;
}

Result<Done> HttpConnection::write(std::string_view head, std::string_view body, SteadyTime until) {
    while (!head.empty() || !body.empty()) {
        std::array<iovec, 2> pieces{};
        pieces[0] = {.iov_base = const_cast<char*>(head.data()), .iov_len = head.size()};
        pieces[1] = {.iov_base = const_cast<char*>(body.data()), .iov_len = body.size()};
        msghdr message{};
        message.msg_iov = pieces.data();
        message.msg_iovlen = pieces.size();
        const ssize_t sent = ::sendmsg(fd_, &message, MSG_NOSIGNAL);
        if (sent < 0) {
            if (errno == EINTR) continue;
            if (errno != EAGAIN) return http_error("connection_lost", std::strerror(errno));
            FF_SDK_TRY([[maybe_unused]] Done ready, wait_ready(fd_, POLLOUT, until));
            continue;
        }
        const auto from_head = std::min(static_cast<std::size_t>(sent), head.size());
        head.remove_prefix(from_head);
        body.remove_prefix(static_cast<std::size_t>(sent) - from_head);
    }
    return Done{};
}

Result<Done> HttpConnection::fill(SteadyTime until) {
    if (used_ > 0) {
        buffer_.erase(0, used_);
        used_ = 0;
    }
    const std::size_t size = buffer_.size();
    buffer_.resize(size + kReadBytes);
    while (true) {
        const ssize_t got = ::recv(fd_, buffer_.data() + size, kReadBytes, 0);
        if (got > 0) {
            buffer_.resize(size + static_cast<std::size_t>(got));
            return Done{};
        }
        if (got < 0 && errno == EINTR) continue;
        if (got < 0 && errno == EAGAIN) {
            const auto ready = wait_ready(fd_, POLLIN, until);
            if (ready) continue;
            buffer_.resize(size);
            return ready.error();
        }
        buffer_.resize(size);
        return http_error("connection_lost",
                          got == 0 ? "the server closed the connection" : std::strerror(errno));
    }
}

Result<std::string> HttpConnection::line(SteadyTime until) {
    while (true) {
        const std::size_t end = buffer_.find("\r\n", used_);
        if (end != std::string::npos) {
            std::string text = buffer_.substr(used_, end - used_);
            used_ = end + 2;
            return text;
        }
        if (buffer_.size() - used_ > kHeadBytesMax)
            return http_error("protocol", "a header without an end");
        FF_SDK_TRY([[maybe_unused]] Done more, fill(until));
    }
}

Result<std::string> HttpConnection::take(std::size_t count, SteadyTime until) {
    while (buffer_.size() - used_ < count) {
        FF_SDK_TRY([[maybe_unused]] Done more, fill(until));
    }
    std::string bytes = buffer_.substr(used_, count);
    used_ += count;
    return bytes;
}

Result<std::string> HttpConnection::chunks(SteadyTime until) {
    std::string body;
    while (true) {
        FF_SDK_TRY(const std::string size_line, line(until));
        std::size_t size = 0;
        const auto read =
            std::from_chars(size_line.data(), size_line.data() + size_line.size(), size, 16);
        if (read.ec != std::errc() || size > kBodyBytesMax - body.size())
            return http_error("protocol", "bad chunk in the reply");
        if (size == 0) break;
        FF_SDK_TRY(const std::string piece, take(size, until));
        body += piece;
        FF_SDK_TRY([[maybe_unused]] const std::string end, line(until));
    }
    while (true) {
        FF_SDK_TRY(const std::string trailer, line(until));
        if (trailer.empty()) return body;
    }
}

Result<std::string> HttpConnection::rest(SteadyTime until) {
    while (buffer_.size() - used_ <= kBodyBytesMax) {
        const auto more = fill(until);
        if (more) continue;
        if (more.error().kind != "connection_lost") return more.error();
        return take(buffer_.size() - used_, until);
    }
    return http_error("protocol", "a reply without an end");
}

Result<DoorReply> HttpConnection::exchange(std::string_view head, std::string_view body,
                                           SteadyTime until) {
    reusable_ = false;
    FF_SDK_TRY([[maybe_unused]] Done sent, write(head, body, until));
    Head reply;
    do {
        FF_SDK_TRY(const std::string status, line(until));
        FF_SDK_TRY(reply, parse_status(status));
        while (true) {
            FF_SDK_TRY(const std::string header, line(until));
            if (header.empty()) break;
            FF_SDK_TRY([[maybe_unused]] Done added, add_header(reply, header));
        }
    } while (reply.status == 100);
    DoorReply answer{.status = reply.status, .content_type = std::move(reply.content_type)};
    if (reply.chunked) {
        FF_SDK_TRY(answer.body, chunks(until));
    } else if (reply.length) {
        FF_SDK_TRY(answer.body, take(*reply.length, until));
    } else if (reply.status != 204 && reply.status != 304) {
        FF_SDK_TRY(answer.body, rest(until));
        reply.close = true;
    }
    reusable_ = !reply.close;
    return answer;
}

}  // namespace ff::sdk
