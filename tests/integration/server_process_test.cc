#include <csignal>
#include <filesystem>
#include <fstream>
#include <optional>

#include <gtest/gtest.h>
#include <sys/resource.h>

#include "support/certificates.h"
#include "support/http_connection.h"
#include "support/ports.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

constexpr std::string_view kServing = "flowfabric: serving http://127.0.0.1:";

class ServerProcess : public ::testing::Test {
  protected:
    static Process start(std::vector<std::pair<std::string, std::string>> env = {}) {
        env.insert(env.begin(), {"FF_DATA_DIR", ":memory:"});
        env.emplace_back("FF_LISTEN_ADDR", "127.0.0.1:0");
        return Process({.args = {FF_PROGRAM, "server"}, .env = std::move(env)});
    }

    static std::uint16_t port_of(Process& process) {
        const auto line = process.wait_for_line(kServing);
        if (!line.has_value()) throw std::runtime_error("not serving: " + process.err());
        return static_cast<std::uint16_t>(std::stoi(line->substr(kServing.size())));
    }

    static HttpConnection send_half_a_request(std::uint16_t port) {
        HttpConnection halfway = HttpConnection::connect(port);
        EXPECT_TRUE(halfway.send_raw("GET /healthz HTTP/1.1\r\n").has_value());
        // The server has the half once it answers a request that was sent later.
        EXPECT_EQ(http_get(port, "/healthz").status, 200);
        return halfway;
    }
};

class Ch07Process : public ServerProcess {};

TEST_F(ServerProcess, TellsThatItIsHealthyAndReady) {
    Process process = start();
    const std::uint16_t port = port_of(process);
    HttpConnection connection = HttpConnection::connect(port);
    const HttpReply health = connection.get("/healthz");
    EXPECT_EQ(health.status, 200);
    EXPECT_EQ(health.body, R"({"status":"ok"})");
    EXPECT_EQ(health.header("Content-Type"), "application/json");
    EXPECT_EQ(connection.get("/readyz").status, 200);
}

TEST_F(ServerProcess, RefusesUnknownRoutesAndMethodsWithTheErrorBody) {
    Process process = start();
    HttpConnection connection = HttpConnection::connect(port_of(process));
    const HttpReply unknown = connection.get("/no/such/route");
    EXPECT_EQ(unknown.status, 404);
    EXPECT_NE(unknown.body.find(R"("code":"not_found")"), std::string::npos) << unknown.body;
    const HttpReply method = connection.post("/healthz", "{}");
    EXPECT_EQ(method.status, 405);
    EXPECT_EQ(method.header("Allow"), "GET, HEAD");
}

TEST_F(ServerProcess, StopsCleanlyOnEitherSignalWithAConnectionOpen) {
    for (const int number : {SIGINT, SIGTERM}) {
        Process process = start();
        HttpConnection idle = HttpConnection::connect(port_of(process));
        EXPECT_EQ(idle.get("/healthz").status, 200);
        process.signal(number);
        EXPECT_EQ(process.wait_for_exit(), 0) << process.err();
        EXPECT_TRUE(idle.closed_by_server());
    }
}

TEST_F(ServerProcess, CutsARequestInFlightWhenTheGraceIsOver) {
    Process process = start({{"FF_SHUTDOWN_GRACE_MS", "100"}});
    const HttpConnection halfway = send_half_a_request(port_of(process));
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait_for_exit(), 0) << process.err();
    EXPECT_NE(process.err().find("requests_cut"), std::string::npos) << process.err();
}

TEST_F(ServerProcess, SecondSignalEndsItAtOnce) {
    Process process = start();
    const HttpConnection halfway = send_half_a_request(port_of(process));
    process.signal(SIGINT);
    ASSERT_TRUE(process.wait_for_line("\"stopping\"").has_value());
    process.signal(SIGINT);
    EXPECT_EQ(process.wait_for_exit(), 130);
}

