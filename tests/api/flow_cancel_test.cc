#include "engine/flow_cancel.h"

#include <algorithm>
#include <set>

#include "api/flow_world.h"
#include "engine/operation.h"
#include "model/exec_keys.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

class FlowCancel : public FlowApi {
  protected:
    JsonReply cancel(const std::string& flow, const std::string& body,
                     const std::string& query = "") {
        return world().post("/v1/flows/" + flow + "/cancel" + query, body);
    }
    std::int64_t owed(const std::string& flow) {
        const std::string key = flow_keys(flow).pending_cancels();
        return world().command({"SCARD", key}).to_integer().value_or(-1);
    }
    std::vector<std::string> members(const std::string& flow) {
        std::vector<std::string> ids;
        const std::string key = flow_keys(flow).members();
        const store::Reply reply = world().command({"SMEMBERS", key});
        for (const store::Reply& id : reply.items()) ids.emplace_back(*id.text());
        return ids;
    }
};
class Ch05Cancel : public FlowCancel {};
class Ch07Cancel : public FlowCancel {};

TEST_P(Ch07Cancel, S18_AThousandMembersAreCancelledInTheBackground) {
    const std::string flow = submit_members(1000, lane());
    const JsonReply reply = cancel(flow, R"({"reason":"enough"})");
    EXPECT_EQ(reply.status, 200) << reply.body.substr(0, 200);
    EXPECT_EQ(reply.text("status"), "cancellation_scheduled");
    EXPECT_EQ(reply.text("cancellation_policy"), "cancel_all");
    EXPECT_EQ(reply.integer("member_count"), 1000);
    EXPECT_EQ(texts(reply, "member_execution_ids").size(), 1000U);
    EXPECT_TRUE(wait_until([&] { return owed(flow) == 0; }));
    for (const std::string& id : members(flow)) {
        ASSERT_EQ(state_of(id), "cancelled");
        ASSERT_EQ(core_field(id, "cancellation_reason"), "enough");
    }
    EXPECT_TRUE(world().get("/v1/flows/" + flow).has("cancel_completed_at"));
}

TEST_P(Ch05Cancel, S48_WhatADeadServerOwesAnotherOneCancels) {
    WorldOptions options;
    options.settings.scanner_intervals["cancel_reconciler"] = Millis(200);
    ServerWorld other(GetParam(), std::move(options));
    const JsonReply submitted = other.post(
        "/v1/flows/submit",
        R"({"namespace":"acme","nodes":[{"name":"a"},{"name":"b","depends_on":["a"]},{"name":"c"}]})");
    const model::FlowId flow = *model::FlowId::parse(submitted.text("flow_id"));
    // The first server has answered and died before its first member: the flow is cancelled in the
    // store and nobody is at work. Here its grace is over at once.
    engine::CancelFlow died{.flow = {.id = flow}, .reason = "operator said so", .grace = Millis(0)};
    other.await(engine::run(other.store(), std::move(died)));
    // Any other server meets it in the backlog.
    const std::string base = "/v1/flows/" + flow.to_string();
    EXPECT_TRUE(wait_until([&] { return other.get(base).has("cancel_completed_at"); }));
    const JsonReply members = other.get(base + "/members");
    EXPECT_EQ(objects(members, "members").size(), 3U);
    for (const json::Value& member : objects(members, "members")) {
        EXPECT_EQ(text_in(member, "public_state"), "cancelled");
        EXPECT_EQ(text_in(member, "cancellation_reason"), "operator said so");
    }
    const std::string backlog =
        model::FlowIndexKeys(model::partition_of(flow, {})).cancel_backlog();
    EXPECT_TRUE(other.command({"ZSCORE", backlog, flow.to_string()}).is_null());
}

