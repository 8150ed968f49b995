#include "http/response_head.h"

#include <boost/beast/http/status.hpp>

namespace ff::http {
namespace {

constexpr unsigned kNoContent = 204;
constexpr std::size_t kUsualBytes = 256;

void add(std::string& text, std::string_view name, std::string_view value) {
    text.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string response_head(const Response& response, const HeadFacts& facts) {
    const bool modern = facts.version >= 11;
    const auto reason =
        boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(response.status));
    std::string text;
    text.reserve(kUsualBytes);
    text.append(modern ? "HTTP/1.1 " : "HTTP/1.0 ").append(std::to_string(response.status));
    text.append(" ").append(reason.data(), reason.size()).append("\r\n");
    add(text, "Date", facts.date);
    if (response.status != kNoContent) add(text, "Content-Type", response.content_type);
    add(text, "X-Request-Id", facts.request_id);
    for (const Header& header : response.headers) add(text, header.name, header.value);
    // Each version has its own way of its connections.
    if (modern != facts.keep_alive) add(text, "Connection", modern ? "close" : "keep-alive");
    if (facts.framing == BodyFraming::Chunked) add(text, "Transfer-Encoding", "chunked");
    if (facts.framing == BodyFraming::Sized && response.status != kNoContent)
        add(text, "Content-Length", std::to_string(response.body.size()));
    text.append("\r\n");
    return text;
}

}  // namespace ff::http
