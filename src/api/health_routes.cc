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

http::Response degraded(const std::string& reason) {
    return json_response(200, [&reason](json::Writer& out) {
        out.key("status").string("degraded");
        out.key("reason").string(reason);
    });
}

http::Response served(const HealthSources& sources) {
    const std::optional<std::string> reason = sources.degraded ? sources.degraded() : std::nullopt;
    return reason.has_value() ? degraded(*reason) : ok();
}

/// The sources belong to the route, which outlives the request.
Task<http::Response> health(const HealthSources& sources) {
    store::Call ping = store::plain({"PING"}, true);
    ping.deadline = Deadline::after(kPingPatience);
    FF_CO_CHECK(co_await sources.store.call(std::move(ping)));
    if (!sources.check) co_return served(sources);
    FF_CO_CHECK(co_await sources.check());
    co_return served(sources);
}

/// A store without room for more is ready: its work has to be ended.
Task<http::Response> readiness(const HealthSources& sources) {
    std::optional<Error> not_ready = sources.not_ready();
    if (not_ready.has_value()) co_return *std::move(not_ready);
    if (!sources.memory) co_return ok();
    co_return json_response(200, [memory = sources.memory()](json::Writer& out) {
        out.key("status").string("ok");
        out.key("memory").begin_object();
        out.key("state").string(memory.state);
        out.key("used").unsigned_integer(memory.used);
        out.key("limit").unsigned_integer(memory.limit);
        out.end_object();
    });
}

Task<http::Response> metrics(std::string text) {
    co_return http::Response{.content_type = "text/plain; version=0.0.4; charset=utf-8",
                             .body = std::move(text)};
}

Route open_route(std::string pattern, RouteDoc doc) {
    Route route{.method = "GET", .pattern = std::move(pattern), .open = true};
    route.doc = std::move(doc);
    return route;
}

}  // namespace

void add_health_routes(Routes& routes, HealthSources sources) {
    Route healthz = open_route("/healthz", {.id = "getHealth",
                                            .summary = "Whether the server reaches its store",
                                            .answer_type = "Health"});
    healthz.handle = [sources](Call&) { return health(sources); };
    routes.add(std::move(healthz));
    Route readyz = open_route("/readyz", {.id = "getReadiness",
                                          .summary = "Whether the server takes requests",
                                          .answer_type = "Readiness"});
    readyz.handle = [sources](Call&) { return readiness(sources); };
    routes.add(std::move(readyz));
    if (!sources.metrics) return;
    Route figures = open_route(
        "/metrics",
        {.id = "getMetrics", .summary = "Figures for Prometheus, as text", .answer_type = "text"});
    figures.open = sources.metrics_open;
    figures.handle = [text = std::move(sources.metrics)](Call&) { return metrics(text()); };
    routes.add(std::move(figures));
}

}  // namespace ff::api
