#include "support/http_connection.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <stdexcept>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

namespace ff::testing {
namespace {

Error broken(std::string_view what) {
    return {.code = "connection", .message = std::string(what)};
}

Error broken_by_errno(std::string_view what) {
    return broken(std::string(what) + ": " + std::strerror(errno));
}

std::optional<std::size_t> number(std::string_view text, int base) {
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (error != std::errc() || end == text.data()) return std::nullopt;
    return value;
}

Result<HttpReply> parse_head(std::string_view head) {
    HttpReply reply;
    const std::string_view status_line = head.substr(0, head.find("\r\n"));
    if (!status_line.starts_with("HTTP/1.") || status_line.size() < 12)
        return broken("no status line: " + std::string(status_line));
    reply.status = static_cast<int>(number(status_line.substr(9, 3), 10).value_or(0));
    head.remove_prefix(status_line.size() + 2);
    while (!head.empty() && head != "\r\n") {
        const std::string_view line = head.substr(0, head.find("\r\n"));
        head.remove_prefix(line.size() + 2);
        const auto colon = line.find(':');
        if (colon == std::string_view::npos) return broken("no header: " + std::string(line));
        std::string_view value = line.substr(colon + 1);
        while (value.starts_with(' ')) value.remove_prefix(1);
        reply.headers.emplace_back(line.substr(0, colon), value);
    }
    return reply;
}

template <class T>
T value_or_throw(Result<T> result) {
    if (!result.has_value()) throw std::runtime_error(result.error().text());
    return *std::move(result);
}

}  // namespace

std::string HttpReply::header(std::string_view name) const {
    const std::string wanted(name);
    for (const auto& [header_name, value] : headers)
        if (::strcasecmp(header_name.c_str(), wanted.c_str()) == 0) return value;
    return {};
}

HttpConnection::HttpConnection(int fd) : fd_(fd) {
    set_timeout(kPatience);
}

HttpConnection::HttpConnection(HttpConnection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)), buffer_(std::move(other.buffer_)) {}

HttpConnection& HttpConnection::operator=(HttpConnection&& other) noexcept {
    if (this != &other) {
        close();
        fd_ = std::exchange(other.fd_, -1);
        buffer_ = std::move(other.buffer_);
    }
    return *this;
}

HttpConnection::~HttpConnection() {
    close();
}

void HttpConnection::close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<HttpConnection> HttpConnection::try_connect(std::uint16_t port) {
    HttpConnection connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(connection.fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(connection.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0)
        return broken_by_errno("connect to port " + std::to_string(port));
    return connection;
}

HttpConnection HttpConnection::connect(std::uint16_t port) {
    return value_or_throw(try_connect(port));
}

void HttpConnection::set_timeout(Millis timeout) const {
    timeval value{};
    value.tv_sec = timeout.count() / 1000;
    value.tv_usec = timeout.count() % 1000 * 1000;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

std::string HttpConnection::encode(std::string_view method, std::string_view target,
                                   const HttpHeaders& headers, std::string_view body) {
    std::string out =
        std::string(method) + " " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n";
    for (const auto& [name, value] : headers) out += name + ": " + value + "\r\n";
    if (!body.empty()) out += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    return out + "\r\n" + std::string(body);
}

Result<Done> HttpConnection::send_raw(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) return broken_by_errno("send");
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return Done{};
}

HttpReply HttpConnection::request(std::string_view method, std::string_view target,
                                  const HttpHeaders& headers, std::string_view body) {
    value_or_throw(send_raw(encode(method, target, headers, body)));
    return value_or_throw(read_reply(method == "HEAD"));
}

HttpReply HttpConnection::post(std::string_view target, std::string_view json) {
    return request("POST", target, {{"Content-Type", "application/json"}}, json);
}

Result<Done> HttpConnection::fill() {
    char chunk[16'384];
    while (true) {
        const ssize_t count = ::recv(fd_, chunk, sizeof chunk, 0);
        if (count > 0) {
            buffer_.append(chunk, static_cast<std::size_t>(count));
            return Done{};
        }
        if (count == 0) return broken("closed by the server");
        if (errno != EINTR) return broken_by_errno("receive");
    }
}

Result<std::string> HttpConnection::take(std::size_t count) {
    while (buffer_.size() < count) FF_CHECK(fill());
    std::string bytes = buffer_.substr(0, count);
    buffer_.erase(0, count);
    return bytes;
}

Result<std::string> HttpConnection::read_until(std::string_view mark) {
    while (buffer_.find(mark) == std::string::npos) FF_CHECK(fill());
    return take(buffer_.find(mark) + mark.size());
}

Result<std::string> HttpConnection::read_chunks() {
    std::string body;
    while (true) {
        FF_TRY(const std::string line, read_until("\r\n"));
        const auto size = number(line, 16);
        if (!size.has_value()) return broken("no chunk size: " + line);
        FF_TRY(const std::string chunk, take(*size + 2));
        if (*size == 0) return body;
        body.append(chunk, 0, *size);
    }
}

Result<HttpReply> HttpConnection::read_reply(bool head_only) {
    FF_TRY(const std::string head, read_until("\r\n\r\n"));
    FF_TRY(HttpReply reply, parse_head(head));
    if (head_only || reply.status == 204 || reply.status / 100 == 1) return reply;
    if (reply.header("Transfer-Encoding") == "chunked") {
        FF_TRY(reply.body, read_chunks());
    } else if (const auto length = number(reply.header("Content-Length"), 10)) {
        FF_TRY(reply.body, take(*length));
    } else {
        while (fill().has_value()) {
        }
        reply.body = std::exchange(buffer_, {});
    }
    return reply;
}

bool HttpConnection::closed_by_server() {
    if (!buffer_.empty()) return false;
    char byte = 0;
    return ::recv(fd_, &byte, 1, 0) == 0;
}

void HttpConnection::shutdown_send() const {
    ::shutdown(fd_, SHUT_WR);
}

void HttpConnection::reset() {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
    close();
}

HttpReply http_get(std::uint16_t port, std::string_view target) {
    return HttpConnection::connect(port).get(target);
}

}  // namespace ff::testing
