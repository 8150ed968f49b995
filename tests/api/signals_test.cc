#include <algorithm>
#include <future>

#include "api/signal_world.h"
#include "model/index_keys.h"
#include "support/log_capture.h"

namespace ff::testing {
namespace {

const std::string kOtherSecret(64, 'b');

class Ch07Signals : public SignalApi {};
class Ch03Rotation : public SignalApi {};
class Ch04Audit : public SignalApi {};

TEST_P(Ch07Signals, S14_OpenWaitpointsAreListedWithOrWithoutTokens) {
    const Held held = start();
    const std::string first = pending(held, "one").text("waitpoint_id");
    pending(held, "two");
    const JsonReply listed = world().get(held.path("/pending-waitpoints"));
    ASSERT_EQ(listed.json().find("waitpoints")->size(), 2U) << listed.body;
    EXPECT_EQ(listed.header("Cache-Control"), "no-store");
    const json::Value entry = listed.json().find("waitpoints")->element(0);
    const auto token = entry.find("waitpoint_token");
    ASSERT_TRUE(token.has_value()) << listed.body;
    EXPECT_EQ(entry.find("state")->as_string(), "pending");
    const JsonReply omitted = world().get(held.path("/pending-waitpoints?tokens=omit"));
    EXPECT_EQ(omitted.body.find("waitpoint_token"), std::string::npos);
    EXPECT_NE(omitted.body.find("token_fingerprint"), std::string::npos);
    const std::string id(entry.find("waitpoint_id")->as_string().value_or(""));
    const JsonReply raw = world().get(held.path("/waitpoints/" + id + "/token"));
    EXPECT_EQ(raw.text("token"), *token->as_string());
    EXPECT_EQ(raw.header("Cache-Control"), "no-store");
    const JsonReply page = world().get(held.path("/pending-waitpoints?limit=1"));
    EXPECT_EQ(page.json().find("waitpoints")->size(), 1U);
    EXPECT_EQ(world()
                  .get(held.path("/pending-waitpoints?limit=1&after=" + page.text("next_cursor")))
                  .json()
                  .find("waitpoints")
                  ->size(),
              1U);
    EXPECT_EQ(world()
                  .post(held.path("/waitpoints/" + first + "/close"),
                        "{" + held.lease() + R"(,"reason":"done"})")
                  .text("status"),
              "closed");
    const JsonReply gone = world().get(held.path("/waitpoints/" + first + "/token"));
    EXPECT_EQ(gone.status, 404);
    EXPECT_EQ(gone.header("Cache-Control"), "no-store");
}

TEST_P(Ch07Signals, S14_RedactionHidesTokens) {
    WorldOptions options;
    options.settings.redact_waitpoint_tokens = true;
    world(options);
    const Held held = start();
    pending(held, "one");
    const JsonReply listed = world().get(held.path("/pending-waitpoints"));
    EXPECT_EQ(listed.json().find("waitpoints")->size(), 1U);
    EXPECT_EQ(listed.body.find("waitpoint_token"), std::string::npos);
}

TEST_P(Ch07Signals, S15_APendingWaitpointBuffersAndTokensAreChecked) {
    const Held held = start();
    const JsonReply waitpoint = pending(held, "one");
    ASSERT_EQ(waitpoint.status, 201) << waitpoint.body;
    const std::string id = waitpoint.text("waitpoint_id");
    const std::string token = waitpoint.text("waitpoint_token");
    const JsonReply accepted = signal(held, id, token);
    EXPECT_EQ(accepted.status, 200) << accepted.body;
    EXPECT_EQ(accepted.text("status"), "accepted");
    EXPECT_EQ(accepted.text("effect"), "buffered_for_pending_waitpoint");
    EXPECT_TRUE(accepted.flag("requires_confirmation"));
    std::string wrong = token;
    wrong.back() = wrong.back() == '0' ? '1' : '0';
    EXPECT_EQ(signal(held, id, wrong).status, 403);
    EXPECT_EQ(signal(held, id, wrong).code(), "invalid_token");
    EXPECT_EQ(signal(held, id, "").code(), "missing_token");
    EXPECT_EQ(signal(held, id, "").status, 403);
    ASSERT_EQ(rotate("k2", kOtherSecret).status, 200);
    const std::string kid = token.substr(0, token.find(':'));
    const std::uint16_t partition = held.task.execution_id.partition_index();
    world().command(
        {"HSET", model::IndexKeys(partition).waitpoint_hmac(), "expires_at:" + kid, "1000"});
    EXPECT_EQ(signal(held, id, token).code(), "token_expired");
    EXPECT_EQ(signal(held, id, token).status, 403);
    const JsonReply by_key =
        world().post(held.path("/signal"), R"({"signal_name":"x","waitpoint_key":"nowhere"})");
    EXPECT_EQ(by_key.code(), "ambiguous_target");
    EXPECT_EQ(by_key.status, 400);
}

TEST_P(Ch07Signals, S20_RotationsConvergeAndOldTokensLiveOn) {
    const Held held = start();
    const JsonReply suspended = suspend(held);
    ASSERT_EQ(suspended.status, 200) << suspended.body;
    EXPECT_EQ(rotate_twice_at_once("k2", kOtherSecret), (std::vector<int>{200, 429}));
    const JsonReply again = rotate("k2", kOtherSecret);
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.integer("rotated"), 256);
    EXPECT_EQ(rotate("k2", std::string(64, 'd')).status, 409);
    EXPECT_EQ(rotate("k2", std::string(64, 'd')).code(), "rotation_conflict");
    EXPECT_EQ(rotate("k:2", kOtherSecret).code(), "invalid_kid");
    EXPECT_EQ(rotate("k3", "abc").code(), "invalid_secret_hex");
    const JsonReply kids = world().get("/v1/admin/waitpoint-kids");
    EXPECT_EQ(kids.text("current_kid"), "k2");
    EXPECT_EQ(kids.json().find("kids")->size(), 1U);
    const JsonReply resumed =
        signal(held, suspended.text("waitpoint_id"), suspended.text("waitpoint_token"));
    EXPECT_EQ(resumed.text("effect"), "resume_condition_satisfied");
    EXPECT_EQ(state(held), "waiting");
}

/// A rotation is under way for as long as a partition's lock is asked for; the second one must not
/// wait for it.
TEST_P(Ch03Rotation, S25_OneAtATimeAndEachEnd) {
    std::optional<api::Pool::Permit> running;
    world().on_loop([&] { running.emplace(*world().instance().pools().admin_rotate.take()); });
    const JsonReply busy = rotate("k2", kOtherSecret);
    EXPECT_EQ(busy.status, 429) << busy.body;
    EXPECT_NE(busy.text("error").find("admin_rotate"), std::string::npos);
    EXPECT_EQ(busy.header("Retry-After"), "1");
    world().on_loop([&] { running.reset(); });
    EXPECT_EQ(rotate("k2", kOtherSecret).status, 200);
    EXPECT_EQ(rotate("k2", std::string(64, 'd')).status, 409);
    for (std::uint16_t i = 0; i < 256; ++i) {
        world().command({"DEL", model::IndexKeys(i).waitpoint_hmac()});
        world().command({"SET", model::IndexKeys(i).waitpoint_hmac(), "no hash"});
    }
    const JsonReply failed = rotate("k3", kOtherSecret);
    EXPECT_EQ(failed.status, 500) << failed.body;
}

TEST_P(Ch04Audit, S59_ARotationLeavesOneEntryAndNoSecret) {
    world();
    world().command({"DEL", model::IndexKeys(7).waitpoint_hmac()});
    world().command({"SET", model::IndexKeys(7).waitpoint_hmac(), "no hash"});
    const LogCapture logs;
    const JsonReply report = rotate("k2", kOtherSecret);
    EXPECT_EQ(report.integer("rotated"), 255);
    EXPECT_EQ(report.json().find("failed")->size(), 1U);
    EXPECT_EQ(logs.count(R"("event":"waitpoint_hmac_rotation_complete")"), 1U);
    EXPECT_EQ(logs.count(R"("rotated":255,"failed_count":1)"), 1U);
    EXPECT_EQ(logs.count(R"("event":"waitpoint_hmac_rotation_failed")"), 1U);
    EXPECT_EQ(logs.count(kOtherSecret), 0U);
    const JsonReply trail = world().get("/v1/admin/audit");
    ASSERT_EQ(trail.json().find("events")->size(), 1U) << trail.body;
    EXPECT_NE(trail.body.find(R"("event":"waitpoint_secret.rotate")"), std::string::npos);
    EXPECT_NE(trail.body.find(R"("outcome":"ok")"), std::string::npos);
    EXPECT_EQ(trail.body.find(kOtherSecret), std::string::npos);
    SseClient live(world(), "/v1/admin/audit?after=" + trail.text("next"));
    rotate("bad:kid", kOtherSecret);
    const SseEvent refused = live.next();
    EXPECT_NE(refused.data.find(R"("outcome":"invalid_kid")"), std::string::npos) << refused.data;
    EXPECT_FALSE(refused.id.empty());
}

TEST_P(Ch07Signals, S22_SixtyFourStreamCallsAndNoMore) {
    const Held held = start();
    std::vector<HttpConnection> waiting;
    for (int i = 0; i < 64; ++i) {
        waiting.push_back(world().connect());
        const auto sent = waiting.back().send_raw(
            HttpConnection::encode("GET", held.stream("/tail?block_ms=30000")));
        ASSERT_TRUE(sent.has_value());
    }
    ASSERT_TRUE(wait_until([&] {
        return on_server<std::size_t>(
                   [&] { return world().instance().pools().stream_ops.used(); }) == 64;
    }));
    const JsonReply refused = world().get(held.stream());
    EXPECT_EQ(refused.status, 429);
    EXPECT_NE(refused.text("error").find("stream_ops"), std::string::npos);
    EXPECT_EQ(refused.header("Retry-After"), "1");
    EXPECT_EQ(world()
                  .post("/v1/executions",
                        R"({"namespace":"acme","lane_id":"default","execution_kind":"noop"})")
                  .status,
              201);
}

TEST_P(Ch07Signals, S27_AResumedTaskReadsItsSignals) {
    const Held held = start();
    const JsonReply suspended = suspend(held);
    const std::string payload = R"(,"payload_base64":"AP/DKA==","source_identity":"alice")";
    ASSERT_EQ(
        signal(held, suspended.text("waitpoint_id"), suspended.text("waitpoint_token"), payload)
            .status,
        200);
    const JsonReply claimed =
        world().post("/v1/workers/pool/tasks/claim",
                     R"({"worker_instance_id":"pool-1","lanes":[")" + held.lane + "\"]}");
    ASSERT_EQ(claimed.status, 200) << claimed.body;
    const json::Value task = claimed.json().find("tasks")->element(0);
    EXPECT_EQ(task.find("attempt_type")->as_string(), "resumed");
    EXPECT_EQ(task.find("attempt_index")->as_integer(), 0);
    const JsonReply signals = world().get(held.path("/resume-signals?attempt_index=0"));
    ASSERT_EQ(signals.json().find("signals")->size(), 1U) << signals.body;
    EXPECT_NE(signals.body.find(R"("payload_base64":"AP/DKA==")"), std::string::npos);
    EXPECT_NE(signals.body.find(R"("source_identity":"alice")"), std::string::npos);
    EXPECT_EQ(
        world().get(held.path("/resume-signals?attempt_index=3")).json().find("signals")->size(),
        0U);
    EXPECT_EQ(world().get(held.path("/resume-signals")).status, 400);
}

