#include <future>

#include "api/signal_world.h"
#include "base/bytes.h"
#include "model/index_keys.h"
#include "support/log_capture.h"

namespace ff::testing {
namespace {

const std::string kApiToken = "the-bearer-of-this-test-0123456789";
const std::string kOtherSecret(64, 'b');

/// An open waitpoint with its token, and the execution that waits there.
struct Door {
    Held held;
    std::string waitpoint{};
    std::string token{};
};

class Ch03Doors : public SignalApi {
  protected:
    Door open_door() {
        Held held = start();
        const JsonReply suspended = suspend(held);
        Door door{.held = std::move(held)};
        door.waitpoint = suspended.text("waitpoint_id");
        door.token = suspended.text("waitpoint_token");
        return door;
    }
    /// Everything that a signal could have changed.
    std::string trace(const Door& door) {
        return world().get(door.held.path("/suspension")).body +
               world().get(door.held.path("/signals")).body +
               world().get(door.held.path("/waitpoints/" + door.waitpoint + "/signals")).body +
               state(door.held);
    }
    void expect_refused(const Door& door, const std::string& waitpoint, const std::string& token,
                        std::string_view code) {
        const std::string before = trace(door);
        const JsonReply refused = signal(door.held, waitpoint, token);
        EXPECT_EQ(refused.status, 403) << refused.body;
        EXPECT_EQ(refused.code(), code) << token;
        if (token.size() > 3) {
            EXPECT_EQ(refused.body.find(token.substr(3)), std::string::npos) << refused.body;
        }
        EXPECT_EQ(trace(door), before);
    }
    void expect_opens(const Door& door) {
        EXPECT_EQ(signal(door.held, door.waitpoint, door.token).text("effect"),
                  "resume_condition_satisfied");
        EXPECT_EQ(state(door.held), "waiting");
    }
};

TEST_P(Ch03Doors, S13_ATokenOpensOneDoorOnly) {
    const Door one = open_door();
    Door other = open_door();
    while (other.held.task.execution_id.partition_index() ==
           one.held.task.execution_id.partition_index())
        other = open_door();
    expect_refused(other, one.waitpoint, one.token, "invalid_token");
    expect_refused(other, other.waitpoint, one.token, "invalid_token");
    expect_refused(one, other.waitpoint, one.token, "invalid_token");
    expect_opens(one);
    expect_opens(other);
}

TEST_P(Ch03Doors, S14_AnUnknownWaitpointIsToldNothing) {
    const Door door = open_door();
    expect_refused(door, "11111111-2222-4333-8444-555555555555", door.token, "invalid_token");
    expect_opens(door);
}

TEST_P(Ch03Doors, S15_AChangedTokenOpensNothing) {
    const Door door = open_door();
    const std::string digest = door.token.substr(3);
    std::string flipped = door.token;
    flipped.back() = flipped.back() == '0' ? '1' : '0';
    std::string upper = digest;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    expect_refused(door, door.waitpoint, "", "missing_token");
    for (const std::string& changed :
         {flipped, door.token.substr(0, 42), door.token + "0", "k9:" + digest, "k1:" + upper,
          "k1%3A" + digest, to_base64(door.token), digest, "k1:" + to_base64(digest),
          "k1:" + digest.substr(0, 39) + " "}) {
        expect_refused(door, door.waitpoint, changed, "invalid_token");
    }
    expect_opens(door);
}

TEST_P(Ch03Doors, S16_ATokenOfAnExpiredKidOpensNothing) {
    const Door door = open_door();
    ASSERT_EQ(rotate("k2", kOtherSecret).status, 200);
    const std::string secrets =
        model::IndexKeys(door.held.task.execution_id.partition_index()).waitpoint_hmac();
    world().command({"HSET", secrets, "expires_at:k1", "1000"});
    expect_refused(door, door.waitpoint, door.token, "token_expired");
    ASSERT_EQ(rotate("k3", std::string(64, 'c')).status, 200);
    expect_refused(door, door.waitpoint, door.token, "invalid_token");
}

TEST_P(Ch03Doors, AReplayedTokenOpensNothing) {
    const Door door = open_door();
    expect_opens(door);
    const std::string before = trace(door);
    EXPECT_EQ(signal(door.held, door.waitpoint, door.token).code(), "target_not_signalable");
    EXPECT_EQ(trace(door), before);
}

/// Senders of signals who know no API token, at a server that asks for one.
class Ch03Guests : public SignalApi {
  protected:
    void open_server(api::GuestLimits limits = {}) {
        WorldOptions options;
        options.settings.api_token = kApiToken;
        options.settings.guests = limits;
        world(std::move(options));
    }
    Door open_door() {
        Held held = start();
        const JsonReply suspended = bearer("POST", held.path("/suspend"),
                                           "{" + held.lease() + R"(,"signals":["approved"]})");
        Door door{.held = std::move(held)};
        door.waitpoint = suspended.text("waitpoint_id");
        door.token = suspended.text("waitpoint_token");
        return door;
    }
    JsonReply bearer(std::string_view method, std::string_view target, std::string_view body = {}) {
        return world().request(method, target, body, {{"Authorization", "Bearer " + kApiToken}});
    }
    static std::string body_of(const std::string& waitpoint, const std::string& token,
                               std::string_view more = "") {
        return R"({"signal_name":"approved","waitpoint_id":")" + waitpoint +
               R"(","waitpoint_token":")" + token + "\"" + std::string(more) + "}";
    }
    JsonReply guest(const Door& door, const std::string& token, std::string_view more = "") {
        return world().post(door.held.path("/signal"), body_of(door.waitpoint, token, more));
    }
};

TEST_P(Ch03Guests, S69_AWaitpointTokenIsCredentialEnoughOnThatRouteOnly) {
    open_server();
    const Door door = open_door();
    for (const char* path : {"/state", "/pending-waitpoints", "/signals"})
        EXPECT_EQ(world().get(door.held.path(path)).status, 401) << path;
    EXPECT_EQ(world().post(door.held.path("/approve"), body_of(door.waitpoint, door.token)).status,
              401);
    // Who sends a wrong API token believes to be somebody.
    EXPECT_EQ(world()
                  .request("POST", door.held.path("/signal"), body_of(door.waitpoint, door.token),
                           {{"Authorization", "Bearer wrong"}})
                  .status,
              401);
    EXPECT_EQ(guest(door, door.token).text("effect"), "resume_condition_satisfied");
    EXPECT_EQ(bearer("GET", door.held.path("/state")).text("public_state"), "waiting");
}

TEST_P(Ch03Guests, S69_WithoutAGoodTokenAGuestLearnsNothing) {
    open_server();
    const Door door = open_door();
    std::string wrong = door.token;
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    const std::string unknown = "11111111-2222-4333-8444-555555555555";
    const std::string nobody = "/v1/executions/" + encode("{fp:1}:" + unknown) + "/signal";
    const JsonReply told = guest(door, wrong);
    EXPECT_EQ(told.status, 403);
    EXPECT_EQ(told.code(), "invalid_token");
    const JsonReply no_execution = world().post(nobody, body_of(door.waitpoint, wrong));
    const JsonReply no_waitpoint = world().post(door.held.path("/signal"), body_of(unknown, wrong));
    EXPECT_EQ(no_execution.body, told.body);
    EXPECT_EQ(no_waitpoint.body, told.body);
    const JsonReply empty = guest(door, "");
    EXPECT_EQ(empty.code(), "missing_token");
    EXPECT_EQ(world().post(nobody, body_of(door.waitpoint, "")).body, empty.body);
    for (const char* more : {R"(,"signal_maxlen":1)", R"(,"max_signals_per_execution":0)"})
        EXPECT_EQ(guest(door, door.token, more).code(), "invalid_input") << more;
    const JsonReply sought =
        world().post(door.held.path("/signal"),
                     R"({"signal_name":"approved","target_scope":"execution","waitpoint_token":")" +
                         door.token + "\"}");
    EXPECT_EQ(sought.code(), "invalid_input");
    EXPECT_EQ(bearer("GET", door.held.path("/state")).text("public_state"), "suspended");
}

