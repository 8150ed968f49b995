#include "api/signal_world.h"

namespace ff::testing {
namespace {

class Ch03Approvals : public SignalApi {
  protected:
    Held start_in(const std::string& ns) {
        const std::string lane = "l" + std::to_string(++lanes_);
        return claim(lane, create(lane, {}, ns));
    }
    /// Suspends with that question.
    Held ask(std::string_view question, const std::string& ns = "acme") {
        Held held = start_in(ns);
        const JsonReply suspended = suspend(held, R"(,"approval":)" + std::string(question));
        EXPECT_EQ(suspended.status, 200) << suspended.body;
        return held;
    }
    std::string approval_of(const Held& held) {
        const JsonReply listed = world().get(held.path("/pending-waitpoints"));
        const auto approval = listed.json().find("waitpoints")->element(0).find("approval");
        return approval ? approval->to_text() : listed.body;
    }
    /// The prompts of all pages, in order.
    std::vector<std::string> prompts(const std::string& query) {
        std::vector<std::string> found;
        std::string cursor;
        for (int pages = 0; pages < 50; ++pages) {
            const JsonReply page = world().get("/v1/approvals?" + query + "&cursor=" + cursor);
            EXPECT_EQ(page.status, 200) << page.body;
            const json::Value approvals = *page.json().find("approvals");
            for (std::size_t i = 0; i < approvals.size(); ++i) {
                const auto prompt = approvals.element(i).find("approval")->find("prompt");
                found.emplace_back(prompt->as_string().value_or(""));
            }
            const auto next = page.json().find("next_cursor");
            if (!next) return found;
            cursor = next->as_string().value_or("");
        }
        ADD_FAILURE() << "no end";
        return found;
    }

  private:
    int lanes_ = 0;
};

TEST_P(Ch03Approvals, S64_AQuestionIsReadAsItWasAsked) {
    const std::string question =
        R"({"prompt":"Refund 120 EUR?","assignees":["ann","finance"],)"
        R"("form":{"type":"object","properties":{"sum":{"type":"number"}}},)"
        R"("context":"order 42","context_type":"text/plain","due_at":5000000000000})";
    EXPECT_EQ(approval_of(ask(question)), question);
    EXPECT_EQ(approval_of(ask(R"({"context_base64":"AP/DKA=="})")),
              R"({"context_base64":"AP/DKA=="})");
    const Held held = start();
    const JsonReply created = world().post(
        held.path("/waitpoints"),
        "{" + held.lease() + R"(,"expires_in_ms":60000,"approval":{"prompt":"Soon?"}})");
    EXPECT_EQ(created.status, 201) << created.body;
    EXPECT_EQ(approval_of(held), R"({"prompt":"Soon?"})");
}

TEST_P(Ch03Approvals, S67_WhatIsNoQuestionIsRefusedByName) {
    const Held held = start();
    const auto detail = [&](std::string_view question) {
        const JsonReply refused = suspend(held, R"(,"approval":)" + std::string(question));
        EXPECT_EQ(refused.status, 400) << refused.body;
        return refused.body;
    };
    EXPECT_NE(detail(R"({"promt":"x"})").find("promt"), std::string::npos);
    EXPECT_NE(detail(R"({"form":[]})").find("form"), std::string::npos);
    EXPECT_NE(detail(R"({"assignees":[1]})").find("assignees"), std::string::npos);
    EXPECT_NE(detail(R"({"context_type":"plain"})").find("context_type"), std::string::npos);
    EXPECT_NE(detail(R"({"due_at":"soon"})").find("due_at"), std::string::npos);
    EXPECT_NE(detail(R"({"due_at":10000000000000})").find("due_at"), std::string::npos);
}

TEST_P(Ch03Approvals, S68_AllThatWaitsForPeopleIsListedSoonestFirst) {
    ask(R"({"prompt":"never 1"})", "a");
    ask(R"({"prompt":"late","due_at":6000000000000})", "b");
    ask(R"({"prompt":"soon","due_at":5000000000000})", "a");
    ask(R"({"prompt":"soon","due_at":5000000000000})", "b");
    ask(R"({"prompt":"never 2"})", "a");
    const Held answered = ask(R"({"prompt":"answered"})", "a");
    EXPECT_EQ(world().post(answered.path("/resume"), "{}").status, 200);
    suspend(start_in("a"));
    const std::vector<std::string> all{"soon", "soon", "late", "never 1", "never 2"};
    EXPECT_EQ(prompts("limit=1"), all);
    EXPECT_EQ(prompts("limit=200"), all);
    EXPECT_EQ(prompts("limit=2&namespace=a"),
              (std::vector<std::string>{"soon", "never 1", "never 2"}));
    const JsonReply page = world().get("/v1/approvals?namespace=b&limit=1");
    EXPECT_EQ(page.body.find("waitpoint_token"), std::string::npos);
    EXPECT_NE(page.body.find(R"("namespace":"b")"), std::string::npos);
    EXPECT_EQ(world().get("/v1/approvals?cursor=nonsense").code(), "invalid_cursor");
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch03Approvals, ::testing::Values("embedded", "valkey", "cluster"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
