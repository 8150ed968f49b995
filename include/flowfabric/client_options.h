#pragma once

#include <optional>
#include <string>

#include "flowfabric/layers.h"

namespace flowfabric {

/// Repeats what failed on the way; only calls that cannot do anything twice.
struct RetryPolicy {
    int attempts = 1;
    Millis backoff{100};
};

/// How an `https` server proves itself.
struct TlsOptions {
    /// PEM; the authorities of the system when empty.
    std::string ca_file{};
    /// False: any certificate will do.
    bool verify = true;
};

struct ClientOptions {
    /// `http://host:port`, `https://host:port` or `unix:/path/of/socket`.
    std::string url = "http://127.0.0.1:9090";
    TlsOptions tls{};
    /// Sent as `Authorization: Bearer`. Given but blank is `config`.
    std::optional<std::string> token{};
    RetryPolicy retry{};
    /// The first is the outermost.
    Layers layers{};
};

}  // namespace flowfabric
