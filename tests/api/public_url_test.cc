#include <gtest/gtest.h>

#include "api/server_world.h"

namespace ff::testing {
namespace {

WorldOptions behind_proxy() {
    WorldOptions options;
    options.settings.public_url =
        *http::PublicUrl::parse("https://example.org/fabric", "FF_PUBLIC_URL");
    return options;
}

constexpr std::string_view kCreate =
    R"({"namespace":"n","lane_id":"default","execution_kind":"k","payload":"x"})";

TEST(PublicUrl, ItsHostAndOriginAreTheServersOwn) {
    const ServerWorld world("embedded", behind_proxy());
    const auto status_at = [&world](const std::string& host) {
        HttpConnection connection = world.connect();
        const std::string head = "GET /healthz HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
        EXPECT_TRUE(connection.send_raw(head).has_value());
        return connection.read_reply()->status;
    };
    EXPECT_EQ(status_at("example.org"), 200);
    EXPECT_EQ(status_at("evil.example.org"), 403);
    // As from a proxy that calls this server by its address.
    EXPECT_EQ(world.request("POST", "/v1/executions", kCreate, {{"Origin", "https://example.org"}})
                  .status,
              201);
    EXPECT_EQ(
        world.request("POST", "/v1/executions", kCreate, {{"Origin", "http://example.org"}}).code(),
        "foreign_origin");
}

TEST(PublicUrl, WhatComesBelowItsPathIsAnsweredAsWithoutIt) {
    const ServerWorld world("embedded", behind_proxy());
    EXPECT_EQ(world.get("/fabric/healthz").status, 200);
    EXPECT_EQ(world.get("/healthz").status, 200);
    EXPECT_EQ(world.post("/fabric/v1/executions", kCreate).status, 201);
    EXPECT_EQ(world.get("/fabric/v1/executions?namespace=n").status, 200);
    for (const char* other : {"/fabrics/healthz", "/fabric/fabric/healthz", "/other/healthz"})
        EXPECT_EQ(world.get(other).status, 404) << other;
    const JsonReply bare = world.get("/fabric");
    EXPECT_EQ(bare.status, 308);
    EXPECT_EQ(bare.header("Location"), "/fabric/");
    // Its limit is that of the route below the path.
    const std::string large(100'000, 'x');
    const std::string body =
        R"({"namespace":"n","lane_id":"default","execution_kind":"k","payload":")" + large + "\"}";
    EXPECT_EQ(world.post("/fabric/v1/executions", body).status, 201);
    const JsonReply refused = world.post("/fabric/v1/workers", body);
    EXPECT_EQ(refused.status, 413);
    EXPECT_NE(refused.text("message").find("there is no such route"), std::string::npos);
}

}  // namespace
}  // namespace ff::testing
