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
INSTANTIATE_TEST_SUITE_P(Stores, Ch03Logs, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
