#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/address.h"
#include "net/tls_context.h"
#include "valkey/backoff.h"
#include "valkey/pipeline.h"

namespace ff::valkey {

using std::chrono::milliseconds;

/// What every connection needs to know.
struct SessionOptions {
    /// Sent with HELLO when there is a password; an empty user means `default`. Never logged.
    std::string user{};
    std::string password{};
    std::string client_name = "flowfabric";
    /// Plain when there is none.
    std::shared_ptr<const net::TlsContext> tls{};
    milliseconds connect_timeout{10'000};
};

/// The function library that `fcall` relies on.
struct Library {
    std::string source{};
    std::int64_t version = 0;
    /// As `ff_library_info` tells it.
    std::string digest{};
};

struct Options {
    /// The server, or the first nodes to ask for those of a cluster.
    std::vector<net::Address> addresses{};
    bool cluster = false;
    SessionOptions session{};
    PipelineLimits pipeline{};
    BackoffOptions reconnect{};
    /// A connection that owes replies and is silent for so long is given up.
    milliseconds silence_max{10'000};
    /// The slot map is read again so often even if nothing looks wrong.
    milliseconds refresh_interval{30'000};
    /// Connections for blocking reads, and how long an unused one stays.
    std::size_t blocking_max = 64;
    milliseconds blocking_idle{60'000};
    /// Messages that one subscription holds for a slow reader.
    std::size_t subscription_max = 1024;
    /// Redis 7 and later are accepted as well as Valkey 8 and later.
    bool allow_redis = false;
    /// Without one, `fcall` reports unknown functions instead of loading them.
    std::optional<Library> library{};
    /// A change is answered when so many replicas of its primary have it; 0: at once.
    std::size_t wait_replicas = 0;
    milliseconds wait_replicas_time{1'000};
    /// Load the library even where the same is there already.
    bool force_reload = false;
};

}  // namespace ff::valkey
