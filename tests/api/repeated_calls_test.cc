#include "api/exec_world.h"

namespace ff::testing {
namespace {

std::string without_replayed(std::string body) {
    for (const std::string_view mark : {R"("replayed":true)", R"("replayed":false)"}) {
        if (const auto at = body.find(mark); at != std::string::npos) body.erase(at, mark.size());
    }
    return body;
}

/// Calls of a worker that are sent again because their answer was lost.
class Ch07Repeated : public ExecApi {
  protected:
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

TEST_P(Ch07Repeated, S62_EveryCallThatEndsALeaseGivesItsFirstAnswerAgain) {
    struct Ending {
        std::string route;
        std::string body;
    };
    const std::string retries =
        R"(,"policy":{"retry_policy":{"max_retries":3,"backoff":{"type":"fixed","delay_ms":0}}})";
    for (const Ending& ending : std::vector<Ending>{{"delay", R"(,"delay_ms":0)"},
                                                    {"release", ""},
                                                    {"release", R"(,"unbegun":true)"},
                                                    {"wait-children", ""},
                                                    {"fail", R"(,"reason":"boom")"}}) {
        SCOPED_TRACE(ending.route + ending.body);
        const std::string id = created_id(retries);
        const HeldTask task = claim_one();
        const JsonReply first = act(task, ending.route, ending.body);
        ASSERT_EQ(first.status, 200) << first.body;
        const auto expect_first_answer = [&] {
            const JsonReply again = act(task, ending.route, ending.body);
            EXPECT_EQ(again.status, 200) << again.body;
            EXPECT_EQ(without_replayed(again.body), without_replayed(first.body));
        };
        expect_first_answer();
        // Another worker has it by now: the refusal would speak of that lease.
        HeldTask next;
        ASSERT_TRUE(wait_until([&] {
            const std::vector<HeldTask> tasks = claimed();
            if (tasks.empty()) return false;
            next = tasks.front();
            return true;
        }));
        expect_first_answer();
        EXPECT_EQ(act(task, "complete").status, 409);
        EXPECT_EQ(act(next, "complete").status, 200);
        EXPECT_EQ(state(id), "completed");
        // What the other worker did is no answer to this one.
        EXPECT_EQ(act(task, ending.route, ending.body).status, 409);
    }
}

TEST_P(Ch07Repeated, S62_ARepeatedFinalFailureTellsWhyAgain) {
    created_id();
    const HeldTask task = claim_one();
    const JsonReply first = act(task, "fail", R"(,"reason":"boom")");
    ASSERT_EQ(first.text("why"), "no_policy") << first.body;
    const JsonReply again = act(task, "fail", R"(,"reason":"boom")");
    EXPECT_EQ(again.text("why"), "no_policy") << again.body;
    EXPECT_TRUE(again.flag("replayed"));
}

TEST_P(Ch07Repeated, S62_ARepeatedSuspendHandsOutItsTokenAgain) {
    created_id();
    const HeldTask task = claim_one();
    const JsonReply first = act(task, "suspend", R"(,"reason_code":"r","signals":["go"])");
    ASSERT_EQ(first.text("status"), "suspended") << first.body;
    const JsonReply again = act(task, "suspend", R"(,"reason_code":"r","signals":["go"])");
    ASSERT_EQ(again.status, 200) << again.body;
    EXPECT_EQ(again.text("status"), "suspended");
    EXPECT_TRUE(again.flag("replayed"));
    for (const std::string field :
         {"suspension_id", "waitpoint_id", "waitpoint_key", "waitpoint_token"}) {
        EXPECT_EQ(again.text(field), first.text(field)) << field;
    }
}

TEST_P(Ch07Repeated, S63_UsageThatWasCountedIsSaidSoAfterTheLease) {
    const std::string charged = budget(1000);
    const std::string with_budget = R"(,"policy":{"budget_ids":[")" + charged + "\"]}";
    for (const std::string& more : {std::string(), with_budget}) {
        created_id(more);
        const HeldTask task = claim_one();
        const std::string key = own_name(more.empty() ? "n" : "b");
        const auto report = [&](const std::string& id) {
            return act(task, "usage",
                       R"(,"dimensions":{"tokens":20},"dedup_key":")" + key + id + "\"");
        };
        const JsonReply first = report("1");
        ASSERT_EQ(first.status, 200) << first.body;
        EXPECT_EQ(report("1").status, 200);
        ASSERT_EQ(act(task.execution_id, "revoke-lease", "{}").status, 200);
        const JsonReply late = report("1");
        ASSERT_EQ(late.status, 200) << late.body;
        const json::Value results = *late.json().find("results");
        ASSERT_EQ(results.size(), more.empty() ? 0U : 1U);
        if (!more.empty()) {
            EXPECT_EQ(results.element(0).find("status")->as_string(), "already_applied");
        }
        EXPECT_EQ(report("2").status, 409);
        const JsonReply attempts = world().get(path(task.execution_id, "attempts"));
        EXPECT_NE(attempts.body.find(R"("usage.tokens":"20")"), std::string::npos) << attempts.body;
        ASSERT_EQ(act(task.execution_id, "cancel", "{}").status, 200);
    }
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Repeated, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
