#include "support/ports.h"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <stdexcept>
#include <string>

#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ff::testing {
namespace {

// Below the range that Linux hands to outgoing connections, bus ports included.
constexpr std::uint16_t kFirst = 11'000;
constexpr std::uint16_t kCount = 10'000;

bool can_bind(std::uint16_t port) {
    const int fd = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return false;
    const int on = 1;
    ::setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool bound =
        ::bind(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
        ::listen(fd, 1) == 0;
    ::close(fd);
    return bound;
}

/// Takes the port's name among all test processes of this machine. An abstract socket is the
/// reservation: taking it is atomic, and the kernel gives it back when the process ends.
int take_name(std::uint16_t port) {
    const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0) return -1;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    const std::string name = "ff-test-port-" + std::to_string(port);
    std::copy(name.begin(), name.end(), address.sun_path + 1);
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + name.size());
    if (::bind(fd, reinterpret_cast<const sockaddr*>(&address), size) == 0) return fd;
    ::close(fd);
    return -1;
}

bool reserve(std::uint16_t port) {
    const int name = take_name(port);
    if (name < 0) return false;
    if (can_bind(port)) return true;
    ::close(name);
    return false;
}

std::uint16_t next_candidate() {
    // Each process starts elsewhere, so that two rarely meet.
    static std::atomic<std::uint32_t> next{static_cast<std::uint32_t>(::getpid()) * 97U};
    return static_cast<std::uint16_t>(kFirst + next++ % kCount);
}

}  // namespace

std::uint16_t free_port() {
    for (int attempt = 0; attempt < kCount; ++attempt) {
        const std::uint16_t port = next_candidate();
        if (reserve(port)) return port;
    }
    throw std::runtime_error("no free port");
}

std::uint16_t free_cluster_port() {
    for (int attempt = 0; attempt < kCount; ++attempt) {
        const std::uint16_t port = free_port();
        if (reserve(static_cast<std::uint16_t>(port + kClusterBusOffset))) return port;
    }
    throw std::runtime_error("no free pair of ports");
}

}  // namespace ff::testing