TEST_P(Ch03Guests, S69_AnExpiredKidIsToldToHoldersOfItsTokensOnly) {
    open_server();
    const Door door = open_door();
    bearer("POST", "/v1/admin/rotate-waitpoint-secret",
           R"({"new_kid":"k2","new_secret_hex":")" + kOtherSecret + "\"}");
    world().command(
        {"HSET", model::IndexKeys(door.held.task.execution_id.partition_index()).waitpoint_hmac(),
         "expires_at:k1", "1000"});
    std::string wrong = door.token;
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    EXPECT_EQ(guest(door, wrong).code(), "invalid_token");
    EXPECT_EQ(guest(door, door.token).code(), "token_expired");
}

TEST_P(Ch03Guests, S70_GuestsAreFewAndToldWhenToComeBack) {
    open_server({.per_minute = 4, .per_minute_in_all = 100});
    const Door door = open_door();
    for (int i = 0; i < 4; ++i) EXPECT_EQ(guest(door, "k1:no").code(), "invalid_token");
    const JsonReply refused = guest(door, door.token);
    EXPECT_EQ(refused.status, 429);
    EXPECT_EQ(refused.code(), "rate_limit_exceeded");
    const int seconds = std::stoi(refused.header("Retry-After"));
    EXPECT_GE(seconds, 10);
    EXPECT_LE(seconds, 15);
    // Nobody with the API token feels it.
    EXPECT_EQ(bearer("POST", door.held.path("/signal"), body_of(door.waitpoint, door.token))
                  .text("effect"),
              "resume_condition_satisfied");
}