TEST_F(ServerProcess, RefusesBadSettingsNamingThem) {
    const auto refused = [](std::vector<std::string> args,
                            std::vector<std::pair<std::string, std::string>> env) {
        args.insert(args.begin(), FF_PROGRAM);
        Process process({.args = std::move(args), .env = std::move(env)});
        const int code = process.wait_for_exit().value_or(-1);
        return std::to_string(code) + " " + process.err();
    };
    const std::string variable = refused({"server"}, {{"FF_LISTEN_ADDR", "nowhere"}});
    EXPECT_TRUE(variable.starts_with("1 flowfabric: ")) << variable;
    EXPECT_NE(variable.find("FF_LISTEN_ADDR"), std::string::npos) << variable;
    EXPECT_TRUE(refused({"server", "--listen", "x"}, {}).starts_with("2 flowfabric: "));
    EXPECT_TRUE(refused({"serve"}, {}).starts_with("2 "));
    EXPECT_TRUE(refused({"server", "--listen", "192.0.2.1:1"}, {}).starts_with("1 flowfabric: "));
}

/// What curl makes of a request; its exit code comes first.
std::string curl(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), {"curl", "-sS", "--max-time", "10"});
    const CommandResult result = run_command(std::move(arguments));
    return std::to_string(result.exit_code) + " " + result.out;
}

TEST_F(ServerProcess, ServesHttpsAndTakesNewKeysAtAHangup) {
    const Certificates first;
    const Certificates second;
    const TempDir folder;
    const auto use = [&](const Certificates& keys) {
        std::filesystem::copy_file(keys.server_certificate_file(), folder.file("cert"),
                                   std::filesystem::copy_options::overwrite_existing);
        std::filesystem::copy_file(keys.server_key_file(), folder.file("key"),
                                   std::filesystem::copy_options::overwrite_existing);
    };
    use(first);
    Process process = start({{"FF_LISTEN_TLS_CERT_FILE", folder.file("cert")},
                             {"FF_LISTEN_TLS_KEY_FILE", folder.file("key")}});
    const auto line = process.wait_for_line("flowfabric: serving https://127.0.0.1:");
    ASSERT_TRUE(line.has_value()) << process.err();
    const std::string url = line->substr(line->find("https://")) + "/healthz";
    EXPECT_EQ(curl({"--cacert", first.ca_file(), url}), R"(0 {"status":"ok"})");
    EXPECT_TRUE(curl({"--cacert", second.ca_file(), url}).starts_with("60 "));
    use(second);
    process.signal(SIGHUP);
    ASSERT_TRUE(process.wait_for_line("tls_keys_reloaded").has_value());
    EXPECT_EQ(curl({"--cacert", second.ca_file(), url, url}),
              R"(0 {"status":"ok"}{"status":"ok"})");
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait_for_exit(), 0) << process.err();
}

TEST_F(ServerProcess, ServesAUnixSocketAndTakesItAway) {
    const TempDir folder;
    const std::string path = folder.file("api.sock");
    Process process = start({{"FF_LISTEN_UNIX", path}});
    port_of(process);
    EXPECT_EQ(curl({"--unix-socket", path, "http://localhost/healthz"}), R"(0 {"status":"ok"})");
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait_for_exit(), 0) << process.err();
    EXPECT_FALSE(std::filesystem::exists(path));
}

TEST_F(ServerProcess, LeavesAUnixSocketThatAnswersToItsServer) {
    const TempDir folder;
    const std::string path = folder.file("api.sock");
    Process first = start({{"FF_LISTEN_UNIX", path}});
    port_of(first);
    Process second = start({{"FF_LISTEN_UNIX", path}});
    EXPECT_EQ(second.wait_for_exit(), 1);
    EXPECT_NE(second.err().find("cannot listen on " + path + ": another process serves it"),
              std::string::npos)
        << second.err();
    EXPECT_EQ(curl({"--unix-socket", path, "http://localhost/healthz"}), R"(0 {"status":"ok"})");
}

TEST_F(ServerProcess, TakesThePlaceOfAUnixSocketWhoseServerWasKilled) {
    const TempDir folder;
    const std::string path = folder.file("api.sock");
    Process first = start({{"FF_LISTEN_UNIX", path}});
    port_of(first);
    first.kill();
    ASSERT_TRUE(std::filesystem::exists(path));
    Process second = start({{"FF_LISTEN_UNIX", path}});
    port_of(second);
    EXPECT_EQ(curl({"--unix-socket", path, "http://localhost/healthz"}), R"(0 {"status":"ok"})");
}

