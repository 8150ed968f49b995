#pragma once

#include <functional>
#include <string>

#include "api/route.h"
#include "store/store.h"

namespace ff::api {

/// What a server tells about itself without a token.
struct HealthSources {
    store::Store& store;
    /// What the store needs beside an answer; null: nothing.
    std::function<Task<Done>()> check{};
    /// Whether requests are taken: after boot and before the shutdown.
    std::function<bool()> ready{};
    /// The text of /metrics; null: it is served elsewhere.
    std::function<std::string()> metrics{};
};

/// `/healthz`, `/readyz` and `/metrics`.
void add_health_routes(Routes& routes, HealthSources sources);

}  // namespace ff::api
