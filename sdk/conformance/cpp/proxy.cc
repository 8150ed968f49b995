#include "proxy.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

constexpr std::size_t kPiece = 64 * 1024;

bool receive(int socket, std::string& into) {
    char piece[kPiece];
    const ssize_t got = ::recv(socket, piece, sizeof piece, 0);
    if (got <= 0) return false;
    into.append(piece, static_cast<std::size_t>(got));
    return true;
}

bool send_all(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent <= 0) return false;
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return true;
}

std::size_t content_length(std::string head) {
    std::transform(head.begin(), head.end(), head.begin(),
                   [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    const std::string name = "\r\ncontent-length:";
    const std::size_t at = head.find(name);
    return at == std::string::npos ? 0 : std::stoul(head.substr(at + name.size()));
}

/// A whole message off the front of `buffer`; nothing when the line ended before.
std::optional<std::string> read_message(int socket, std::string& buffer) {
    std::size_t end = 0;
    while ((end = buffer.find("\r\n\r\n")) == std::string::npos)
        if (!receive(socket, buffer)) return std::nullopt;
    const std::size_t whole = end + 4 + content_length(buffer.substr(0, end));
    while (buffer.size() < whole)
        if (!receive(socket, buffer)) return std::nullopt;
    std::string message = buffer.substr(0, whole);
    buffer.erase(0, whole);
    return message;
}

}  // namespace

Proxy::Proxy(const std::string& server, Faults& faults) : faults_(faults) {
    const std::string address = server.substr(server.find("//") + 2);
    host_ = address.substr(0, address.rfind(':'));
    server_port_ = static_cast<std::uint16_t>(std::stoul(address.substr(address.rfind(':') + 1)));
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in here{};
    here.sin_family = AF_INET;
    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof here;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&here), size) != 0 ||
        ::listen(listener_, SOMAXCONN) != 0 ||
        ::getsockname(listener_, reinterpret_cast<sockaddr*>(&here), &size) != 0)
        throw std::runtime_error("no port to listen on");
    port_ = ntohs(here.sin_port);
    std::thread([this] { accept_all(); }).detach();
}

void Proxy::accept_all() {
    for (;;) {
        const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
        if (client >= 0) std::thread([this, client] { serve(client); }).detach();
    }
}

int Proxy::connect_to_server() const {
    const int made = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    const int on = 1;
    ::setsockopt(made, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    sockaddr_in there{};
    there.sin_family = AF_INET;
    there.sin_port = htons(server_port_);
    const bool connected = ::inet_pton(AF_INET, host_.c_str(), &there.sin_addr) == 1 &&
                           ::connect(made, reinterpret_cast<sockaddr*>(&there), sizeof there) == 0;
    if (connected) return made;
    ::close(made);
    return -1;
}

void Proxy::serve(int client) const {
    const int on = 1;
    ::setsockopt(client, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const int server = connect_to_server();
    std::string from_client;
    std::string from_server;
    while (server >= 0 && pass(client, server, from_client, from_server)) {
    }
    if (server >= 0) ::close(server);
    ::close(client);
}

bool Proxy::pass(int client, int server, std::string& from_client, std::string& from_server) const {
    const auto request = read_message(client, from_client);
    if (!request) return false;
    const std::size_t space = request->find(' ');
    const std::string target =
        request->substr(space + 1, request->find(' ', space + 1) - space - 1);
    const Faults::Place place =
        faults_.arrive(request->substr(0, space), target.substr(0, target.find('?')));
    if (faults_.befalls(place, "before")) return false;
    if (!send_all(server, *request)) return false;
    const auto reply = read_message(server, from_server);
    if (!reply) return false;
    if (faults_.befalls(place, "after")) return false;
    return send_all(client, *reply);
}
