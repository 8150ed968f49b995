#include <future>
#include <set>

#include "api/exec_world.h"
#include "base/clock.h"

namespace ff::testing {
namespace {

std::string all_bytes() {
    std::string bytes;
    for (int i = 0; i < 256; ++i) bytes.push_back(static_cast<char>(i));
    return bytes;
}

class Ch07Work : public ExecApi {
  protected:
    HttpReply octets(std::string_view target, std::string_view body, HttpHeaders headers = {}) {
        headers.emplace_back("Content-Type", "application/octet-stream");
        return world().connect().request("POST", target, headers, body);
    }
    HttpReply fetch(const std::string& target) {
        return world().connect().request("GET", target, {}, {});
    }
    static std::string path(std::string_view id, std::string_view what) {
        return "/v1/executions/" + encode(id) + "/" + std::string(what);
    }
    std::string budget(std::int64_t hard) {
        const JsonReply made = world().post(
            "/v1/budgets", R"({"scope_type":"execution","scope_id":"x","dimensions":["tokens"],)"
                           R"("hard_limits":[)" +
                               std::to_string(hard) + R"(],"soft_limits":[0]})");
        EXPECT_EQ(made.status, 201) << made.body;
        return made.text("budget_id");
    }
};

TEST_P(Ch07Work, S08_BytesComeBackAsTheyWent) {
    const std::string bytes = all_bytes();
    const std::string by_base64 = created_id(R"(,"payload_base64":")" + to_base64(bytes) + "\"");
    const HttpReply created = octets(
        "/v1/executions?namespace=" + own_name() + "&lane_id=" + own_name() + "&execution_kind=k",
        bytes);
    ASSERT_EQ(created.status, 201) << created.body;
    const std::vector<HeldTask> tasks = claimed(R"(,"max_tasks":2)");
    ASSERT_EQ(tasks.size(), 2U);
    for (const HeldTask& task : tasks) {
        EXPECT_NE(task.raw.find(R"("payload_base64":")" + to_base64(bytes)), std::string::npos);
        EXPECT_EQ(fetch(path(task.execution_id, "payload")).body, bytes);
    }
    EXPECT_EQ(fetch(path(by_base64, "result")).status, 404);
    EXPECT_EQ(act(tasks[0], "complete", R"(,"result_base64":")" + to_base64(bytes) + "\"").status,
              200);
    const HttpReply by_octets =
        octets(path(tasks[1].execution_id, "complete"), bytes, {{"FF-Task-Token", tasks[1].token}});
    EXPECT_EQ(by_octets.status, 200) << by_octets.body;
    for (const HeldTask& task : tasks) {
        const HttpReply result = fetch(path(task.execution_id, "result"));
        EXPECT_EQ(result.body, bytes);
        EXPECT_EQ(result.header("Content-Type"), "application/octet-stream");
    }
}

TEST_P(Ch07Work, S08_TextStaysTextAndOneFieldIsGiven) {
    created_id(R"(,"payload":"gr\u00fc\u00dfe")");
    EXPECT_EQ(claim_one().payload,
              "gr\xc3\xbc\xc3\x9f"
              "e");
    EXPECT_EQ(create(R"(,"payload":"a","payload_base64":"YQ==")").status, 400);
    EXPECT_EQ(create(R"(,"payload":7)").status, 400);
    EXPECT_EQ(create(R"(,"payload_base64":"%%%")").status, 400);
    created_id();
    const HeldTask task = claim_one();
    EXPECT_NE(task.raw.find(R"("payload_state":"none")"), std::string::npos);
    EXPECT_EQ(act(task, "complete", R"(,"result":"a","result_base64":"YQ==")").status, 400);
}

TEST_P(Ch07Work, S11_CancelIsRepeatableAndTellsWhoWon) {
    const std::string first = created_id();
    for (int i = 0; i < 2; ++i) {
        const JsonReply reply = act(first, "cancel", R"({"reason":"no longer wanted"})");
        EXPECT_EQ(reply.status, 200) << reply.body;
        EXPECT_EQ(reply.text("status"), "cancelled");
        EXPECT_EQ(reply.text("public_state"), "cancelled");
    }
    EXPECT_EQ(info(first).text("cancellation_reason"), "no longer wanted");
    created_id();
    const HeldTask task = claim_one();
    EXPECT_EQ(act(task, "complete").text("status"), "completed");
    const JsonReply late = act(task.execution_id, "cancel", "{}");
    EXPECT_EQ(late.status, 409);
    EXPECT_EQ(late.code(), "execution_not_active");
    EXPECT_EQ(late.json().find("detail")->element(0).as_string(), "success");
    EXPECT_EQ(act("{fp:1}:11111111-2222-4333-8444-555555555555", "cancel", "{}").status, 404);
}

TEST_P(Ch07Work, S16_ARevokedLeaseIsNamed) {
    const std::string id = created_id();
    EXPECT_EQ(act(id, "revoke-lease", "{}").status, 404);
    EXPECT_EQ(act(id, "revoke-lease", "{}").code(), "no_active_lease");
    const HeldTask task = claim_one();
    const JsonReply stale =
        act(id, "revoke-lease", R"({"expected_lease_id":"11111111-2222-4333-8444-555555555555"})");
    EXPECT_EQ(stale.code(), "stale_lease");
    const JsonReply revoked = act(id, "revoke-lease", R"({"reason":"drain"})");
    EXPECT_EQ(revoked.status, 200) << revoked.body;
    EXPECT_EQ(revoked.text("status"), "revoked");
    EXPECT_EQ(revoked.text("lease_id"), task.lease_id);
    EXPECT_EQ(revoked.integer("lease_epoch"), task.lease_epoch);
    EXPECT_EQ(act(id, "revoke-lease", "{}").text("status"), "already_satisfied");
    EXPECT_EQ(act(task, "renew").code(), "lease_revoked");
    const HeldTask second = claim_one("", "w2");
    EXPECT_EQ(second.attempt_type, "reclaim");
    EXPECT_EQ(act(second, "complete").status, 200);
    EXPECT_EQ(act(id, "revoke-lease", "{}").code(), "no_active_lease");
}

TEST_P(Ch07Work, S17_AnExhaustedBudgetHoldsWorkBack) {
    const std::string budget_id = budget(10);
    ASSERT_EQ(world()
                  .post("/v1/budgets/" + budget_id + "/usage", R"({"dimensions":{"tokens":10}})")
                  .text("status"),
              "ok");
    const std::string id = created_id(R"(,"policy":{"budget_ids":[")" + budget_id + "\"]}");
    EXPECT_EQ(claim().status, 204);
    EXPECT_EQ(state(id), "rate_limited");
    const JsonReply why = world().get(path(id, "explain"));
    EXPECT_NE(why.text("summary").find("a budget is exhausted"), std::string::npos) << why.body;
    EXPECT_NE(why.body.find(R"("exhausted":true)"), std::string::npos) << why.body;
    ASSERT_EQ(world().post("/v1/budgets/" + budget_id + "/reset", "{}").status, 200);
    EXPECT_EQ(claim_one().execution_id, id);
}

