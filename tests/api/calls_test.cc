#include "api/exec_world.h"

namespace ff::testing {
namespace {

class Ch07Calls : public ExecApi {
  protected:
    /// Two children in a lane of their own.
    JsonReply call(const HeldTask& task, std::string_view more = "") {
        const std::string lane = R"(","lane_id":")" + own_name("kids") + "\"";
        return act(task, "call-children",
                   R"(,"children":[{"execution_kind":"work","name":"a)" + lane +
                       R"(,"payload":"in-a","tags":{"app.part":"a"},"priority":3},)" +
                       R"({"execution_kind":"work","name":"b)" + lane +
                       R"(,"payload_base64":"//79"}])" + std::string(more));
    }
    HeldTask claim_child() {
        const JsonReply reply =
            world().post("/v1/workers/w2/tasks/claim",
                         R"({"worker_instance_id":"w2-1","wait_ms":9000,"lanes":[")" +
                             own_name("kids") + R"("]})");
        const std::vector<HeldTask> tasks = read_tasks(reply);
        EXPECT_EQ(tasks.size(), 1U) << reply.body;
        return tasks.empty() ? HeldTask{} : tasks.front();
    }
};

TEST_P(Ch07Calls, S65_AParentGetsWhatItsChildrenMade) {
    created_id();
    const HeldTask parent = claim_one();
    EXPECT_NE(parent.raw.find(R"("children_state":"none")"), std::string::npos);
    const JsonReply called = call(parent, R"(,"steps":[{"name":"s","value":"1"}])");
    ASSERT_EQ(called.status, 200) << called.body;
    EXPECT_EQ(called.text("status"), "moved");
    EXPECT_EQ(called.text("public_state"), "waiting_children");
    EXPECT_FALSE(called.flag("replayed"));
    EXPECT_EQ(called.json().find("children")->element(1).find("name")->as_string(), "b");
    const JsonReply again = call(parent);
    EXPECT_EQ(again.status, 200) << again.body;
    EXPECT_TRUE(again.flag("replayed"));
    const HeldTask first = claim_child();
    const HeldTask second = claim_child();
    EXPECT_EQ(info(first.execution_id).text("namespace"), own_name());
    EXPECT_EQ(act(first, "complete", R"(,"result":"{}","result_encoding":"json")").status, 200);
    EXPECT_EQ(state(parent.execution_id), "waiting_children");
    EXPECT_EQ(act(second, "complete").status, 200);
    const HeldTask back = claim_one();
    EXPECT_EQ(back.execution_id, parent.execution_id);
    EXPECT_EQ(back.attempt_type, "resumed");
    EXPECT_NE(back.raw.find(R"("steps_state":"inline")"), std::string::npos);
    EXPECT_NE(back.raw.find(R"("children_state":"inline","children":[{"name":"a")"),
              std::string::npos)
        << back.raw;
    EXPECT_NE(back.raw.find(R"("outcome":"success","result":"{}","result_encoding":"json")"),
              std::string::npos)
        << back.raw;
    const JsonReply page =
        world().get("/v1/executions/" + encode(parent.execution_id) + "/children?limit=1");
    EXPECT_EQ(page.status, 200) << page.body;
    EXPECT_EQ(page.json().find("children")->size(), 1U);
    EXPECT_EQ(page.text("next_cursor"), "1");
    EXPECT_EQ(info(first.execution_id).text("called_by"), parent.execution_id);
    EXPECT_EQ(info(first.execution_id).text("called_as"), "a");
    EXPECT_FALSE(info(parent.execution_id).has("called_by"));
    EXPECT_EQ(call(back).text("status"), "eligible");
}

TEST_P(Ch07Calls, S65_ChildrenStandInListingsAndEndWithTheirParent) {
    created_id();
    const HeldTask parent = claim_one();
    ASSERT_EQ(call(parent).status, 200);
    const auto listed = [&] {
        const JsonReply reply = world().get("/v1/executions?namespace=" + own_name());
        return reply.json().find("executions")->size();
    };
    EXPECT_TRUE(wait_until([&] { return listed() == 3; }));
    EXPECT_EQ(world().get("/v1/executions?lane=" + own_name("kids")).integer("total_returned"), 2);
    EXPECT_EQ(act(parent.execution_id, "cancel", "{}").status, 200);
    const JsonReply children =
        world().get("/v1/executions/" + encode(parent.execution_id) + "/children");
    for (std::size_t i = 0; i < 2; ++i) {
        EXPECT_EQ(children.json().find("children")->element(i).find("outcome")->as_string(),
                  "cancelled");
    }
}

TEST_P(Ch07Calls, S65_AFailedChildFailsItsParent) {
    created_id();
    const HeldTask parent = claim_one();
    ASSERT_EQ(call(parent).status, 200);
    EXPECT_EQ(act(claim_child(), "fail", R"(,"reason":"boom","category":"x")").status, 200);
    EXPECT_EQ(info(parent.execution_id).text("failure_category"), "child_failed");
    EXPECT_EQ(state(parent.execution_id), "failed");
}

TEST_P(Ch07Calls, S65_WhatIsWrongIsRefusedByName) {
    created_id();
    const HeldTask task = claim_one();
    for (const std::string body :
         {R"(,"children":[])", R"(,"children":[{"name":"a"}])",
          R"(,"children":[{"execution_kind":"k"}])",
          R"(,"children":[{"name":"a","execution_kind":"k","lane":"x"}])",
          R"(,"children":[{"name":"a","execution_kind":"k"},{"name":"a","execution_kind":"k"}])",
          R"(,"children":[{"name":"a","execution_kind":"k"}],"on_child_failure":"maybe")"}) {
        const JsonReply reply = act(task, "call-children", body);
        EXPECT_EQ(reply.status, 400) << body << reply.body;
        EXPECT_EQ(reply.code(), "invalid_input") << body;
    }
    EXPECT_EQ(act(task, "call-children",
                  R"(,"children":[{"name":"a","execution_kind":"k","policy":{"retrypolicy":1}}])")
                  .code(),
              "invalid_policy_json");
    EXPECT_EQ(state(task.execution_id), "active");
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch07Calls, ::testing::Values("embedded", "valkey"));

}  // namespace
}  // namespace ff::testing
