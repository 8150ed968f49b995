#pragma once

#include <functional>
#include <optional>
#include <string>

#include "api/route.h"
#include "base/error.h"
#include "store/store.h"

namespace ff::api {

/// What a server tells about itself without a token.
struct HealthSources {
    store::Store& store;
    /// What the store needs beside an answer; null: nothing.
    std::function<Task<Done>()> check{};
    /// Why requests are not taken, before the end of the boot, after the beginning of the shutdown
    /// and while the store cannot keep anything; nothing: they are.
    std::function<std::optional<Error>()> not_ready{};
    /// The text of /metrics; null: it is served elsewhere.
    std::function<std::string()> metrics{};
    /// Whether /metrics is answered without a token.
    bool metrics_open = false;
};

/// `/healthz`, `/readyz` and `/metrics`.
void add_health_routes(Routes& routes, HealthSources sources);

}  // namespace ff::api