TEST_P(Ch07Work, S12_DelayedWorkOfALaneNobodyConfiguredIsPromoted) {
    const std::string id = created_id(R"(,"delay_until":"+300")");
    EXPECT_EQ(state(id), "delayed");
    EXPECT_EQ(claim_one().execution_id, id);
}

/// The promise is about the server, not about a machine that runs all tests at once: every try must
/// end with the task, and of a few one must show how fast the way is.
TEST_P(Ch07Work, S23_AWaitingClaimIsWokenByNewWork) {
    using Steady = std::chrono::steady_clock;
    Steady::duration fastest = std::chrono::hours(1);
    for (int i = 0; i < 10 && fastest >= Millis(100); ++i) {
        auto waiting = std::async(std::launch::async, [this] {
            const JsonReply reply = claim(R"(,"wait_ms":20000)");
            return std::pair(reply.status, Steady::now());
        });
        ASSERT_TRUE(wait_until([this] {
            std::size_t count = 0;
            world().on_loop([&] { count = world().services().claimer.waiting(); });
            return count > 0;
        }));
        const auto before = Steady::now();
        created_id();
        const auto [status, at] = waiting.get();
        ASSERT_EQ(status, 200);
        fastest = std::min(fastest, at - before);
    }
    EXPECT_LT(fastest, Millis(100));
}

