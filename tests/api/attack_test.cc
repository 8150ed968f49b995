// What somebody without a token, or a page in somebody's browser, can do to a server.
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "api/server_world.h"
#include "support/ports.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

class Attack : public ::testing::TestWithParam<std::string> {
  protected:
    static std::unique_ptr<ServerWorld> world_with(app::Settings settings) {
        return std::make_unique<ServerWorld>(GetParam(),
                                             WorldOptions{.settings = std::move(settings)});
    }
};

TEST_P(Attack, Repair_26_ChecksTheTokenBeforeTheBody) {
    app::Settings settings;
    settings.api_token = "right-token";
    const auto world = world_with(settings);
    const std::string head =
        "POST /v1/executions/batch HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
        "application/json\r\nExpect: 100-continue\r\nContent-Length: 16000000\r\n";
    HttpConnection stranger = world->connect();
    ASSERT_TRUE(stranger.send_raw(head + "\r\n").has_value());
    const auto refused = stranger.read_reply();
    ASSERT_TRUE(refused.has_value());
    EXPECT_EQ(refused->status, 401);
    EXPECT_EQ(refused->header("WWW-Authenticate"), "Bearer");
    EXPECT_EQ(refused->header("Connection"), "close");
    HttpConnection known = world->connect();
    ASSERT_TRUE(known.send_raw(head + "Authorization: Bearer right-token\r\n\r\n").has_value());
    EXPECT_EQ(known.read_reply()->status, 100);
    const std::string line = R"(ff_http_requests_total{method="POST",path="/v1/executions/batch",)"
                             R"(status="401"} 1)";
    const HttpReply figures =
        world->connect().request("GET", "/metrics", {{"Authorization", "Bearer right-token"}});
    EXPECT_NE(figures.body.find(line), std::string::npos) << figures.body;
}

TEST(AttackBackup, Repair_29_BackupsAreWrittenOnlyBelowTheConfiguredFolder) {
    const TempDir folder;
    WorldOptions options{.in_folder = true};
    ServerWorld closed("embedded", options);
    const auto ask = [](const ServerWorld& world, const std::string& name) {
        std::string body;
        json::Writer(body).begin_object().key("folder").string(name).end_object();
        return world.post("/v1/admin/backup", body);
    };
    const JsonReply unset = ask(closed, folder.file("backups/one"));
    EXPECT_EQ(unset.status, 400) << unset.body;
    EXPECT_NE(unset.text("error").find("FF_BACKUP_DIR"), std::string::npos) << unset.body;
    options.settings.backup_dir = folder.file("backups");
    ServerWorld world("embedded", options);
    std::filesystem::create_directories(folder.file("backups"));
    std::filesystem::create_directory_symlink(folder.path(), folder.file("backups/outside"));
    std::ofstream(folder.file("backups/file")) << "not a folder";
    const std::string nul = "cut" + std::string(1, '\0') + "here";
    for (const std::string& name :
         {folder.file("elsewhere"), folder.file("backups"), folder.file("backups/"),
          folder.file("backups-too"), std::string("/tmp/../etc/x"), std::string(".."),
          std::string("a/../../b"), std::string("outside/x"), nul, folder.file("backups/") + nul,
          std::string("file"), std::string("file/below"), std::string(300, 'n'),
          std::string(4090, 'n'), std::string("line\nbreak"), std::string("/dev/null/x"),
          std::string("/proc/x"), std::string("")}) {
        const JsonReply refused = ask(world, name);
        EXPECT_EQ(refused.status, 400) << name << " " << refused.body;
        EXPECT_EQ(refused.code(), "invalid_input");
        EXPECT_EQ(refused.json().find("fields")->find("field")->as_string(), "folder");
        EXPECT_FALSE(refused.flag("retryable"));
    }
    EXPECT_FALSE(std::filesystem::exists(folder.file("elsewhere")));
    EXPECT_FALSE(std::filesystem::exists(folder.file("x")));
    EXPECT_FALSE(std::filesystem::exists(folder.file("backups/cut")));
    EXPECT_EQ(ask(world, "monday").status, 200);
    EXPECT_EQ(ask(world, "monday").status, 400) << "not empty any more";
    EXPECT_EQ(ask(world, folder.file("backups/deep/tuesday")).status, 200);
    EXPECT_FALSE(std::filesystem::is_empty(folder.file("backups/monday")));
}