TEST_P(Ch05Cancel, S49_AMemberThatCannotBeCancelledIsNamedAndStopsNoOther) {
    const std::string flow = submit_members(6, lane());
    const auto active = claim(lane());
    ASSERT_EQ(active.size(), 1U);
    const std::string bad = active[0].execution_id.to_string();
    // Whoever ends it looks for its waitpoints, and finds something else.
    const std::string waitpoints = model::ExecKeys(active[0].execution_id).waitpoints();
    world().command({"SET", waitpoints, "no set"});
    const JsonReply reply = cancel(flow, R"({"reason":"stop"})", "?wait=1&timeout_ms=5000");
    EXPECT_EQ(reply.status, 200) << reply.body;
    EXPECT_EQ(reply.text("status"), "partially_cancelled");
    EXPECT_EQ(texts(reply, "failed_member_execution_ids"), std::vector<std::string>{bad});
    for (const std::string& id : members(flow)) {
        if (id != bad) {
            EXPECT_EQ(state_of(id), "cancelled");
        }
    }
    EXPECT_EQ(owed(flow), 1);
    // The next rounds stand back, further each time, up to ten minutes.
    const std::string backlog =
        model::FlowIndexKeys(model::partition_of(*model::FlowId::parse(flow), {})).cancel_backlog();
    double last = 0;
    for (int round = 0; round < 8; ++round) {
        engine::CancelFlowMembers page{.flow = {.id = *model::FlowId::parse(flow)}};
        world().await(engine::run(world().store(), std::move(page)));
        const store::Reply score = world().command({"ZSCORE", backlog, flow});
        const double now = static_cast<double>(to_ms(SystemClock().now()));
        const double ahead = score.as_double().value_or(0) - now;
        EXPECT_LE(ahead, 600'500);
        EXPECT_GE(ahead, std::min(last, 599'000.0)) << round;
        last = ahead;
    }
    EXPECT_GE(last, 590'000);
}

TEST_P(Ch05Cancel, S50_ARetriedCancelTellsTheStoredPolicyAndAThousandMembers) {
    const std::string flow = new_id();
    constexpr int kPieces = 5;
    for (int piece = 0; piece < kPieces; ++piece) {
        std::string nodes;
        for (int i = 0; i < 1000; ++i) {
            nodes += (i == 0 ? R"({"name":"n)" : R"(,{"name":"n)") + std::to_string(piece) + "-" +
                     std::to_string(i) + "\"}";
        }
        const std::string rest =
            R"("seal":false,"defaults":{"lane_id":")" + lane() + R"("},"nodes":[)" + nodes + "]}";
        const JsonReply reply =
            piece == 0 ? world().post("/v1/flows/submit",
                                      R"({"namespace":"acme","flow_id":")" + flow + "\"," + rest)
                       : world().post("/v1/flows/" + flow + "/expand", "{" + rest);
        ASSERT_EQ(reply.status, 201) << reply.body.substr(0, 300);
    }
    const JsonReply first = cancel(flow, R"({"cancellation_policy":"let_active_finish"})");
    EXPECT_EQ(first.text("status"), "cancelled") << first.body.substr(0, 200);
    EXPECT_TRUE(wait_until([&] { return owed(flow) == 0; }));
    const JsonReply again = cancel(flow, R"({"cancellation_policy":"cancel_all"})");
    EXPECT_EQ(again.status, 200);
    EXPECT_EQ(again.text("status"), "cancelled");
    EXPECT_EQ(again.text("cancellation_policy"), "let_active_finish");
    EXPECT_EQ(again.text("public_flow_state"), "cancelled");
    EXPECT_EQ(texts(again, "member_execution_ids").size(), 1000U);
    EXPECT_TRUE(again.flag("truncated"));
}

TEST_P(Ch07Cancel, WaitsForWhoMayFinishOnlyAsLongAsAnybodyIsCancelled) {
    const std::string flow = submit_members(3, lane());
    const auto active = claim(lane());
    ASSERT_EQ(active.size(), 1U);
    const JsonReply reply =
        cancel(flow, R"({"cancellation_policy":"cancel_pending"})", "?wait=true");
    EXPECT_EQ(reply.text("status"), "cancelled") << reply.body;
    EXPECT_EQ(reply.integer("draining_count"), 1);
    EXPECT_EQ(state_of(active[0].execution_id.to_string()), "active");
    complete(active[0]);
    EXPECT_EQ(owed(flow), 0);
    EXPECT_EQ(state_of(active[0].execution_id.to_string()), "completed");
}

TEST_P(Ch07Cancel, AnswersWhatIsNotThereOrNotUnderstood) {
    EXPECT_EQ(cancel(new_id(), "{}").code(), "flow_not_found");
    EXPECT_EQ(cancel("nonsense", "{}").status, 400);
    const std::string flow = new_flow();
    EXPECT_EQ(cancel(flow, R"({"cancellation_policy":"cancell_all"})").code(), "invalid_input");
    EXPECT_EQ(cancel(flow, R"({"flow_id":")" + new_id() + "\"}").status, 400);
    EXPECT_EQ(cancel(flow, "{}", "?wait=perhaps").status, 400);
    EXPECT_EQ(cancel(flow, "{}", "?wait=1&timeout_ms=-1").status, 400);
    EXPECT_EQ(flow_state(flow), "open");
    const JsonReply empty = cancel(flow, "{}");
    EXPECT_EQ(empty.text("status"), "cancelled");
    EXPECT_EQ(empty.text("public_flow_state"), "cancelled");
}

TEST_P(Ch07Cancel, AGracefulStopFinishesWhatIsUnderWay) {
    ServerWorld own(GetParam(), {.in_folder = true});
    std::string nodes;
    for (int i = 0; i < 1000; ++i) {
        nodes += (i == 0 ? R"({"name":"n)" : R"(,{"name":"n)") + std::to_string(i) + "\"}";
    }
    const JsonReply submitted =
        own.post("/v1/flows/submit", R"({"namespace":"acme","nodes":[)" + nodes + "]}");
    ASSERT_EQ(submitted.status, 201) << submitted.body.substr(0, 200);
    const std::string flow = "/v1/flows/" + submitted.text("flow_id");
    EXPECT_EQ(own.post(flow + "/cancel", "{}").text("status"), "cancellation_scheduled");
    own.restart();
    EXPECT_TRUE(own.get(flow).has("cancel_completed_at")) << own.get(flow).body;
    // The projector may have counted in between; a summary is up to a second old.
    EXPECT_TRUE(wait_until(
        [&] { return own.get(flow + "/summary").integer("members_cancelled") == 1000; }));
}

INSTANTIATE_TEST_SUITE_P(Stores, Ch05Cancel, ::testing::Values("embedded", "valkey", "cluster"));
INSTANTIATE_TEST_SUITE_P(Stores, Ch07Cancel, ::testing::Values("embedded", "valkey", "cluster"));

}  // namespace
}  // namespace ff::testing