TEST_P(Ch07Work, S24_NobodyGetsWhatAnotherHas) {
    for (int i = 0; i < 10; ++i) created_id();
    std::set<std::string> seen;
    for (const HeldTask& task : claimed(R"(,"max_tasks":4)")) seen.insert(task.execution_id);
    EXPECT_EQ(seen.size(), 4U);
    auto other =
        std::async(std::launch::async, [this] { return claimed(R"(,"max_tasks":256)", "w2"); });
    std::vector<HeldTask> rest = claimed(R"(,"max_tasks":256)", "w3");
    for (const HeldTask& task : other.get()) rest.push_back(task);
    EXPECT_EQ(rest.size(), 6U);
    for (const HeldTask& task : rest) EXPECT_TRUE(seen.insert(task.execution_id).second);
}

TEST_P(Ch07Work, S25_ALostClaimIsRepeatedByItsId) {
    for (int i = 0; i < 5; ++i) created_id();
    const std::vector<HeldTask> first =
        claimed(R"(,"max_tasks":3,"claim_id":"c-1","first_try":true)");
    ASSERT_EQ(first.size(), 3U);
    const std::vector<HeldTask> again = claimed(R"(,"max_tasks":3,"claim_id":"c-1")");
    std::set<std::string> leases;
    for (const HeldTask& task : first) leases.insert(task.lease_id);
    ASSERT_EQ(again.size(), 3U);
    for (const HeldTask& task : again) EXPECT_TRUE(leases.contains(task.lease_id));
    const JsonReply held =
        world().get("/v1/workers/w1/instances/" + encode(own_name("-w1")) + "/leases");
    ASSERT_EQ(held.status, 200) << held.body;
    const json::Value listed = *held.json().find("leases");
    EXPECT_EQ(listed.size(), 3U);
    for (std::size_t i = 0; i < listed.size(); ++i) {
        const json::Value lease = listed.element(i);
        EXPECT_TRUE(leases.contains(std::string(*lease.find("lease_id")->as_string())));
        const HeldTask task{.execution_id = std::string(*lease.find("execution_id")->as_string()),
                            .token = std::string(*lease.find("task_token")->as_string())};
        EXPECT_EQ(act(task, "complete").status, 200);
    }
    EXPECT_EQ(claimed(R"(,"max_tasks":9,"claim_id":"c-1")").size(), 0U);
    EXPECT_EQ(claimed(R"(,"max_tasks":9,"claim_id":"c-2")").size(), 2U);
}

TEST_P(Ch07Work, S26_ALostWorkersTaskIsReclaimed) {
    const std::string id = created_id();
    const HeldTask first = claim_one(R"(,"lease_ttl_ms":1000)");
    HeldTask second;
    ASSERT_TRUE(wait_until([&] {
        const std::vector<HeldTask> tasks = claimed("", "w2");
        if (tasks.empty()) return false;
        second = tasks.front();
        return true;
    }));
    EXPECT_EQ(second.execution_id, id);
    EXPECT_EQ(second.attempt_type, "reclaim");
    EXPECT_GT(second.lease_epoch, first.lease_epoch);
    const JsonReply late = act(first, "complete");
    EXPECT_EQ(late.status, 409);
    EXPECT_TRUE(late.code() == "stale_lease" || late.code() == "execution_not_active") << late.body;
    EXPECT_EQ(act(second, "complete").status, 200);
}

TEST_P(Ch07Work, S28_ARepeatedCompleteIsItsOwnSuccess) {
    created_id();
    const HeldTask task = claim_one();
    EXPECT_FALSE(act(task, "complete", R"(,"result":"1")").flag("replayed"));
    const JsonReply again = act(task, "complete", R"(,"result":"1")");
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_TRUE(again.flag("replayed"));
    created_id();
    const HeldTask other = claim_one();
    ASSERT_EQ(act(other.execution_id, "cancel", "{}").status, 200);
    const JsonReply lost = act(other, "complete");
    EXPECT_EQ(lost.status, 409);
    EXPECT_EQ(lost.json().find("detail")->element(0).as_string(), "cancelled");
}

