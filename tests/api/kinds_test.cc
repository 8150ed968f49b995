// Claims that ask for kinds (spec 06, section 7.1), as workers see them.
#include <future>
#include <set>

#include "api/exec_world.h"

namespace ff::testing {
namespace {

class Ch07Kinds : public ExecApi {
  protected:
    std::string create_kind(const std::string& kind) { return create_many(kind, 1).front(); }
    std::vector<std::string> create_many(const std::string& kind, int count) {
        std::string body = R"({"executions":[)";
        for (int i = 0; i < count; ++i) {
            body += std::string(i == 0 ? "" : ",") + R"({"execution_kind":")" + kind +
                    R"(","lane_id":")" + own_name() + R"(","namespace":")" + own_name() + "\"}";
        }
        const JsonReply made = world().post("/v1/executions/batch", body + "]}");
        const json::Value results = *made.json().find("results");
        std::vector<std::string> ids;
        for (std::size_t i = 0; i < results.size(); ++i)
            ids.emplace_back(*results.element(i).find("execution_id")->as_string());
        return ids;
    }
    std::string only(const std::vector<HeldTask>& tasks) {
        EXPECT_EQ(tasks.size(), 1U);
        return tasks.empty() ? std::string() : tasks.front().execution_id;
    }
};

TEST_P(Ch07Kinds, S70_AClaimGetsWhatItAsksForWhateverStandsInFront) {
    // More than one call sorts.
    constexpr int kAtATime = 700;
    for (int i = 0; i < 4; ++i) create_many("other", kAtATime);
    const std::string mail = create_kind("mail");
    const std::string bill = create_kind("bill");
    EXPECT_EQ(only(claimed(R"(,"kinds":["mail"],"max_tasks":10)")), mail);
    EXPECT_TRUE(claimed(R"(,"kinds":["mail"],"max_tasks":10)").empty());
    EXPECT_EQ(only(claimed(R"(,"kinds":["bill","mail"],"claim_id":"c1")")), bill);
    EXPECT_EQ(only(claimed(R"(,"kinds":["bill","mail"],"claim_id":"c1")")), bill) << "repeated";
    const std::vector<HeldTask> rest = claimed(R"(,"max_tasks":2)");
    EXPECT_EQ(rest.size(), 2U) << "no kinds: any";
}

TEST_P(Ch07Kinds, S70_ACompletionBringsTheNextOfItsKinds) {
    const std::string first = create_kind("mail");
    create_kind("other");
    const std::string second = create_kind("mail");
    const HeldTask task = claim_one(R"(,"kinds":["mail"])");
    EXPECT_EQ(task.execution_id, first);
    const JsonReply reply =
        claim(R"(,"kinds":["mail"],"max_tasks":5,"completions":[{"execution_id":")" +
              task.execution_id + R"(","task_token":")" + task.token + "\"}]");
    ASSERT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(only(read_tasks(reply)), second);
}

TEST_P(Ch07Kinds, S70_AWaitingClaimIsToldOfItsKindsOnly) {
    auto waiting = std::async(std::launch::async,
                              [this] { return claimed(R"(,"kinds":["mail"],"wait_ms":20000)"); });
    auto any =
        std::async(std::launch::async, [this] { return claimed(R"(,"wait_ms":20000)", "w2"); });
    ASSERT_TRUE(wait_until([this] {
        std::size_t count = 0;
        world().on_loop([&] { count = world().services().claimer.waiting(); });
        return count > 1;
    }));
    const auto before = std::chrono::steady_clock::now();
    const std::string other = create_kind("other");
    EXPECT_EQ(only(any.get()), other);
    const std::string mail = create_kind("mail");
    EXPECT_EQ(only(waiting.get()), mail);
    // Not by the sweep that makes up for lost messages, and not at the end of the wait.
    EXPECT_LT(std::chrono::steady_clock::now() - before, Millis(10'000));
}

TEST_P(Ch07Kinds, Repair_22_EachWaitingClaimIsToldOfItsOwnWorkLongestWaitingFirst) {
    const auto waiting = [this] {
        std::size_t count = 0;
        world().on_loop([&] { count = world().services().claimer.waiting(); });
        return count;
    };
    const auto wait_for = [&](std::string kinds, std::string worker) {
        const std::size_t before = waiting();
        auto found = std::async(std::launch::async, [this, kinds, worker] {
            return claimed(kinds + R"(,"wait_ms":20000)", worker);
        });
        EXPECT_TRUE(wait_until([&] { return waiting() == before + 1; }));
        return found;
    };
    auto mail = wait_for(R"(,"kinds":["mail"])", "w1");
    auto bill = wait_for(R"(,"kinds":["bill"])", "w2");
    auto more = wait_for(R"(,"kinds":["bill"])", "w3");
    for (int i = 0; i < 20; ++i) create_kind("other");
    const std::string first = create_kind("bill");
    EXPECT_EQ(only(bill.get()), first);
    const std::string second = create_kind("bill");
    EXPECT_EQ(only(more.get()), second);
    const std::string third = create_kind("mail");
    EXPECT_EQ(only(mail.get()), third);
}

TEST_P(Ch07Kinds, Repair_22_WorkInAnyPartitionIsToldToAWaitingClaim) {
    for (const std::string partition : {"3", "200"}) {
        auto waiting = std::async(
            std::launch::async, [this] { return claimed(R"(,"kinds":["mail"],"wait_ms":20000)"); });
        ASSERT_TRUE(wait_until([this] {
            std::size_t count = 0;
            world().on_loop([&] { count = world().services().claimer.waiting(); });
            return count == 1;
        }));
        const auto before = std::chrono::steady_clock::now();
        const JsonReply made =
            world().post("/v1/executions", R"({"execution_kind":"mail","lane_id":")" + own_name() +
                                               R"(","namespace":")" + own_name() +
                                               R"(","partition_id":)" + partition + "}");
        EXPECT_EQ(only(waiting.get()), made.text("execution_id"));
        EXPECT_LT(std::chrono::steady_clock::now() - before, Millis(10'000));
    }
}

TEST_P(Ch07Kinds, S70_WhatIsNoListOfKindsIsRefusedByName) {
    std::string many = "\"k0\"";
    for (int i = 1; i <= 64; ++i) many += ",\"k" + std::to_string(i) + "\"";
    for (const std::string& kinds :
         {std::string("[]"), std::string(R"(["a","a"])"), std::string(R"([""])"),
          std::string(R"("a")"), std::string(R"([1])"), std::string(R"(["a\nb"])"),
          "[\"" + std::string(257, 'k') + "\"]", "[" + many + "]"}) {
        const JsonReply refused = claim(R"(,"kinds":)" + kinds);
        EXPECT_EQ(refused.status, 400) << kinds;
        EXPECT_NE(refused.body.find("kinds"), std::string::npos) << refused.body;
    }
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Kinds, ::testing::Values("embedded", "valkey", "cluster"));

}  // namespace
}  // namespace ff::testing
