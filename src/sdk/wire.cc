#include "sdk/wire.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

#include "sdk/public_error.h"

namespace ff::sdk {
namespace {

using flowfabric::Done;
using flowfabric::Error;
using flowfabric::Result;

/// An error at the deadline.
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

class SocketWire final : public Wire {
  public:
    explicit SocketWire(int fd) : fd_(fd) {}
    SocketWire(const SocketWire&) = delete;
    SocketWire& operator=(const SocketWire&) = delete;
    ~SocketWire() override { ::close(fd_); }

    Result<Done> connect(const sockaddr* address, socklen_t size, SteadyTime until) const;
    Result<std::size_t> read(std::span<char> into, SteadyTime until) override;
    Result<Done> write(std::string_view head, std::string_view body, SteadyTime until) override;
    void cut() const override { ::shutdown(fd_, SHUT_RDWR); }
    bool stale() const override {
        pollfd waiting{.fd = fd_, .events = POLLIN, .revents = 0};
        return ::poll(&waiting, 1, 0) != 0;
    }
    void send_at_once() const {
        const int on = 1;
        ::setsockopt(fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    }

  private:
    int fd_;
};

Result<Done> SocketWire::connect(const sockaddr* address, socklen_t size, SteadyTime until) const {
    if (::connect(fd_, address, size) == 0) return Done{};
    if (errno != EINPROGRESS) return http_error("connect_failed", std::strerror(errno));
    FF_SDK_TRY([[maybe_unused]] Done ready, wait_ready(fd_, POLLOUT, until));
    int failure = 0;
    socklen_t failure_size = sizeof failure;
    ::getsockopt(fd_, SOL_SOCKET, SO_ERROR, &failure, &failure_size);
    if (failure != 0) return http_error("connect_failed", std::strerror(failure));
    return Done{};
}

Result<std::size_t> SocketWire::read(std::span<char> into, SteadyTime until) {
    while (true) {
        const ssize_t got = ::recv(fd_, into.data(), into.size(), 0);
        if (got > 0) return static_cast<std::size_t>(got);
        if (got == 0) return http_error("connection_lost", "the server closed the connection");
        if (errno == EINTR) continue;
        if (errno != EAGAIN) return http_error("connection_lost", std::strerror(errno));
        FF_SDK_TRY([[maybe_unused]] Done ready, wait_ready(fd_, POLLIN, until));
    }
}

Result<Done> SocketWire::write(std::string_view head, std::string_view body, SteadyTime until) {
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

std::unique_ptr<SocketWire> open_socket(int family) {
    const int fd = ::socket(family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    return fd < 0 ? nullptr : std::make_unique<SocketWire>(fd);
}

Result<std::unique_ptr<Wire>> connect_unix(const ServerUrl& url, SteadyTime until) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    url.path.copy(address.sun_path, sizeof address.sun_path - 1);
    auto wire = open_socket(AF_UNIX);
    if (!wire) return http_error("connect_failed", std::strerror(errno));
    const auto connected =
        wire->connect(reinterpret_cast<const sockaddr*>(&address), sizeof address, until);
    if (!connected) return connected.error();
    return std::unique_ptr<Wire>(std::move(wire));
}

Result<std::unique_ptr<Wire>> connect_tcp(const ServerUrl& url, SteadyTime until) {
    addrinfo hints{};
    hints.ai_family = AF_UNSPEC;
    hints.ai_socktype = SOCK_STREAM;
    addrinfo* found = nullptr;
    // No name means this machine, whose own name a small container may not know.
    const char* host = url.host == "localhost" ? nullptr : url.host.c_str();
    const int failed = ::getaddrinfo(host, url.port.c_str(), &hints, &found);
    if (failed != 0) return http_error("connect_failed", ::gai_strerror(failed));
    const std::unique_ptr<addrinfo, void (*)(addrinfo*)> addresses(found, ::freeaddrinfo);
    Error last = http_error("connect_failed", "no address");
    for (const addrinfo* address = found; address != nullptr; address = address->ai_next) {
        auto wire = open_socket(address->ai_family);
        if (!wire) continue;
        const auto connected = wire->connect(address->ai_addr, address->ai_addrlen, until);
        if (connected) {
            wire->send_at_once();
            return std::unique_ptr<Wire>(std::move(wire));
        }
        last = connected.error();
    }
    return last;
}

}  // namespace

Error http_error(std::string kind, std::string message) {
    const bool again = kind != "protocol" && kind != "tls";
    return {.code = "http",
            .cls = again ? flowfabric::ErrorClass::Retryable : flowfabric::ErrorClass::Terminal,
            .kind = std::move(kind),
            .message = std::move(message)};
}

Result<std::unique_ptr<Wire>> Wire::connect(const ServerUrl& url, SteadyTime until) {
    Result<std::unique_ptr<Wire>> wire =
        url.scheme == ServerUrl::Scheme::Unix ? connect_unix(url, until) : connect_tcp(url, until);
    if (wire) return wire;
    Error error = std::move(wire).error();
    error.message = "cannot reach " + url.text() + ": " + error.message;
    return error;
}

}  // namespace ff::sdk