TEST_P(Ch07Work, S29_ARepeatedFailureTellsTheRetryAgain) {
    created_id(
        R"(,"policy":{"retry_policy":{"max_retries":2,"backoff":{"type":"fixed","delay_ms":60000}}})");
    const HeldTask task = claim_one();
    const JsonReply failed = act(task, "fail", R"(,"reason":"boom","category":"io")");
    ASSERT_EQ(failed.text("status"), "retry_scheduled") << failed.body;
    EXPECT_EQ(failed.integer("next_attempt_index"), 1);
    const JsonReply again = act(task, "fail", R"(,"reason":"boom","category":"io")");
    EXPECT_EQ(again.text("status"), "retry_scheduled");
    EXPECT_TRUE(again.flag("replayed"));
    EXPECT_EQ(again.integer("delay_until"), failed.integer("delay_until"));
    EXPECT_EQ(again.integer("next_attempt_index"), 1);
    created_id();
    const HeldTask last = claim_one();
    const JsonReply ended = act(last, "fail", R"(,"reason":"no","category":"x","no_retry":true)");
    EXPECT_EQ(ended.text("status"), "terminal_failed");
    EXPECT_EQ(info(last.execution_id).text("failure_category"), "x");
}

TEST_P(Ch07Work, S31_ManyLeasesAreRenewedAtOnce) {
    created_id();
    created_id();
    const std::vector<HeldTask> tasks = claimed(R"(,"max_tasks":2)");
    ASSERT_EQ(tasks.size(), 2U);
    HeldTask stale = tasks[1];
    stale.lease_epoch += 1;
    const std::string unknown = "{fp:1}:11111111-2222-4333-8444-555555555555";
    const std::string body = R"({"leases":[{"execution_id":")" + tasks[0].execution_id +
                             R"(","task_token":")" + tasks[0].token + R"("},{"execution_id":")" +
                             stale.execution_id + "\"," + stale.lease() + R"(},{"execution_id":")" +
                             unknown + "\"," + stale.lease() + R"(},{"execution_id":"{fp:1}:x"}]})";
    const JsonReply reply = world().post("/v1/workers/w1/leases/renew", body);
    ASSERT_EQ(reply.status, 200) << reply.body;
    const json::Value results = *reply.json().find("results");
    ASSERT_EQ(results.size(), 4U);
    EXPECT_EQ(results.element(0).find("status")->as_string(), "renewed");
    EXPECT_TRUE(results.element(0).find("lease_expires_at")->as_integer());
    EXPECT_EQ(results.element(1).find("code")->as_string(), "stale_lease");
    EXPECT_EQ(results.element(2).find("code")->as_string(), "execution_not_found");
    EXPECT_EQ(results.element(3).find("code")->as_string(), "invalid_input");
}

TEST_P(Ch07Work, S32_ATokenThatDoesNotFitIsRefused) {
    created_id();
    created_id();
    const std::vector<HeldTask> tasks = claimed(R"(,"max_tasks":2)");
    ASSERT_EQ(tasks.size(), 2U);
    HeldTask bad = tasks[0];
    bad.token = tasks[0].token.substr(0, tasks[0].token.size() - 4);
    EXPECT_EQ(act(bad, "complete").status, 400);
    bad.token = "B" + tasks[0].token.substr(1);
    EXPECT_EQ(act(bad, "complete").status, 400);
    bad.token = tasks[1].token;
    EXPECT_EQ(act(bad, "complete").status, 400);
    EXPECT_EQ(act(tasks[0], "complete", "," + tasks[1].lease()).status, 400);
    const JsonReply none = act(tasks[0].execution_id, "complete", "{}");
    EXPECT_EQ(none.status, 400);
    EXPECT_EQ(none.code(), "fence_required");
    EXPECT_EQ(act(tasks[0].execution_id, "renew",
                  R"({"lease":{"lease_id":")" + tasks[0].lease_id + "\"}}")
                  .code(),
              "partial_fence_triple");
    EXPECT_EQ(act(tasks[0], "renew", R"(,"execution_id":"{fp:1}:x")").status, 400);
    EXPECT_EQ(act(tasks[0], "renew").text("status"), "renewed");
    EXPECT_EQ(act(tasks[0].execution_id, "renew", "{" + tasks[0].lease() + "}").status, 200);
}

