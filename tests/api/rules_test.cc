// What all routes have in common: tokens, origins, sizes, content types, the error body.
#include <gtest/gtest.h>

#include "api/server_world.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

constexpr std::string_view kExecution = "{fp:7}:9b2d6f6e-8a3c-4b9f-9d3a-1f2e3d4c5b6a";

class Ch07Rules : public ::testing::TestWithParam<std::string> {
  protected:
    ServerWorld& world() { return server_world_of(GetParam()); }
    static std::string path(std::string_view what) {
        return "/v1/executions/" + encode(kExecution) + std::string(what);
    }
    static std::unique_ptr<ServerWorld> world_with(app::Settings settings) {
        return std::make_unique<ServerWorld>(GetParam(),
                                             WorldOptions{.settings = std::move(settings)});
    }
    static HttpHeaders bearer(std::string_view token) {
        return {{"Authorization", "Bearer " + std::string(token)}};
    }
};

void expect_error_body(const JsonReply& reply, int status, std::string_view code) {
    EXPECT_EQ(reply.status, status) << reply.body;
    ASSERT_TRUE(reply.has("code")) << reply.body;
    EXPECT_EQ(reply.code(), code);
    EXPECT_FALSE(reply.text("error").empty());
    EXPECT_FALSE(reply.flag("retryable"));
    EXPECT_TRUE(reply.json().find("detail")->is_array());
    EXPECT_EQ(reply.text("kind"), code);
    EXPECT_FALSE(reply.header("X-Request-Id").empty());
}

TEST_P(Ch07Rules, S01_AsksForTheTokenWhereOneIsConfigured) {
    app::Settings settings;
    settings.api_token = "right-token";
    const auto guarded = world_with(settings);
    const JsonReply none = guarded->get("/v1/lanes");
    expect_error_body(none, 401, "unauthorized");
    EXPECT_EQ(none.header("WWW-Authenticate"), "Bearer");
    for (const std::string_view wrong : {"wrong-token", "right-toke", "right-token2", ""})
        EXPECT_EQ(guarded->request("GET", "/v1/lanes", "", bearer(wrong)).status, 401) << wrong;
    EXPECT_EQ(guarded->request("GET", "/v1/lanes", "", {{"Authorization", "right-token"}}).status,
              401);
    EXPECT_EQ(guarded->request("GET", "/v1/lanes", "", bearer("right-token")).status, 200);
    EXPECT_EQ(
        guarded->request("GET", "/v1/lanes", "", {{"authorization", "bearer right-token"}}).status,
        200);
    EXPECT_EQ(guarded->get("/no/such/route").status, 401);
    for (const std::string_view open : {"/healthz", "/readyz"})
        EXPECT_EQ(guarded->get(open).status, 200) << open;
    EXPECT_EQ(guarded->get("/metrics").status, 401);
}

TEST_P(Ch07Rules, S02_OnlyListedOriginsAreEchoed) {
    app::Settings settings;
    settings.cors = {.any = false, .origins = {"http://good"}, .dropped = 1};
    const auto listed = world_with(settings);
    const auto allowed = [&](std::string_view origin) {
        return listed->request("GET", "/healthz", "", {{"Origin", std::string(origin)}})
            .header("Access-Control-Allow-Origin");
    };
    EXPECT_EQ(allowed("http://good"), "http://good");
    EXPECT_EQ(allowed("http://bad"), "");
    const auto any = [](const ServerWorld& server) {
        return server.request("GET", "/healthz", "", {{"Origin", "http://any"}})
            .header("Access-Control-Allow-Origin");
    };
    EXPECT_EQ(any(world()), "") << "unset: none";
    settings.cors = {.any = true};
    EXPECT_EQ(any(*world_with(settings)), "*");
}

TEST_P(Ch07Rules, S03_PreflightsAllowAuthorizationOnlyWithAToken) {
    const HttpHeaders preflight = {{"Origin", "http://good"},
                                   {"Access-Control-Request-Method", "POST"},
                                   {"Access-Control-Request-Headers", "authorization"}};
    for (const bool any : {true, false}) {
        app::Settings settings;
        settings.cors = {.any = any, .origins = {"http://good"}};
        settings.api_token = "t";
        const JsonReply with =
            world_with(settings)->request("OPTIONS", "/v1/executions", "", preflight);
        EXPECT_EQ(with.status, 204) << "answered without a token";
        EXPECT_NE(with.header("Access-Control-Allow-Headers").find("Authorization"),
                  std::string::npos);
        settings.api_token.clear();
        const JsonReply without =
            world_with(settings)->request("OPTIONS", "/v1/executions", "", preflight);
        EXPECT_EQ(without.header("Access-Control-Allow-Headers").find("Authorization"),
                  std::string::npos);
        EXPECT_FALSE(without.header("Access-Control-Allow-Headers").empty());
        EXPECT_EQ(without.header("Access-Control-Allow-Origin"), any ? "*" : "http://good");
    }
}

