#include "sdk/http_connection.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <optional>
#include <span>

#include "sdk/public_error.h"

namespace ff::sdk {
namespace {

using flowfabric::Done;
using flowfabric::Error;
using flowfabric::Result;

constexpr std::size_t kReadBytes = 64 * 1024;
constexpr std::size_t kTakeBytes = 1024 * 1024;
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

Result<std::unique_ptr<HttpConnection>> HttpConnection::open(const ServerUrl& url,
                                                             const TlsTrust* trust,
                                                             SteadyTime until) {
    FF_SDK_TRY(std::unique_ptr<Wire> wire, Wire::connect(url, until));
    if (trust != nullptr) {
        FF_SDK_TRY(wire, trust->secure(std::move(wire), url.host, until));
    }
    return std::unique_ptr<HttpConnection>(new HttpConnection(std::move(wire)));
}

Result<Done> HttpConnection::fill(SteadyTime until) {
    if (used_ > 0) {
        buffer_.erase(0, used_);
        used_ = 0;
    }
    const std::size_t size = buffer_.size();
    buffer_.resize(size + kReadBytes);
    const auto got = wire_->read(std::span(buffer_).subspan(size), until);
    buffer_.resize(size + (got ? *got : 0));
    if (!got) return got.error();
    return Done{};
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
    std::string bytes = buffer_.substr(used_, count);
    used_ += bytes.size();
    std::size_t have = bytes.size();
    // The rest goes where it is wanted, in as few reads as the kernel allows; room is made as it
    // comes, because the announced length may be wrong.
    while (have < count) {
        if (have == bytes.size()) bytes.resize(std::min(count, have + kTakeBytes));
        FF_SDK_TRY(const std::size_t got, wire_->read(std::span(bytes).subspan(have), until));
        have += got;
    }
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
    FF_SDK_TRY([[maybe_unused]] Done sent, wire_->write(head, body, until));
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