TEST_F(ServerProcess, LeavesTheSocketOfAnotherServerWhenItsOwnWasTakenAway) {
    const TempDir folder;
    const std::string path = folder.file("api.sock");
    Process first = start({{"FF_LISTEN_UNIX", path}});
    port_of(first);
    std::filesystem::remove(path);
    Process second = start({{"FF_LISTEN_UNIX", path}});
    port_of(second);
    first.signal(SIGTERM);
    EXPECT_EQ(first.wait_for_exit(), 0) << first.err();
    EXPECT_EQ(curl({"--unix-socket", path, "http://localhost/healthz"}), R"(0 {"status":"ok"})");
}

TEST_F(ServerProcess, RemovesNoFileThatIsInTheWayOfAUnixSocket) {
    const TempDir folder;
    const std::string path = folder.file("notes");
    std::ofstream(path) << "keep me";
    Process process = start({{"FF_LISTEN_UNIX", path}});
    EXPECT_EQ(process.wait_for_exit(), 1);
    EXPECT_NE(process.err().find("no socket"), std::string::npos) << process.err();
    EXPECT_EQ(read_file(path), "keep me");
}

TEST_F(Ch07Process, S57_ASecondServerOnTheSameFolderIsRefused) {
    const TempDir folder;
    Process first = start({{"FF_DATA_DIR", folder.file("data")}});
    const std::uint16_t port = port_of(first);
    Process second = start({{"FF_DATA_DIR", folder.file("data")}});
    EXPECT_EQ(second.wait_for_exit(), 1);
    EXPECT_NE(second.err().find(folder.file("data")), std::string::npos) << second.err();
    EXPECT_EQ(http_get(port, "/v1/lanes").status, 200);
}

