#include "http/public_url.h"

#include <algorithm>

#include "base/numbers.h"
#include "http/listen_address.h"

namespace ff::http {
namespace {

constexpr std::uint64_t kPortMost = 65'535;

bool is_letter_or_digit(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

bool is_host(std::string_view host) {
    if (host.starts_with('['))
        return host.ends_with(']') && is_ip_address(host.substr(1, host.size() - 2));
    return !host.empty() && std::ranges::all_of(host, [](char c) {
        return is_letter_or_digit(c) || c == '.' || c == '-' || c == '_';
    });
}

/// What stands for itself in a path. A step up or an empty one would be another path to a browser.
bool is_path(std::string_view path) {
    const auto plain = [](char c) {
        return is_letter_or_digit(c) ||
               std::string_view("/-._~!$&'()*+,;=:@").find(c) != std::string_view::npos;
    };
    return std::ranges::all_of(path, plain) && path.find("//") == std::string_view::npos &&
           path.find("/.") == std::string_view::npos;
}

std::string lower(std::string_view text) {
    std::string out;
    for (const char c : text) out += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
    return out;
}

}  // namespace

Result<PublicUrl> PublicUrl::parse(std::string_view text, std::string_view field) {
    const auto refuse = [field](std::string_view why) { return invalid_input(field, why); };
    PublicUrl url;
    const auto mark = text.find("://");
    if (mark != std::string_view::npos) url.scheme = lower(text.substr(0, mark));
    if (url.scheme != "http" && url.scheme != "https")
        return refuse("begins neither with http:// nor with https://");
    std::string_view rest = text.substr(mark + 3);
    if (rest.find_first_of("?#") != std::string_view::npos)
        return refuse("has a query or a fragment");
    if (rest.find('@') < rest.find('/')) return refuse("has a user");
    const auto slash = rest.find('/');
    std::string_view authority = rest.substr(0, slash);
    std::string_view path = slash == std::string_view::npos ? "" : rest.substr(slash);
    const auto colon = authority.rfind(':');
    const auto bracket = authority.rfind(']');
    if (colon != std::string_view::npos && (bracket == std::string_view::npos || colon > bracket)) {
        const auto port = parse_u64(authority.substr(colon + 1));
        if (!port || *port == 0 || *port > kPortMost) return refuse("has no valid port");
        const bool usual = *port == (url.scheme == "https" ? 443U : 80U);
        url.port = usual ? std::uint16_t{0} : static_cast<std::uint16_t>(*port);
        authority = authority.substr(0, colon);
    }
    if (!is_host(authority)) return refuse("has no valid host");
    url.host = lower(authority);
    if (path.ends_with('/')) path.remove_suffix(1);
    if (!is_path(path)) return refuse("has no plain path");
    url.path = path;
    return url;
}

std::string PublicUrl::origin() const {
    return scheme + "://" + host + (port == 0 ? "" : ":" + std::to_string(port));
}

}  // namespace ff::http
