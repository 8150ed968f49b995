#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "api/route.h"
#include "base/error.h"
#include "store/store.h"

namespace ff::api {

/// How much of its memory the store uses.
struct StoreMemory {
    /// good, warning, or full: then new work is refused, and what is there can be ended.
    std::string state{};
    std::uint64_t used = 0;
    std::uint64_t limit = 0;
};

/// What a server tells about itself without a token.
struct HealthSources {
    store::Store& store;
    /// What the store needs beside an answer; null: nothing.
    std::function<Task<Done>()> check{};
    /// Why requests are not taken, before the end of the boot, after the beginning of the shutdown
    /// and while the store cannot keep anything; nothing: they are.
    std::function<std::optional<Error>()> not_ready{};
    /// Whether the store has room for more; null: nobody knows.
    std::function<StoreMemory()> memory{};
    /// What is wrong although requests are served, for people; nothing, or null: nothing is.
    std::function<std::optional<std::string>()> degraded{};
    /// The text of /metrics; null: it is served elsewhere.
    std::function<std::string()> metrics{};
    /// Whether /metrics is answered without a token.
    bool metrics_open = false;
};

/// `/healthz`, `/readyz` and `/metrics`.
void add_health_routes(Routes& routes, HealthSources sources);

}  // namespace ff::api
