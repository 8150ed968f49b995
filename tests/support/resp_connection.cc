#include "support/resp_connection.h"

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

namespace ff::testing {
namespace {

constexpr int kDepthMax = 64;

Error broken(std::string_view what) {
    return {.code = "connection", .message = std::string(what)};
}

Error broken_by_errno(std::string_view what) {
    return broken(std::string(what) + ": " + std::strerror(errno));
}

std::optional<std::int64_t> integer_of(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

template <class T>
T value_or_throw(Result<T> result) {
    if (!result.has_value()) throw std::runtime_error(result.error().text());
    return *std::move(result);
}

std::string quoted(std::string_view bytes) {
    constexpr char kHex[] = "0123456789abcdef";
    std::string out = "\"";
    for (const char c : bytes) {
        const auto byte = static_cast<unsigned char>(c);
        if (c == '"' || c == '\\') {
            out += '\\';
            out += c;
        } else if (byte < 0x20 || byte >= 0x7f) {
            out += "\\x";
            out += kHex[byte >> 4];
            out += kHex[byte & 15];
        } else {
            out += c;
        }
    }
    return out + '"';
}

std::string listed(std::string_view open, const std::vector<RespValue>& items, char close) {
    std::string out(open);
    for (const RespValue& item : items) {
        if (out.size() > open.size()) out += ", ";
        out += to_string(item);
    }
    return out + close;
}

}  // namespace

std::string to_string(const RespValue& value) {
    using enum RespValue::Kind;
    switch (value.kind) {
        case Simple:
            return value.text;
        case Error:
            return "(error) " + value.text;
        case Integer:
            return std::to_string(value.integer);
        case Bulk:
            return quoted(value.text);
        case Null:
            return "nil";
        case Array:
            return listed("[", value.items, ']');
        case Map:
            return listed("map{", value.items, '}');
        case Set:
            return listed("set(", value.items, ')');
        case Push:
            return listed("push(", value.items, ')');
        case Double:
            return "(double) " + value.text;
        case Bool:
            return value.integer != 0 ? "true" : "false";
        case BigNumber:
            return "(big) " + value.text;
        case Verbatim:
            return "(verbatim) " + quoted(value.text);
    }
    return "(unknown)";
}

RespConnection::RespConnection(int fd) : fd_(fd) {
    set_timeout(kPatience);
}

RespConnection::RespConnection(RespConnection&& other) noexcept
    : fd_(std::exchange(other.fd_, -1)),
      buffer_(std::move(other.buffer_)),
      position_(other.position_),
      pushes_(std::move(other.pushes_)) {}

RespConnection& RespConnection::operator=(RespConnection&& other) noexcept {
    if (this != &other) {
        close();
        fd_ = std::exchange(other.fd_, -1);
        buffer_ = std::move(other.buffer_);
        position_ = other.position_;
        pushes_ = std::move(other.pushes_);
    }
    return *this;
}

RespConnection::~RespConnection() {
    close();
}

void RespConnection::close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
}

Result<RespConnection> RespConnection::try_connect(std::uint16_t port) {
    RespConnection connection(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const int on = 1;
    ::setsockopt(connection.fd_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    if (::connect(connection.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
        0) {
        return broken_by_errno("connect to port " + std::to_string(port));
    }
    return connection;
}

Result<RespConnection> RespConnection::try_connect_unix(const std::string& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof address.sun_path) return broken("socket path too long: " + path);
    path.copy(address.sun_path, path.size());
    RespConnection connection(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(connection.fd_, reinterpret_cast<const sockaddr*>(&address), sizeof address) !=
        0) {
        return broken_by_errno("connect to " + path);
    }
    return connection;
}

RespConnection RespConnection::connect(std::uint16_t port) {
    return value_or_throw(try_connect(port));
}

RespConnection RespConnection::connect_unix(const std::string& path) {
    return value_or_throw(try_connect_unix(path));
}

void RespConnection::set_timeout(Millis timeout) const {
    timeval value{};
    value.tv_sec = timeout.count() / 1000;
    value.tv_usec = timeout.count() % 1000 * 1000;
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &value, sizeof value);
    ::setsockopt(fd_, SOL_SOCKET, SO_SNDTIMEO, &value, sizeof value);
}

std::string RespConnection::encode(const std::vector<std::string>& args) {
    std::string out = "*" + std::to_string(args.size()) + "\r\n";
    for (const std::string& arg : args) {
        out += "$" + std::to_string(arg.size()) + "\r\n";
        out += arg;
        out += "\r\n";
    }
    return out;
}

Result<Done> RespConnection::send_raw(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t sent = ::send(fd_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno == EINTR) continue;
        if (sent < 0) {
            Error error = broken_by_errno("send");
            close();
            return error;
        }
        bytes.remove_prefix(static_cast<std::size_t>(sent));
    }
    return Done{};
}

Result<RespValue> RespConnection::try_command(const std::vector<std::string>& args) {
    FF_CHECK(send(args));
    while (true) {
        FF_TRY(RespValue value, read());
        if (value.kind != RespValue::Kind::Push) return value;
        pushes_.push_back(std::move(value));
    }
}

RespValue RespConnection::command(const std::vector<std::string>& args) {
    return value_or_throw(try_command(args));
}

std::vector<RespValue> RespConnection::commands(const std::vector<std::vector<std::string>>& list) {
    std::string bytes;
    for (const auto& args : list) bytes += encode(args);
    value_or_throw(send_raw(bytes));
    std::vector<RespValue> replies;
    while (replies.size() < list.size()) {
        RespValue value = value_or_throw(read());
        auto& target =
            value.kind == RespValue::Kind::Push ? pushes_.emplace_back() : replies.emplace_back();
        target = std::move(value);
    }
    return replies;
}

Result<RespValue> RespConnection::read() {
    Result<RespValue> value = read_value(0);
    if (!value.has_value()) close();
    buffer_.erase(0, position_);
    position_ = 0;
    return value;
}

Result<Done> RespConnection::fill() {
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

Result<std::string> RespConnection::read_line() {
    while (true) {
        const auto end = buffer_.find("\r\n", position_);
        if (end != std::string::npos) {
            std::string line = buffer_.substr(position_, end - position_);
            position_ = end + 2;
            return line;
        }
        FF_CHECK(fill());
    }
}

Result<std::string> RespConnection::read_exactly(std::size_t count) {
    while (buffer_.size() - position_ < count + 2) FF_CHECK(fill());
    std::string bytes = buffer_.substr(position_, count);
    if (buffer_.compare(position_ + count, 2, "\r\n") != 0) return broken("no line end after text");
    position_ += count + 2;
    return bytes;
}

Result<RespValue> RespConnection::read_blob(RespValue::Kind kind, std::string_view length) {
    const std::optional<std::int64_t> count = integer_of(length);
    if (count == -1) return RespValue{};
    if (!count.has_value() || *count < 0) return broken("bad length " + std::string(length));
    FF_TRY(std::string text, read_exactly(static_cast<std::size_t>(*count)));
    return RespValue{.kind = kind, .text = std::move(text)};
}

Result<RespValue> RespConnection::read_items(RespValue::Kind kind, std::string_view count,
                                             int depth) {
    const std::optional<std::int64_t> parsed = integer_of(count);
    if (parsed == -1) return RespValue{};
    if (!parsed.has_value() || *parsed < 0) return broken("bad count " + std::string(count));
    const std::int64_t total = kind == RespValue::Kind::Map ? *parsed * 2 : *parsed;
    RespValue value{.kind = kind};
    for (std::int64_t i = 0; i < total; ++i) {
        FF_TRY(RespValue item, read_value(depth + 1));
        value.items.push_back(std::move(item));
    }
    return value;
}

Result<RespValue> RespConnection::read_value(int depth) {
    using enum RespValue::Kind;
    if (depth > kDepthMax) return broken("reply nested too deeply");
    FF_TRY(const std::string line, read_line());
    const std::string_view rest = std::string_view(line).substr(line.empty() ? 0 : 1);
    switch (line.empty() ? '\0' : line.front()) {
        case '+':
            return RespValue{.kind = Simple, .text = std::string(rest)};
        case '-':
            return RespValue{.kind = RespValue::Kind::Error, .text = std::string(rest)};
        case ',':
            return RespValue{.kind = Double, .text = std::string(rest)};
        case '(':
            return RespValue{.kind = BigNumber, .text = std::string(rest)};
        case '_':
            return RespValue{};
        case '#':
            return RespValue{.kind = Bool, .integer = rest == "t" ? 1 : 0};
        case ':': {
            const std::optional<std::int64_t> number = integer_of(rest);
            if (!number.has_value()) return broken("bad integer " + line);
            return RespValue{.kind = Integer, .integer = *number};
        }
        case '$':
            return read_blob(Bulk, rest);
        case '=':
            return read_blob(Verbatim, rest);
        case '!':
            return read_blob(RespValue::Kind::Error, rest);
        case '*':
            return read_items(Array, rest, depth);
        case '~':
            return read_items(Set, rest, depth);
        case '%':
            return read_items(Map, rest, depth);
        case '>':
            return read_items(Push, rest, depth);
        case '|': {
            // Attributes describe the reply that follows and are not part of it.
            FF_TRY(const RespValue skipped, read_items(Map, rest, depth));
            return read_value(depth + 1);
        }
        default:
            return broken("unknown reply " + line);
    }
}

}  // namespace ff::testing