TEST_P(Ch07Signals, S30_ASuspendThatIsSatisfiedAlreadyKeepsTheLease) {
    const Held held = start();
    const JsonReply waitpoint = pending(held, "one");
    const std::string id = waitpoint.text("waitpoint_id");
    ASSERT_EQ(signal(held, id, waitpoint.text("waitpoint_token")).status, 200);
    const JsonReply suspended = suspend(held, R"(,"waitpoint":{"use_pending":")" + id + "\"}");
    EXPECT_EQ(suspended.text("status"), "already_satisfied") << suspended.body;
    EXPECT_TRUE(suspended.flag("lease_held"));
    EXPECT_EQ(world().post(held.path("/renew"), "{" + held.lease() + "}").text("status"),
              "renewed");
    EXPECT_EQ(world().post(held.path("/complete"), "{" + held.lease() + "}").text("status"),
              "completed");
}

TEST_P(Ch07Signals, AllFormsOfASuspensionAreTaken) {
    const Held held = start();
    const std::string lease = "{" + held.lease();
    for (const std::string more :
         {R"(,"match":"some"})", R"(,"timeout_behavior":"explode"})",
          R"(,"timeout_ms":5,"timeout_at":"+5"})", R"(,"signals":"approved"})",
          R"(,"signals":["a"],"resume_condition":{}})", R"(,"waitpoint":{"use_pending":"x"}})",
          R"(,"resume_condition":"text"})", R"(,"additional_waitpoints":[1]})"}) {
        const JsonReply refused = world().post(held.path("/suspend"), lease + more);
        EXPECT_EQ(refused.status, 400) << more << refused.body;
    }
    EXPECT_EQ(world().post(held.path("/suspend"), "{}").code(), "fence_required");
    EXPECT_EQ(state(held), "active");
    const std::string body =
        lease + R"(,"reason_code":"waiting_for_approval","timeout_ms":60000,)" +
        R"("timeout_behavior":"escalate","idempotency_key":"once",)" +
        R"("resume_condition":{"v":1,"composite":true,"tree":{"kind":"AllOf","members":[)" +
        R"({"kind":"Single","waitpoint_key":"a","matcher":{"kind":"Wildcard"}},)" +
        R"({"kind":"Single","waitpoint_key":"b","matcher":{"kind":"Wildcard"}}]}},)" +
        R"("waitpoint":{"waitpoint_key":"a"},"additional_waitpoints":[{"waitpoint_key":"b"}],)" +
        R"("continuation_metadata_pointer_base64":"AP8="})";
    const JsonReply suspended = world().post(held.path("/suspend"), body);
    ASSERT_EQ(suspended.status, 200) << suspended.body;
    EXPECT_EQ(suspended.text("status"), "suspended");
    EXPECT_EQ(suspended.json().find("additional_waitpoints")->size(), 1U);
    EXPECT_EQ(world().post(held.path("/suspend"), body).body, suspended.body);
    const JsonReply record = world().get(held.path("/suspension"));
    EXPECT_EQ(record.text("timeout_behavior"), "escalate") << record.body;
    EXPECT_EQ(record.json().find("waitpoints")->size(), 2U);
    EXPECT_EQ(record.body.find("waitpoint_token"), std::string::npos);
    const JsonReply resumed = world().post(held.path("/resume"), R"({"actor":"ops"})");
    EXPECT_EQ(resumed.text("status"), "resumed") << resumed.body;
    EXPECT_EQ(world().post(held.path("/resume"), "{}").code(), "execution_not_suspended");
}

TEST_P(Ch07Signals, AnApprovalNeedsNoTokenAndCountsOnce) {
    const Held held = start();
    const JsonReply suspended = suspend(held);
    const std::string body = R"({"waitpoint_id":")" + suspended.text("waitpoint_id") +
                             R"(","signal_name":"approved","actor":"ops"})";
    const JsonReply approved = world().post(held.path("/approve"), body);
    EXPECT_EQ(approved.text("effect"), "resume_condition_satisfied") << approved.body;
    EXPECT_EQ(world().post(held.path("/approve"), body).text("status"), "duplicate");
    const JsonReply signals = world().get(held.path("/signals"));
    EXPECT_EQ(signals.json().find("signals")->size(), 1U) << signals.body;
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Signals, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Stores, Ch03Rotation, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });
INSTANTIATE_TEST_SUITE_P(Stores, Ch04Audit, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
