#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "flowfabric/result.h"

namespace ff::sdk {

/// `http://host:port`, `https://host:port` or `unix:/path` taken apart.
struct ServerUrl {
    enum class Scheme : std::uint8_t { Http, Https, Unix };

    Scheme scheme = Scheme::Http;
    std::string host{};
    std::string port = "80";
    /// In front of every path; without a slash at its end.
    std::string prefix{};
    /// The socket of a unix URL.
    std::string path{};

    /// `config` when it is no URL of that kind.
    static flowfabric::Result<ServerUrl> parse(std::string_view url);
    /// As the Host header says it.
    std::string authority() const;
    /// For people.
    std::string text() const { return scheme == Scheme::Unix ? path : authority(); }
};

}  // namespace ff::sdk
