// One server: what its absence, silence, death and refusals mean to a caller.

#include <gtest/gtest.h>

#include "client.h"
#include "support/ports.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

using std::chrono::steady_clock;

TEST(Ch01, S38_ARefusedConnectionMayBeRetriedAndATimeoutAfterWritingMayNot) {
    valkey::Options nobody = quick({local(free_port())});
    nobody.session.connect_timeout = milliseconds(300);
    const Error refused = Client::open_error(nobody);
    EXPECT_EQ(refused.kind, "io_error");
    EXPECT_EQ(refused.cls, ErrorClass::Retryable);

    const ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    server.pause();
    const auto late =
        run(client.loop(), client.store().call(words({"SET", "k", "v"}, milliseconds(200))));
    server.resume();
    ASSERT_FALSE(late.has_value());
    EXPECT_EQ(late.error().kind, "fatal_receive");
    EXPECT_NE(late.error().cls, ErrorClass::Retryable);
    // The late reply is nobody's: the next call gets its own.
    EXPECT_EQ(client.call({"GET", "k"}), "\"v\"");
    EXPECT_EQ(client.probe().connections, 1);
}

TEST(SingleServer, AWrongPasswordFailsAtOnce) {
    const ValkeyServer server = ValkeyServer::start({.arguments = {"--requirepass", "right"}});
    valkey::Options options = quick({local(server.port())});
    for (const std::string password : {"", "wrong"}) {
        options.session.password = password;
        const auto start = steady_clock::now();
        EXPECT_EQ(Client::open_error(options).kind, "authentication_failed");
        EXPECT_LT(steady_clock::now() - start, milliseconds(1'000));
    }
}

TEST(SingleServer, AuthenticatesAsAUserAndSaysItsName) {
    const ValkeyServer server = ValkeyServer::start();
    server.connect()("ACL", "SETUSER", "alice", "on", ">pw", "~*", "+@all");
    valkey::Options options = quick({local(server.port())});
    options.session.user = "alice";
    options.session.password = "pw";
    options.session.client_name = "a-test";
    Client client(options);
    const std::string about = client.call({"CLIENT", "INFO"});
    EXPECT_NE(about.find("name=a-test"), std::string::npos) << about;
    EXPECT_NE(about.find("user=alice"), std::string::npos);
    EXPECT_NE(about.find("resp=3"), std::string::npos);
}

TEST(SingleServer, TrustsOnlyItsOwnAuthorityAndName) {
    const ValkeyServer server = ValkeyServer::start({.tls = true});
    const Certificates stranger;
    valkey::Options options = quick({local(server.tls_port())});
    options.session.tls = *net::TlsContext::load({.ca_file = stranger.ca_file()});
    EXPECT_EQ(Client::open_error(options).kind, "invalid_client_config");
    options.session.tls = *net::TlsContext::load(
        {.ca_file = server.certificates().ca_file(), .server_name = "other.example"});
    EXPECT_EQ(Client::open_error(options).kind, "invalid_client_config");
    options.session.tls = *net::TlsContext::load(
        {.ca_file = server.certificates().ca_file(), .server_name = "localhost"});
    EXPECT_EQ(Client::open_error(options).code, "none");
    const auto missing = net::TlsContext::load({.ca_file = "/nowhere/ca.pem"});
    ASSERT_FALSE(missing.has_value());
    EXPECT_EQ(missing.error().code, "invalid_client_config");
}

TEST(SingleServer, RefusesSettingsThatCannotWork) {
    EXPECT_EQ(Client::open_error(quick({})).kind, "invalid_client_config");
    EXPECT_EQ(Client::open_error(quick({local(1), local(2)})).kind, "invalid_client_config");
}

TEST(SingleServer, ACancelledCallEndsAtOnceAndLeavesThePipelineInOrder) {
    const ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    server.pause();
    client.probe().sent_most = 0;
    Background calls(client);
    calls.start(words({"SET", "k", "1"}));
    EXPECT_TRUE(client.turn_until([&] { return client.probe().sent_most == 1; }));
    const auto start = steady_clock::now();
    calls.cancel();
    calls.join();
    EXPECT_LT(steady_clock::now() - start, milliseconds(1'000));
    EXPECT_EQ(calls.answers()[0], "fatal_receive") << "it may have run";
    server.resume();
    EXPECT_EQ(client.call({"GET", "k"}), "\"1\"");
}

TEST(SingleServer, ABreakFailsTheUnsafeAndResendsTheSafe) {
    ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    server.pause();
    Background calls(client);
    const std::size_t unsafe = calls.start(words({"INCR", "a"}, milliseconds(15'000)));
    const std::size_t safe = calls.start(words({"SET", "b", "1"}, milliseconds(15'000), true));
    const std::size_t read = calls.start(words({"GET", "b"}, milliseconds(15'000)));
    EXPECT_TRUE(client.turn_until([&] { return client.probe().sent_most == 3; }));
    server.restart();
    calls.join();
    EXPECT_EQ(calls.answers()[unsafe], "fatal_receive");
    EXPECT_EQ(calls.answers()[safe], "OK");
    EXPECT_TRUE(calls.answers()[read] == "\"1\"" || calls.answers()[read] == "null");
    EXPECT_EQ(client.call({"GET", "a"}), "null");
}

TEST(SingleServer, CallsWaitForAServerThatIsAwayAndFailByTheirDeadline) {
    ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    server.kill();
    EXPECT_TRUE(client.turn_until([&] { return client.probe().losses == 1; }));
    const auto start = steady_clock::now();
    EXPECT_EQ(client.call({"GET", "k"}, milliseconds(300)), "io_error");
    EXPECT_LT(steady_clock::now() - start, milliseconds(1'000));
    Background calls(client);
    calls.start(words({"SET", "k", "v"}, milliseconds(15'000)));
    server.restart();
    calls.join();
    EXPECT_EQ(calls.answers()[0], "OK") << "it was never sent, so it need not be safe";
}

TEST(SingleServer, BoundsWhatWaitsAndRefusesTheRest) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.pipeline = {.in_flight_max = 8, .waiting_max = 16};
    Client client(options);
    server.pause();
    Background calls(client);
    for (int i = 0; i < 8; ++i) calls.start(words({"SET", "k", "v"}));
    EXPECT_TRUE(client.turn_until([&] { return client.probe().sent_most == 8; }));
    for (int i = 0; i < 92; ++i) calls.start(words({"SET", "k", "v"}));
    EXPECT_TRUE(client.turn_until([&] { return calls.finished() == 76; }));
    EXPECT_EQ(calls.count("io_error"), 76U) << "refused at once, not executed";
    server.resume();
    calls.join();
    EXPECT_EQ(calls.count("OK"), 24U);
    EXPECT_EQ(client.probe().sent_most, 8U);
}

TEST(SingleServer, GivesASilentConnectionUp) {
    const ValkeyServer server = ValkeyServer::start();
    valkey::Options options = quick({local(server.port())});
    options.silence_max = milliseconds(200);
    options.session.connect_timeout = milliseconds(200);
    Client client(options);
    server.pause();
    Background calls(client);
    calls.start(words({"GET", "k"}, milliseconds(20'000)));
    EXPECT_TRUE(client.turn_until([&] { return client.probe().losses >= 1; }));
    server.resume();
    calls.join();
    EXPECT_EQ(calls.answers()[0], "null") << "a read is sent again";
}

TEST(SingleServer, AReadOnlyServerIsAskedOnceMore) {
    const ValkeyServer primary = ValkeyServer::start();
    const ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    auto admin = server.connect();
    admin("REPLICAOF", "127.0.0.1", std::to_string(primary.port()));
    EXPECT_EQ(client.call({"SET", "k", "v"}), "read_only");
    EXPECT_EQ(client.probe().connections, 2) << "the address may lead elsewhere by now";
    admin("REPLICAOF", "NO", "ONE");
    EXPECT_EQ(client.call({"SET", "k", "v"}), "OK");
}

TEST(SingleServer, LargeCallsAndRepliesPassInBothDirections) {
    const ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    const std::string large(std::size_t{24} << 20, 'x');
    Background calls(client);
    for (int i = 0; i < 3; ++i)
        calls.start(words({"SET", "k" + std::to_string(i), large}, milliseconds(20'000)));
    calls.join();
    EXPECT_EQ(calls.count("OK"), 3U);
    const auto back = run(client.loop(), client.store().call(words({"GET", "k2"})));
    ASSERT_TRUE(back.has_value());
    EXPECT_TRUE(back->text() == large);
}

TEST(SingleServer, StopLetsCallsUnderWayFinishAndEndsWaits) {
    const ValkeyServer server = ValkeyServer::start();
    auto client = std::make_unique<Client>(quick({local(server.port())}));
    auto subscription = run(client->loop(), client->store().subscribe({.names = {"c"}}));
    ASSERT_TRUE(subscription.has_value());
    Background calls(*client);
    const std::size_t call = calls.start(words({"SET", "k", "v"}));
    const std::size_t wait = calls.start(
        words({"XREAD", "BLOCK", "30000", "STREAMS", "s", "0"}, milliseconds(30'000)), true);
    auto blocked = server.connect();
    EXPECT_TRUE(client->turn_until([&] {
        return blocked("INFO", "clients").text.find("blocked_clients:1") != std::string::npos;
    }));
    const auto start = steady_clock::now();
    run(client->loop(), client->store().stop());
    calls.join();
    EXPECT_LT(steady_clock::now() - start, milliseconds(2'000));
    EXPECT_EQ(calls.answers()[call], "OK");
    EXPECT_EQ(calls.answers()[wait], "shutting_down");
    EXPECT_EQ(client->call({"GET", "k"}), "shutting_down");
    const auto ended = run(client->loop(), (*subscription)->next(Deadline::never()));
    ASSERT_FALSE(ended.has_value());
    EXPECT_EQ(ended.error().code, "shutting_down");
}

TEST(SingleServer, TellsItsFigures) {
    const ValkeyServer server = ValkeyServer::start();
    Client client(quick({local(server.port())}));
    const std::size_t before = client.probe().round_trips;
    for (int i = 0; i < 10; ++i) EXPECT_EQ(client.call({"PING"}), "PONG");
    EXPECT_EQ(client.probe().round_trips, before + 10);
    EXPECT_EQ(client.probe().connections, 1);
    EXPECT_EQ(client.probe().losses, 0);
}

}  // namespace
}  // namespace ff::testing