/// A page that somebody visits can have its own name lead to this machine, and can send requests
/// that need no permission of the server's.
TEST_P(Attack, Repair_30_ForeignHostsAndOriginsChangeNothing) {
    app::Settings settings;
    settings.allowed_hosts = {"flows.example"};
    const auto world = world_with(settings);
    const auto create = [&world](const HttpHeaders& headers) {
        return world->request("POST", "/v1/executions", R"({"execution_kind":"noop"})", headers);
    };
    const auto raw_host = [&world](const std::string& host) {
        HttpConnection connection = world->connect();
        const std::string head = "GET /v1/lanes HTTP/1.1\r\nHost: " + host + "\r\n\r\n";
        EXPECT_TRUE(connection.send_raw(head).has_value());
        return connection.read_reply();
    };
    for (const std::string host : {"evil.example", "evil.example:9090", "localhost.evil.example",
                                   "127.0.0.1.evil.example", "[evil]", "flows.example.evil"}) {
        const auto refused = raw_host(host);
        ASSERT_TRUE(refused.has_value());
        EXPECT_EQ(refused->status, 403) << host;
        EXPECT_NE(refused->body.find(R"("code":"foreign_host")"), std::string::npos);
        EXPECT_NE(refused->body.find("FF_ALLOWED_HOSTS"), std::string::npos) << refused->body;
    }
    for (const std::string host : {"localhost", "LOCALHOST:9090", "127.0.0.1:1", "10.1.2.3",
                                   "[::1]:9090", "[::1]", "flows.example", "Flows.Example:80"})
        EXPECT_EQ(raw_host(host)->status, 200) << host;
    for (const std::string origin : {"http://evil.example", "null", "http://localhost:1"}) {
        const JsonReply refused = create({{"Origin", origin}});
        EXPECT_EQ(refused.status, 403) << origin;
        EXPECT_EQ(refused.code(), "foreign_origin");
        EXPECT_EQ(refused.header("Access-Control-Allow-Origin"), "");
        EXPECT_EQ(world->request("GET", "/v1/lanes", "", {{"Origin", origin}})
                      .header("Access-Control-Allow-Origin"),
                  "");
        const JsonReply preflight =
            world->request("OPTIONS", "/v1/executions", "",
                           {{"Origin", origin}, {"Access-Control-Request-Method", "POST"}});
        EXPECT_EQ(preflight.header("Access-Control-Allow-Methods"), "");
        EXPECT_EQ(preflight.header("Access-Control-Allow-Origin"), "");
    }
    EXPECT_EQ(create({}).status, 201);
}

TEST_P(Attack, Repair_30_MetricsNeedTheTokenUnlessTheyArePublicOrApart) {
    app::Settings settings;
    settings.api_token = "right-token";
    const auto status = [](const ServerWorld& world, const HttpHeaders& headers) {
        return world.connect().request("GET", "/metrics", headers).status;
    };
    {
        const auto world = world_with(settings);
        EXPECT_EQ(status(*world, {}), 401);
        EXPECT_EQ(status(*world, {{"Authorization", "Bearer right-token"}}), 200);
        EXPECT_EQ(world->get("/healthz").status, 200);
        EXPECT_EQ(world->get("/readyz").status, 200);
    }
    settings.metrics_public = true;
    EXPECT_EQ(status(*world_with(settings), {}), 200);
    settings.metrics_public = false;
    settings.metrics_listen = http::ListenAddress{.host = "127.0.0.1", .port = free_port()};
    const auto apart = world_with(settings);
    EXPECT_EQ(http_get(settings.metrics_listen->port, "/metrics").status, 200);
    EXPECT_EQ(status(*apart, {{"Authorization", "Bearer right-token"}}), 404);
}

INSTANTIATE_TEST_SUITE_P(Stores, Attack, ::testing::Values("embedded", "valkey"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