TEST_P(Ch03Guests, S70_BodiesOfGuestsThatComeSlowlyTakeNoMoreThanTheirPlaces) {
    open_server({.at_a_time = 8});
    const Door door = open_door();
    const std::string whole = HttpConnection::encode("POST", door.held.path("/signal"),
                                                     {{"Content-Type", "application/json"}},
                                                     body_of(door.waitpoint, "k1:no"));
    std::vector<HttpConnection> slow;
    for (int i = 0; i < 2; ++i) {
        slow.push_back(world().connect());
        ASSERT_TRUE(slow.back().send_raw(whole.substr(0, whole.size() - 5)).has_value());
    }
    // Both heads are read once a third is refused its place.
    JsonReply refused = guest(door, "k1:no");
    for (int i = 0; i < 50 && refused.status != 429; ++i) refused = guest(door, "k1:no");
    EXPECT_EQ(refused.code(), "concurrency_limit_exceeded");
    for (HttpConnection& one : slow) {
        ASSERT_TRUE(one.send_raw(whole.substr(whole.size() - 5)).has_value());
        EXPECT_EQ(one.read_reply()->status, 403);
    }
    EXPECT_EQ(guest(door, "k1:no").code(), "invalid_token");
}

/// A server that logs every request and takes credentials in every place there is.
class Ch03Logs : public SignalApi {
  protected:
    void SetUp() override {
        WorldOptions options;
        options.settings.api_token = kApiToken;
        options.settings.sse_query_token = true;
        options.settings.access_log = app::AccessLog::All;
        world(std::move(options));
    }
    JsonReply ask(std::string_view method, std::string_view target, std::string_view body = {},
                  std::string_view bearer = kApiToken) {
        return world().request(method, target, body,
                               {{"Authorization", "Bearer " + std::string(bearer)}});
    }
    std::string signal_body(const std::string& waitpoint, const std::string& token) {
        return R"({"signal_name":"approved","payload":"PAYLOAD-OF-THE-SIGNAL","waitpoint_id":")" +
               waitpoint + R"(","waitpoint_token":")" + token + "\"}";
    }
    void rotate_to(const std::string& kid, const std::string& secret) {
        ask("POST", "/v1/admin/rotate-waitpoint-secret",
            R"({"new_kid":")" + kid + R"(","new_secret_hex":")" + secret + "\"}");
    }
};

TEST_P(Ch03Logs, S59_NoLineOfAServerShowsATokenOrASecret) {
    const LogCapture logs;
    const Held held = start();
    const std::string lease = "{" + held.lease();
    const JsonReply pending = ask("POST", held.path("/waitpoints"),
                                  lease + R"(,"expires_in_ms":60000,"waitpoint_key":"one"})");
    ASSERT_EQ(pending.status, 201) << pending.body;
    const std::string early = pending.text("waitpoint_token");
    const JsonReply suspended =
        ask("POST", held.path("/suspend"), lease + R"(,"signals":["approved"]})");
    ASSERT_EQ(suspended.status, 200) << suspended.body;
    const std::string id = suspended.text("waitpoint_id");
    const std::string token = suspended.text("waitpoint_token");
    std::string wrong = token;
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    ask("POST", held.path("/signal"), signal_body(id, wrong));
    ask("POST", held.path("/signal"), signal_body(id, token).substr(1));
    ask("POST", held.path("/signal"), signal_body(pending.text("waitpoint_id"), early));
    for (const char* path : {"/pending-waitpoints", "/suspension", "/suspension/condition",
                             "/signals", "/explain", "/resume-signals?attempt_index=0"})
        EXPECT_EQ(ask("GET", held.path(path)).status, 200) << path;
    EXPECT_EQ(ask("GET", held.path("/waitpoints/" + id + "/token")).text("token"), token);
    EXPECT_EQ(ask("GET", held.path("/waitpoints/" + id + "/signals")).status, 200);
    rotate_to("k2", kOtherSecret);
    rotate_to("k2", std::string(64, 'd'));
    rotate_to("k3", "NO-HEX-" + kOtherSecret);
    const std::string reminted =
        ask("GET", held.path("/waitpoints/" + id + "/token")).text("token");
    EXPECT_EQ(reminted.substr(0, 3), "k2:");
    ask("GET", held.path("/state"), {}, "not-" + kApiToken);
    const SseClient events(world(), held.path("/feed?access_token=" + kApiToken));
    EXPECT_TRUE(events.ok()) << events.head();
    EXPECT_EQ(ask("POST", held.path("/signal"), signal_body(id, token)).status, 200);
    EXPECT_EQ(ask("POST", held.path("/signal"), signal_body(id, token)).status, 409);
    ask("POST", held.path("/approve"),
        R"({"signal_name":"approved","waitpoint_id":")" + id + "\"}");

    EXPECT_GT(logs.count(R"("target":"access")"), 15U);
    const std::string secret = "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";
    for (const std::string& hidden :
         {early.substr(3), token.substr(3), wrong.substr(3), reminted.substr(3), secret,
          kOtherSecret, std::string(64, 'd'), kApiToken, held.task.fence.lease_id.to_string(),
          std::string("PAYLOAD-OF-THE-SIGNAL")}) {
        EXPECT_EQ(logs.count(hidden), 0U) << hidden;
    }
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch03Doors, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Stores, Ch03Guests, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Stores, Ch03Logs, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
