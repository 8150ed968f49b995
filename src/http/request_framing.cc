#include "http/request_framing.h"

#include <algorithm>
#include <string_view>

#include "base/numbers.h"

namespace ff::http {
namespace {

constexpr unsigned kHttp11 = 11;
constexpr std::size_t kLengthDigitsMax = 18;

std::size_t count_of(const Request& head, std::string_view name) {
    return static_cast<std::size_t>(std::ranges::count_if(
        head.headers, [name](const Header& header) { return same_name(header.name, name); }));
}

Result<RequestFraming> chunked_framing(const Request& head, unsigned version) {
    constexpr std::string_view kField = "Transfer-Encoding";
    if (version < kHttp11) return invalid_input(kField, "HTTP/1.0 has none");
    if (count_of(head, kField) > 1 || !same_name(*head.header(kField), "chunked"))
        return invalid_input(kField, "only `chunked`, once, is understood");
    if (count_of(head, "Content-Length") > 0)
        return invalid_input(kField, "given together with Content-Length");
    return RequestFraming{.kind = RequestFraming::Kind::Chunked};
}

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

bool is_of_name(char c) {
    constexpr std::string_view kMarks = "-._~%!$&'()*+,;=";
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || is_digit(c) ||
           kMarks.find(c) != std::string_view::npos;
}

bool is_of_address(char c) {
    return is_of_name(c) || c == ':';
}

/// A name, an IPv4 address or an IPv6 one in brackets, and perhaps a port.
bool plausible_host(std::string_view host) {
    const bool bracketed = host.starts_with('[');
    const std::size_t end = bracketed ? host.find(']') : host.find(':');
    if (bracketed && end == std::string_view::npos) return false;
    const std::string_view name = host.substr(bracketed ? 1 : 0, bracketed ? end - 1 : end);
    if (name.empty() || !std::ranges::all_of(name, bracketed ? is_of_address : is_of_name))
        return false;
    if (end == std::string_view::npos) return true;
    const std::string_view rest = host.substr(bracketed ? end + 1 : end);
    return rest.empty() || (rest.starts_with(':') && std::ranges::all_of(rest.substr(1), is_digit));
}

}  // namespace

Result<RequestFraming> framing_of(const Request& head, unsigned version) {
    constexpr std::string_view kField = "Content-Length";
    if (count_of(head, "Transfer-Encoding") > 0) return chunked_framing(head, version);
    const std::size_t given = count_of(head, kField);
    if (given == 0) return RequestFraming{};
    if (given > 1) return invalid_input(kField, "given more than once");
    const std::string_view text = *head.header(kField);
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    const auto length = parse_u64(text);
    if (!digits || text.size() > kLengthDigitsMax || !length)
        return invalid_input(kField, "not a number of bytes");
    return RequestFraming{.kind = RequestFraming::Kind::Sized, .length = *length};
}

Result<Done> check_host(const Request& head, unsigned version) {
    const std::size_t given = count_of(head, "Host");
    if (given > 1) return invalid_input("Host", "given more than once");
    if (given == 0) {
        if (version < kHttp11) return Done{};
        return invalid_input("Host", "missing; HTTP/1.1 requires it");
    }
    const std::string_view host = *head.header("Host");
    if (host.empty() || !plausible_host(host)) return invalid_input("Host", "not a host name");
    return Done{};
}

}  // namespace ff::http