TEST_P(Ch07Work, S33_ADepartedClientLeavesNothingLeased) {
    {
        HttpConnection connection = world().connect();
        const std::string body =
            R"({"worker_instance_id":"gone","lanes":[")" + own_name() + R"("],"wait_ms":30000})";
        const Result<Done> sent = connection.send_raw(
            "POST /v1/workers/w1/tasks/claim HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
            "application/json\r\nContent-Length: " +
            std::to_string(body.size()) + "\r\n\r\n" + body);
        ASSERT_TRUE(sent);
        ASSERT_TRUE(wait_until([this] {
            std::size_t count = 0;
            world().on_loop([&] { count = world().services().claimer.waiting(); });
            return count == 1;
        }));
    }
    ASSERT_TRUE(wait_until([this] {
        std::size_t count = 1;
        world().on_loop([&] { count = world().services().claimer.waiting(); });
        return count == 0;
    }));
    const std::string id = created_id();
    EXPECT_EQ(state(id), "waiting");
    EXPECT_EQ(claim_one().execution_id, id);
}

TEST_P(Ch07Work, S34_UsageReachesEveryBudgetOnce) {
    const std::string first = budget(1000);
    const std::string second = budget(50);
    created_id(R"(,"policy":{"budget_ids":[")" + first + "\",\"" + second + "\"]}");
    const HeldTask task = claim_one();
    const std::string report =
        R"(,"dimensions":{"tokens":20},"dedup_key":")" + own_name("d") + "\"";
    for (const std::string expected : {"ok", "already_applied"}) {
        const JsonReply reply = act(task, "usage", report);
        ASSERT_EQ(reply.status, 200) << reply.body;
        const json::Value results = *reply.json().find("results");
        ASSERT_EQ(results.size(), 2U);
        EXPECT_EQ(results.element(0).find("status")->as_string(), expected);
        EXPECT_EQ(results.element(1).find("status")->as_string(), expected);
    }
    const JsonReply attempts = world().get(path(task.execution_id, "attempts"));
    EXPECT_NE(attempts.body.find(R"("usage.tokens":"20")"), std::string::npos) << attempts.body;
    const JsonReply breach =
        act(task, "usage", R"(,"dimensions":{"tokens":40},"budget_id":")" + second + "\"");
    EXPECT_NE(breach.body.find("hard_breach"), std::string::npos) << breach.body;
    EXPECT_EQ(act(task, "usage", R"(,"dimensions":{"tokens":-1})").status, 400);
    EXPECT_EQ(act(task, "usage").status, 400);
    ASSERT_EQ(act(task, "complete").status, 200);
    const JsonReply late = act(task, "usage", report);
    EXPECT_EQ(late.status, 200) << late.body;
    EXPECT_NE(late.body.find("already_applied"), std::string::npos) << late.body;
    EXPECT_EQ(act(task, "usage", R"(,"dimensions":{"tokens":20},"dedup_key":"unknown")").status,
              409);
}

TEST_P(Ch07Work, CompletionsComeBeforeTheClaim) {
    for (int i = 0; i < 4; ++i) created_id(R"(,"payload":")" + std::to_string(i) + "\"");
    const std::vector<HeldTask> tasks = claimed(R"(,"max_tasks":2)");
    ASSERT_EQ(tasks.size(), 2U);
    std::string completions = R"(,"max_tasks":5,"completions":[)";
    for (const HeldTask& task : tasks) {
        completions += R"({"execution_id":")" + task.execution_id + R"(","task_token":")" +
                       task.token + R"(","result":"done"},)";
    }
    completions += R"({"execution_id":"{fp:1}:11111111-2222-4333-8444-555555555555",)" +
                   tasks[0].lease() + "}]";
    const JsonReply reply = claim(completions);
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(read_tasks(reply).size(), 2U);
    const json::Value results = *reply.json().find("results");
    ASSERT_EQ(results.size(), 3U);
    EXPECT_EQ(results.element(1).find("status")->as_string(), "completed");
    EXPECT_EQ(results.element(2).find("code")->as_string(), "execution_not_found");
    EXPECT_EQ(fetch(path(tasks[1].execution_id, "result")).body, "done");
    const JsonReply only =
        claim(R"(,"max_tasks":0,"completions":[{"execution_id":")" + tasks[0].execution_id +
              R"(","task_token":")" + tasks[0].token + "\"}]");
    EXPECT_EQ(only.status, 200);
    EXPECT_TRUE(*only.json().find("results")->element(0).find("replayed")->as_bool());
    EXPECT_EQ(claim(R"(,"max_tasks":0)").status, 400);
}

