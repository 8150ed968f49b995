#include "api/health_routes.h"

#include <utility>

#include "api/json_response.h"

namespace ff::api {
namespace {

/// Whoever asks for the health of a server does not wait long.
constexpr std::chrono::seconds kPingPatience{2};

http::Response ok() {
    return {.body = R"({"status":"ok"})"};
}

/// The sources belong to the route, which outlives the request.
Task<http::Response> health(const HealthSources& sources) {
    store::Call ping = store::plain({"PING"}, true);
    ping.deadline = Deadline::after(kPingPatience);
    FF_CO_CHECK(co_await sources.store.call(std::move(ping)));
    if (!sources.check) co_return ok();
    FF_CO_CHECK(co_await sources.check());
    co_return ok();
}

Task<http::Response> readiness(std::optional<Error> not_ready) {
    if (not_ready.has_value()) co_return *std::move(not_ready);
    co_return ok();
}

Task<http::Response> metrics(std::string text) {
    co_return http::Response{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                             .body = std::move(text)};
}

Route open_route(std::string pattern, std::string summary) {
    Route route{.method = "GET", .pattern = std::move(pattern), .open = true};
    route.doc.summary = std::move(summary);
    return route;
}

}  // namespace

void add_health_routes(Routes& routes, HealthSources sources) {
    const std::vector<FieldDoc> answer{{.name = "status", .required = true}};
    Route healthz = open_route("/healthz", "Whether the server reaches its store");
    healthz.doc.answer = answer;
    healthz.handle = [sources](Call&) { return health(sources); };
    routes.add(std::move(healthz));
    Route readyz = open_route("/readyz", "Whether the server takes requests");
    readyz.doc.answer = answer;
    readyz.handle = [not_ready = std::move(sources.not_ready)](Call&) {
        return readiness(not_ready());
    };
    routes.add(std::move(readyz));
    if (!sources.metrics) return;
    Route figures = open_route("/metrics", "Figures for Prometheus, as text");
    figures.open = sources.metrics_open;
    figures.handle = [text = std::move(sources.metrics)](Call&) { return metrics(text()); };
    routes.add(std::move(figures));
}

}  // namespace ff::api