TEST_F(Ch07Process, S61_TheSecretIsMadeOnceForItsOwnerOnly) {
    const TempDir folder;
    const std::string file = folder.file("data/waitpoint_hmac.secret");
    std::string made;
    for (int boot = 0; boot < 2; ++boot) {
        Process process = start({{"FF_DATA_DIR", folder.file("data")}});
        port_of(process);
        const auto mode = std::filesystem::status(file).permissions();
        EXPECT_EQ(mode, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
        if (boot == 0) made = read_file(file);
        EXPECT_EQ(made.size(), 65U);
        EXPECT_EQ(read_file(file), made);
        // No match was lost: the secret in the store is that of the file.
        EXPECT_EQ(process.err().find("mismatch\":256"), std::string::npos) << process.err();
        process.signal(SIGTERM);
        EXPECT_EQ(process.wait_for_exit(), 0);
        EXPECT_EQ(process.err().find(made.substr(0, 64)), std::string::npos);
    }
    const CommandResult refused = run_command({"env", "FF_BACKEND=valkey", FF_PROGRAM, "server"});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_NE(refused.err.find("FF_WAITPOINT_HMAC_SECRET"), std::string::npos) << refused.err;
}

/// Everything that may be under way when a server is told to stop.
class Ch07Shutdown : public ServerProcess, public ::testing::WithParamInterface<std::string> {
  protected:
    void SetUp() override {
        std::vector<std::pair<std::string, std::string>> env{{"FF_SHUTDOWN_GRACE_MS", "10000"}};
        if (GetParam() == "valkey") {
            valkey_.emplace(ValkeyServer::start());
            env.insert(env.end(), {{"FF_BACKEND", "valkey"},
                                   {"FF_HOST", "127.0.0.1"},
                                   {"FF_PORT", std::to_string(valkey_->port())},
                                   {"FF_WAITPOINT_HMAC_SECRET", std::string(64, 'a')}});
        }
        process_.emplace(start(std::move(env)));
        port_ = port_of(*process_);
        const HttpReply created = HttpConnection::connect(port_).post(
            "/v1/executions",
            R"({"namespace":"acme","lane_id":"other","execution_kind":"noop","payload":"x"})");
        const auto from = created.body.find("{fp:");
        path_ = "/v1/executions/" + created.body.substr(from, created.body.find('"', from) - from);
        const HttpReply claimed = HttpConnection::connect(port_).post(
            "/v1/workers/w/tasks/claim",
            R"({"worker_instance_id":"w-0","lanes":["other"],"wait_ms":9000})");
        ASSERT_EQ(claimed.status, 200) << claimed.body;
    }
    /// Sent, and not answered before something happens.
    HttpConnection pending(std::string_view method, const std::string& target,
                           std::string_view body = {}) const {
        HttpConnection connection = HttpConnection::connect(port_);
        const HttpHeaders json = {{"Content-Type", "application/json"}};
        EXPECT_TRUE(
            connection.send_raw(HttpConnection::encode(method, target, json, body)).has_value());
        return connection;
    }
    /// Until the server has so many permits out, as its figures of requests do not tell.
    void wait_until_held() const {
        ASSERT_TRUE(wait_until([this] { return http_get(port_, "/healthz").status == 200; }));
    }

    std::optional<ValkeyServer> valkey_{};
    std::optional<Process> process_{};
    std::uint16_t port_ = 0;
    std::string path_{};
};

TEST_P(Ch07Shutdown, S43_WhatWaitsOrRunsIsAnswered) {
    HttpConnection claim = pending(
        "POST", "/v1/workers/w/tasks/claim",
        R"({"worker_instance_id":"w-1","lanes":["default"],"max_tasks":1,"wait_ms":30000})");
    HttpConnection tail = pending("GET", path_ + "/attempts/0/stream/tail?block_ms=30000");
    HttpConnection end = pending("GET", path_ + "/wait?block_ms=30000");
    // Half of a request is there when the signal comes, and the other half after it.
    const std::string body = R"({"execution_kind":"noop","lane_id":"late"})";
    const std::string request = HttpConnection::encode(
        "POST", "/v1/executions", {{"Content-Type", "application/json"}}, body);
    HttpConnection running = HttpConnection::connect(port_);
    ASSERT_TRUE(running.send_raw(request.substr(0, request.size() - 10)).has_value());
    wait_until_held();
    const auto told = std::chrono::steady_clock::now();
    process_->signal(SIGTERM);
    ASSERT_TRUE(process_->wait_for_line("\"stopping\"").has_value());
    ASSERT_TRUE(running.send_raw(request.substr(request.size() - 10)).has_value());
    const auto no_work = claim.read_reply();
    ASSERT_TRUE(no_work.has_value());
    EXPECT_EQ(no_work->status, 204) << no_work->body;
    const auto frames = tail.read_reply();
    ASSERT_TRUE(frames.has_value());
    EXPECT_EQ(frames->status, 200) << frames->body;
    EXPECT_NE(frames->body.find(R"("frames":[])"), std::string::npos) << frames->body;
    const auto standing = end.read_reply();
    ASSERT_TRUE(standing.has_value());
    EXPECT_EQ(standing->status, 200) << standing->body;
    const auto created = running.read_reply();
    ASSERT_TRUE(created.has_value());
    EXPECT_EQ(created->status, 201) << created->body;
    EXPECT_EQ(process_->wait_for_exit(), 0) << process_->err();
    EXPECT_LT(std::chrono::steady_clock::now() - told, std::chrono::seconds(10));
    EXPECT_EQ(process_->err().find("shutdown_timed_out"), std::string::npos) << process_->err();
}

TEST_P(Ch07Shutdown, S43_ASecondSignalEndsItAtOnce) {
    const HttpConnection halfway = send_half_a_request(port_);
    process_->signal(SIGTERM);
    ASSERT_TRUE(process_->wait_for_line("\"stopping\"").has_value());
    EXPECT_TRUE(process_->running());
    process_->signal(SIGTERM);
    EXPECT_EQ(process_->wait_for_exit(), 130);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Shutdown, ::testing::Values("embedded", "valkey"));

TEST_F(ServerProcess, LogsNoSecretAtAnyLevel) {
    const std::string token = "token-that-nobody-may-see";
    const std::string secret = "5ec2e7005ec2e7005ec2e7005ec2e700";
    Process process = start({{"FF_LOG", "trace"},
                             {"FF_ACCESS_LOG", "all"},
                             {"FF_API_TOKEN", token},
                             {"FF_SSE_QUERY_TOKEN", "true"},
                             {"FF_WAITPOINT_HMAC_SECRET", secret}});
    HttpConnection client = HttpConnection::connect(port_of(process));
    const HttpHeaders good = {{"Authorization", "Bearer " + token},
                              {"Content-Type", "application/json"}};
    EXPECT_EQ(client.request("GET", "/v1/lanes?access_token=" + token, good).status, 400)
        << "only a stream takes a token in its query";
    EXPECT_EQ(client.request("PUT", "/v1/lanes/a", good, R"({"state":"paused"})").status, 200);
    EXPECT_EQ(client
                  .request("POST", "/v1/admin/rotate-waitpoint-secret", good,
                           R"({"new_kid":"k2","new_secret_hex":"0badc0de0badc0de"})")
                  .status,
              200);
    EXPECT_EQ(client.request("GET", "/v1/lanes", {{"Authorization", "Bearer wrong-one"}}).status,
              401);
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait_for_exit(), 0);
    const std::string log = process.err() + process.out();
    EXPECT_NE(log.find("\"target\":\"access\""), std::string::npos);
    EXPECT_NE(log.find("\"target\":\"audit\""), std::string::npos);
    for (const std::string& hidden :
         {token, secret, std::string("0badc0de0badc0de"), std::string("wrong-one")})
        EXPECT_EQ(log.find(hidden), std::string::npos) << hidden;
}

