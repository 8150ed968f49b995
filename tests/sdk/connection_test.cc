// How a client reaches a server: TCP, TLS and unix sockets.

#include <gtest/gtest.h>

#include "sdk/door_world.h"
#include "support/certificates.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::AdminClient;
using flowfabric::Millis;

class HttpsServer : public ::testing::Test {
  protected:
    Certificates keys{};
    ServerProcess server{{{"FF_DATA_DIR", ":memory:"},
                          {"FF_LISTEN_TLS_CERT_FILE", keys.server_certificate_file()},
                          {"FF_LISTEN_TLS_KEY_FILE", keys.server_key_file()}}};

    static flowfabric::Error refusal_of(flowfabric::ClientOptions options) {
        const auto answer = AdminClient::connect(std::move(options)).value().ping();
        return answer ? flowfabric::Error{.code = "none"} : answer.error();
    }
    /// The same port under another name for this machine.
    std::string url_with_host(const std::string& host) const {
        return "https://" + host + server.url().substr(server.url().rfind(':'));
    }
};

TEST_F(HttpsServer, IsBelievedWhenItsAuthorityIs) {
    ASSERT_TRUE(server.url().starts_with("https://")) << server.url();
    for (const std::string& url : {server.url(), url_with_host("localhost")}) {
        const auto client =
            AdminClient::connect({.url = url, .tls = {.ca_file = keys.ca_file()}}).value();
        const auto created =
            client.create_execution({.kind = "k", .payload = std::string(1 << 19, 'x')});
        ASSERT_TRUE(created.has_value()) << created.error().text();
        EXPECT_EQ(client.get_payload(created->execution_id).value().size(), 1U << 19);
        // The connection is used again: many calls, and none pays for another handshake.
        for (int i = 0; i < 50; ++i) ASSERT_TRUE(client.ping().has_value());
    }
}

TEST_F(HttpsServer, IsNotBelievedOtherwiseUnlessTold) {
    const Certificates stranger;
    const auto unknown = refusal_of({.url = server.url()});
    EXPECT_EQ(unknown.code, "http");
    EXPECT_EQ(unknown.kind, "tls") << unknown.text();
    EXPECT_FALSE(unknown.retryable());
    EXPECT_EQ(refusal_of({.url = server.url(), .tls = {.ca_file = stranger.ca_file()}}).kind,
              "tls");
    // Right authority, wrong name.
    const auto misnamed =
        refusal_of({.url = url_with_host("127.0.0.2"), .tls = {.ca_file = keys.ca_file()}});
    EXPECT_TRUE(misnamed.kind == "tls" || misnamed.kind == "connect_failed") << misnamed.text();
    EXPECT_EQ(refusal_of({.url = server.url(), .tls = {.verify = false}}).code, "none");
    EXPECT_EQ(
        AdminClient::connect({.url = server.url(), .tls = {.ca_file = "/none/such"}}).error().code,
        "config");
}

TEST_F(HttpsServer, ServesWorkersToo) {
    flowfabric::WorkerConfig config{.server_url = server.url(),
                                    .server_tls = {.ca_file = keys.ca_file()},
                                    .worker_id = "w",
                                    .worker_instance_id = "i",
                                    .lanes = {"default"}};
    flowfabric::Worker worker = flowfabric::Worker::connect(config).value();
    const auto client =
        AdminClient::connect({.url = server.url(), .tls = {.ca_file = keys.ca_file()}}).value();
    const std::string id = client.create_execution({.kind = "k"}).value().execution_id;
    auto tasks = worker.claim_tasks(1, kPatience).value();
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_TRUE(tasks.front().complete("over tls").has_value());
    EXPECT_EQ(client.get_result(id).value(), "over tls");
}

TEST_F(HttpsServer, APlainClientLearnsThatThisIsNoHttp) {
    const auto refused = refusal_of({.url = "http" + server.url().substr(5)});
    EXPECT_EQ(refused.code, "http") << refused.text();
}

TEST(UnixSocket, IsAServerLikeAnyOther) {
    const TempDir folder;
    const std::string path = folder.file("api.sock");
    ServerProcess server({{"FF_DATA_DIR", ":memory:"}, {"FF_LISTEN_UNIX", path}});
    const auto client = AdminClient::connect("unix:" + path).value();
    const std::string id =
        client.create_execution({.kind = "k", .payload = "p"}).value().execution_id;
    EXPECT_EQ(client.get_payload(id).value(), "p");
    flowfabric::Worker worker = flowfabric::Worker::connect({.server_url = "unix:" + path,
                                                             .worker_id = "w",
                                                             .worker_instance_id = "i",
                                                             .lanes = {"default"}})
                                    .value();
    auto tasks = worker.claim_tasks(1, kPatience).value();
    ASSERT_EQ(tasks.size(), 1U);
    EXPECT_TRUE(tasks.front().complete().has_value());
    server.kill();
    const auto gone = client.ping();
    ASSERT_FALSE(gone.has_value());
    EXPECT_TRUE(gone.error().retryable()) << gone.error().text();
    EXPECT_EQ(AdminClient::connect("unix:relative").error().code, "config");
    EXPECT_EQ(AdminClient::connect("unix:/" + std::string(200, 'x')).error().code, "config");
}

/// The door of an engine in this process keeps to the time it was given, as one over HTTP does.
class DoorTimeout : public ::testing::TestWithParam<std::string> {};

TEST_P(DoorTimeout, EndsACallThatIsNotAnsweredInTime) {
    DoorWorld& world = door_world(GetParam());
    const std::string id = world.submit(DoorWorld::unique("lane"));
    std::string path = "/v1/executions/" + id + "/wait?block_ms=20000";
    for (std::size_t at = path.find_first_of("{}"); at != std::string::npos;
         at = path.find_first_of("{}"))
        path.replace(at, 1, path[at] == '{' ? "%7B" : "%7D");
    const auto begun = std::chrono::steady_clock::now();
    const auto late =
        world.client().door()->send({.operation = "test", .target = path, .timeout = Millis(200)});
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().kind, "timeout");
    EXPECT_TRUE(late.error().retryable());
    EXPECT_LT(std::chrono::steady_clock::now() - begun, Millis(10'000));
    EXPECT_EQ(world.state(id), "waiting") << "the door still works";
}

INSTANTIATE_TEST_SUITE_P(Doors, DoorTimeout, ::testing::Values("http", "inprocess"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