TEST_P(Ch07Work, ATaskThatWasNotBegunIsNewToTheNextWorker) {
    const std::string id = created_id();
    const HeldTask first = claim_one();
    EXPECT_EQ(act(first, "release", R"(,"unbegun":"yes")").status, 400);
    EXPECT_EQ(act(first, "release", R"(,"unbegun":true)").text("status"), "released");
    EXPECT_EQ(state(id), "waiting");
    const HeldTask second = claim_one();
    EXPECT_EQ(second.attempt_type, "initial");
    EXPECT_EQ(second.attempt_index, first.attempt_index);
}

TEST_P(Ch07Work, DelayReleaseAndProgressKeepTheAttempt) {
    const std::string id = created_id();
    const HeldTask first = claim_one();
    EXPECT_EQ(act(first, "progress", R"(,"pct":40,"message":"half way")").text("status"),
              "updated");
    EXPECT_EQ(info(id).integer("progress_pct"), 40);
    EXPECT_EQ(act(first, "progress", R"(,"pct":101)").status, 400);
    EXPECT_EQ(act(first, "release").text("status"), "released");
    const HeldTask second = claim_one();
    EXPECT_EQ(second.attempt_type, "resumed");
    EXPECT_EQ(second.attempt_index, first.attempt_index);
    const JsonReply delayed = act(second, "delay", R"(,"delay_ms":60000)");
    EXPECT_EQ(delayed.text("status"), "delayed");
    EXPECT_EQ(state(id), "delayed");
    const JsonReply again = act(second, "delay", R"(,"delay_ms":60000)");
    EXPECT_TRUE(again.flag("replayed"));
    EXPECT_EQ(again.integer("delay_until"), delayed.integer("delay_until"));
    EXPECT_EQ(act(second, "delay").status, 400);
    created_id();
    EXPECT_EQ(act(claim_one(), "wait-children").text("status"), "eligible");
}

TEST_P(Ch07Work, PayloadsThatDoNotFitAreLeftOut) {
    const std::string big(3000, 'x');
    for (int i = 0; i < 3; ++i) created_id(R"(,"payload":")" + big + "\"");
    const std::vector<HeldTask> tasks = claimed(R"(,"max_tasks":3,"max_payload_bytes":4000)");
    ASSERT_EQ(tasks.size(), 3U);
    EXPECT_EQ(tasks[0].payload, big);
    EXPECT_NE(tasks[1].raw.find(R"("payload_state":"omitted")"), std::string::npos);
    EXPECT_EQ(fetch(path(tasks[1].execution_id, "payload")).body, big);
    for (const HeldTask& task : tasks) act(task, "release");
    for (const HeldTask& task :
         claimed(R"(,"max_tasks":3,"include_payload":false,"wait_ms":9000)")) {
        EXPECT_EQ(task.payload, "");
    }
}

TEST_P(Ch07Work, AGrantNamesWhatAWorkerMayTakeItself) {
    const std::string id = created_id();
    const std::string body =
        R"({"lane_id":")" + own_name() + R"(","worker_instance_id":"g-1","capabilities":["gpu"]})";
    const JsonReply grant = world().post("/v1/workers/direct/claim", body);
    ASSERT_EQ(grant.status, 200) << grant.body;
    EXPECT_EQ(grant.text("execution_id"), id);
    EXPECT_EQ(grant.text("kind"), "claim");
    EXPECT_EQ(world().command({"EXISTS", grant.text("grant_key")}).to_integer(), 1);
    EXPECT_EQ(world().post("/v1/workers/direct/claim", body).status, 204);
    EXPECT_EQ(world().post("/v1/workers/direct/claim", R"({"lane_id":"x"})").status, 400);
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Work, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