/// All of them silent. Both processes need a descriptor for each.
TEST_F(ServerProcess, StaysResponsiveAmongTenThousandIdleAndSlowClients) {
    constexpr std::size_t count = 10'000;
    rlimit files{};
    ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &files), 0);
    files.rlim_max = std::max<rlim_t>(files.rlim_max, count + 1'000);
    files.rlim_cur = files.rlim_max;
    ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &files), 0) << "needs a hard limit of 11000 files, or root";
    Process process = start();
    const std::uint16_t port = port_of(process);
    std::vector<HttpConnection> silent;
    for (std::size_t i = 0; i < count; ++i) {
        auto connection = HttpConnection::try_connect(port);
        ASSERT_TRUE(connection.has_value()) << i;
        // Every tenth has begun a request that it never ends, every other tenth has hung up
        // halfway.
        if (i % 10 == 0) {
            ASSERT_TRUE(connection->send_raw("GET /hea").has_value());
        }
        if (i % 10 == 1) connection->shutdown_send();
        silent.push_back(*std::move(connection));
    }
    for (int i = 0; i < 5; ++i) EXPECT_EQ(http_get(port, "/v1/lanes").status, 200);
    EXPECT_EQ(silent[2].get("/healthz").status, 200);
    EXPECT_EQ(HttpConnection::connect(port)
                  .request("GET", "/healthz", {{"X-Long", std::string(20'000, 'x')}})
                  .status,
              431);
    process.signal(SIGTERM);
    EXPECT_EQ(process.wait_for_exit(), 0) << process.err();
}

TEST_F(ServerProcess, ServesFiguresAtAnAddressOfTheirOwn) {
    const std::uint16_t port = free_port();
    Process process = start({{"FF_METRICS_ADDR", "127.0.0.1:" + std::to_string(port)}});
    EXPECT_EQ(http_get(port_of(process), "/metrics").status, 404);
    const HttpReply figures = http_get(port, "/metrics");
    EXPECT_EQ(figures.status, 200);
    EXPECT_EQ(figures.header("Content-Type"), "text/plain; version=0.0.4; charset=utf-8");
}

TEST_F(ServerProcess, TellsItsVersion) {
    const CommandResult told = run_command({FF_PROGRAM, "version"});
    EXPECT_EQ(told.exit_code, 0);
    EXPECT_TRUE(told.out.starts_with("flowfabric ")) << told.out;
}

}  // namespace
}  // namespace ff::testing
