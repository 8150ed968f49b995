#include "sdk/server_url.h"

#include <algorithm>

#include <sys/un.h>

namespace ff::sdk {
namespace {

using flowfabric::Result;

Result<ServerUrl> parse_unix(std::string_view path) {
    if (!path.starts_with('/') || path.size() >= sizeof(sockaddr_un::sun_path))
        return flowfabric::config_error("no path of a unix socket: " + std::string(path));
    return ServerUrl{
        .scheme = ServerUrl::Scheme::Unix, .host = "localhost", .path = std::string(path)};
}

bool is_port(const std::string& port) {
    return !port.empty() && port.size() <= 5 &&
           std::all_of(port.begin(), port.end(), [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

Result<ServerUrl> ServerUrl::parse(std::string_view url) {
    constexpr std::string_view kUnix = "unix:";
    constexpr std::string_view kHttp = "http://";
    constexpr std::string_view kHttps = "https://";
    if (url.starts_with(kUnix)) return parse_unix(url.substr(kUnix.size()));
    const bool secure = url.starts_with(kHttps);
    if (!secure && !url.starts_with(kHttp))
        return flowfabric::config_error(
            "not a URL of the form http://host:port, https://host:port or unix:/path: " +
            std::string(url));
    ServerUrl parsed;
    parsed.scheme = secure ? Scheme::Https : Scheme::Http;
    parsed.port = secure ? "443" : "80";
    std::string_view rest = url.substr(secure ? kHttps.size() : kHttp.size());
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
    if (parsed.host.empty() || !is_port(parsed.port))
        return flowfabric::config_error("no host and port in " + std::string(url));
    return parsed;
}

std::string ServerUrl::authority() const {
    if (scheme == Scheme::Unix) return host;
    const bool v6 = host.find(':') != std::string::npos;
    return (v6 ? "[" + host + "]" : host) + ":" + port;
}

}  // namespace ff::sdk