TEST_P(Ch07Rules, S04_RefusesLargeBodiesNamingLimitAndRoute) {
    const auto expect_too_large = [](const JsonReply& reply, std::int64_t limit,
                                     std::string_view route) {
        EXPECT_EQ(reply.status, 413) << reply.body.substr(0, 200);
        EXPECT_EQ(reply.code(), "payload_too_large");
        EXPECT_EQ(reply.integer("limit_bytes"), limit);
        EXPECT_EQ(reply.text("route"), route);
        EXPECT_FALSE(reply.flag("retryable"));
    };
    expect_too_large(world().post(path("/cancel"), std::string(65 * 1024, ' ')), 65536,
                     "/v1/executions/{id}/cancel");
    expect_too_large(world().post(path("/signal"), std::string(257 * 1024, ' ')), 262144,
                     "/v1/executions/{id}/signal");
    const std::string large((std::size_t{1} << 20) + 1, ' ');
    expect_too_large(world().post("/v1/executions", large), 1 << 20, "/v1/executions");
    HttpConnection chunked = world().connect();
    ASSERT_TRUE(chunked
                    .send_raw("POST /v1/executions HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                              "application/json\r\nTransfer-Encoding: chunked\r\n\r\n100001\r\n")
                    .has_value());
    ASSERT_TRUE(chunked.send_raw(large).has_value());
    const auto cut = chunked.read_reply();
    ASSERT_TRUE(cut.has_value());
    EXPECT_EQ(cut->status, 413);
    EXPECT_NE(cut->body.find(R"("limit_bytes":1048576,"route":"/v1/executions")"),
              std::string::npos)
        << cut->body;
}

TEST_P(Ch07Rules, S05_RefusesMalformedJsonWrongTypesAndOtherContent) {
    expect_error_body(world().post("/v1/executions", "{"), 400, "invalid_input");
    expect_error_body(world().post("/v1/executions", "[]"), 400, "invalid_input");
    expect_error_body(world().post("/v1/executions", R"({"namespace":7})"), 400, "invalid_input");
    expect_error_body(
        world().request("POST", "/v1/executions", "{}", {{"Content-Type", "text/plain"}}), 415,
        "unsupported_media_type");
    const HttpReply untyped = world().connect().request("POST", "/v1/executions", {}, "{}");
    EXPECT_EQ(untyped.status, 415) << untyped.body;
    expect_error_body(world().get("/v1/executions?limit=%"), 400, "invalid_input");
    expect_error_body(world().get("/v1/executions/%zz"), 400, "invalid_input");
    expect_error_body(world().get("/v1/executions/nonsense"), 400, "invalid_input");
    expect_error_body(world().get("/v1/nothing"), 404, "not_found");
    const JsonReply method = world().request("DELETE", "/v1/executions");
    expect_error_body(method, 405, "method_not_allowed");
    EXPECT_EQ(method.header("Allow"), "GET, POST, HEAD");
}

TEST_P(Ch07Rules, S06_RefusesABodyIdThatIsNotThatOfThePath) {
    const JsonReply lane = world().put("/v1/lanes/one", R"({"lane_id":"two","state":"paused"})");
    expect_error_body(lane, 400, "invalid_input");
    EXPECT_EQ(world().command({"EXISTS", "ff:lane:one:config"}).to_integer(), 0);
    const std::string other = R"({"execution_id":"{fp:7}:00000000-0000-4000-8000-000000000000"})";
    for (const std::string_view what : {"/cancel", "/replay", "/revoke-lease"})
        expect_error_body(world().post(path(what), other), 400, "invalid_input");
}

TEST_P(Ch07Rules, EveryAnswerCarriesTheIdOfItsRequest) {
    const JsonReply given = world().request("GET", "/healthz", "", {{"X-Request-Id", "abc-1"}});
    EXPECT_EQ(given.header("X-Request-Id"), "abc-1");
    const JsonReply made = world().get("/healthz");
    EXPECT_FALSE(made.header("X-Request-Id").empty());
    EXPECT_NE(made.header("X-Request-Id"), world().get("/healthz").header("X-Request-Id"));
}

TEST_P(Ch07Rules, MetricsCountRequestsByRoute) {
    EXPECT_EQ(world().get("/v1/capabilities").status, 200);
    EXPECT_EQ(world().get("/v1/nothing-there").status, 404);
    const std::string text = world().connect().get("/metrics").body;
    for (const std::string_view line :
         {R"(ff_http_requests_total{method="GET",path="/v1/capabilities",status="200"})",
          R"(ff_http_requests_total{method="GET",path="unknown",status="404"})",
          "ff_http_request_duration_seconds_bucket", "ff_shutdown_timeout_total 0"})
        EXPECT_NE(text.find(line), std::string::npos) << line;
}

TEST(Ch07StoppedStore, S44_Is503AndComesBackByItself) {
    const auto own = std::make_unique<ServerWorld>("valkey");
    own->valkey().kill();
    const JsonReply sick = own->get("/healthz");
    EXPECT_EQ(sick.status, 503) << sick.body;
    EXPECT_EQ(sick.code(), "storage_error");
    EXPECT_TRUE(sick.flag("retryable"));
    EXPECT_EQ(sick.header("Retry-After"), "1");
    const JsonReply route = own->get("/v1/lanes");
    EXPECT_EQ(route.status, 503) << route.body;
    EXPECT_EQ(route.code(), "storage_error");
    EXPECT_TRUE(route.flag("retryable"));
    EXPECT_EQ(route.text("kind"), "io_error");
    const JsonReply write = own->post("/v1/executions", R"({"execution_kind":"noop"})");
    EXPECT_EQ(write.status, 503) << write.body;
    EXPECT_EQ(write.text("kind"), "io_error");
    own->valkey().restart();
    EXPECT_TRUE(wait_until([&] { return own->get("/healthz").status == 200; }));
    EXPECT_TRUE(wait_until([&] { return own->get("/v1/lanes").status == 200; }));
    EXPECT_EQ(own->post("/v1/executions", R"({"execution_kind":"noop"})").status, 201);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Rules, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
