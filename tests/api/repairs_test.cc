// Defects that verification of the whole found in the API, each by its number.
#include <set>

#include "api/exec_world.h"
#include "model/exec_keys.h"
#include "model/execution_id.h"

namespace ff::testing {
namespace {

class RepairApi : public ExecApi {
  protected:
    std::string new_budget(std::string_view more = "") {
        const JsonReply reply =
            world().post("/v1/budgets",
                         R"({"scope_type":"execution","dimensions":["tokens"],"hard_limits":[20])" +
                             std::string(more) + "}");
        if (reply.status != 201) throw std::runtime_error(reply.body);
        return reply.text("budget_id");
    }
    static std::string under(const std::string& budget) {
        return R"(,"policy":{"budget_ids":[")" + budget + R"("]})";
    }
    std::int64_t used(const std::string& budget) {
        const JsonReply status = world().get("/v1/budgets/" + budget);
        return status.json().find("usage")->find("tokens")->as_integer().value_or(-1);
    }
    static json::Value verdict(const JsonReply& reply) {
        return reply.json().find("results")->element(0);
    }
};

TEST_P(RepairApi, Repair_09_AGrantForWorkLostAHundredTimesIsGiven) {
    const std::string id = created_id();
    claim_one();
    const std::string core = model::ExecKeys(*model::ExecutionId::parse(id)).core();
    world().command({"HSET", core, "lease_reclaim_count", "100"});
    ASSERT_EQ(act(id, "revoke-lease", "{}").status, 200);
    const JsonReply granted =
        act(id, "reclaim",
            R"({"worker_id":"w","worker_instance_id":"i","grant_ttl_ms":5000,)" +
                std::string(R"("lane_id":")") + own_name() + "\"}");
    EXPECT_EQ(granted.text("status"), "granted") << granted.body;
}

TEST_P(RepairApi, Repair_10_AReportNamesAtMost64DimensionsAndIsToldSo) {
    const std::string budget = new_budget();
    created_id(under(budget));
    const HeldTask task = claim_one();
    const auto amounts = [](int count) {
        std::string text = R"("dimensions":{)";
        for (int i = 0; i < count; ++i)
            text += (i == 0 ? "\"d" : ",\"d") + std::to_string(i) + "\":1";
        return text + "}";
    };
    const std::string path = "/v1/budgets/" + budget;
    const std::string own = R"({"execution_id":")" + task.execution_id + "\",";
    for (const JsonReply& refused : {act(task, "usage", "," + amounts(65)),
                                     world().post(path + "/usage", "{" + amounts(65) + "}"),
                                     world().post(path + "/spend", own + amounts(65) + "}")}) {
        EXPECT_EQ(refused.status, 400);
        const std::string told = refused.text("message");
        EXPECT_EQ(told, "dimensions is not valid: more than 64 dimensions.");
    }
    EXPECT_EQ(act(task, "usage", "," + amounts(64)).status, 200);
    EXPECT_EQ(world().post(path + "/usage", "{" + amounts(64) + "}").status, 200);
    EXPECT_EQ(world().post(path + "/spend", own + amounts(64) + "}").status, 200);
}

TEST_P(RepairApi, Repair_14_TasksOfAClientThatVanishedAreGivenBackWithoutAWait) {
    constexpr int kClients = 20;
    std::vector<std::string> ids;
    for (int i = 0; i < kClients; ++i) ids.push_back(created_id());
    const auto request = [](std::string_view more) {
        const std::string body = R"({"worker_instance_id":")" + own_name("-w") + R"(","lanes":[")" +
                                 own_name() + R"("],"wait_ms":0,"lease_ttl_ms":3600000)" +
                                 std::string(more) + "}";
        return HttpConnection::encode("POST", "/v1/workers/w/tasks/claim",
                                      {{"Content-Type", "application/json"}}, body);
    };
    // With something to complete, a claim takes another way.
    for (int i = 0; i < kClients; ++i) {
        HttpConnection client = world().connect();
        ASSERT_TRUE(client.send_raw(request(i % 2 == 0 ? "" : R"(,"completions":[])")).has_value());
    }
    std::set<std::string> found;
    const bool all = wait_until([&] {
        for (const HeldTask& task : claimed(R"(,"max_tasks":20)", "other")) {
            found.insert(task.execution_id);
        }
        return found.size() == ids.size();
    });
    EXPECT_TRUE(all) << ids.size() - found.size() << " are leased to nobody";
}

TEST_P(RepairApi, Repair_17_AMintedIdIsInThePartitionThatWasAskedFor) {
    const std::string id = created_id(R"(,"partition_id":17)");
    EXPECT_EQ(model::ExecutionId::parse(id)->partition_index(), 17);
    EXPECT_EQ(claim_one().execution_id, id);
    EXPECT_EQ(create(R"(,"partition_id":256)").status, 400);
    const std::string flow = world().post("/v1/flows", R"({"namespace":"x"})").text("flow_id");
    const std::string member = created_id(R"(,"colocate_with_flow":")" + flow + "\"");
    const int home = model::ExecutionId::parse(member)->partition_index();
    const std::string with_flow = R"(,"colocate_with_flow":")" + flow + R"(","partition_id":)";
    EXPECT_EQ(create(with_flow + std::to_string(home)).status, 201);
    EXPECT_EQ(create(with_flow + std::to_string((home + 1) % 256)).code(), "partition_mismatch");
}

TEST_P(RepairApi, Repair_18_WhatWasSpentIsCountedAndStopsFurtherWork) {
    const std::string budget = new_budget();
    created_id(under(budget));
    const HeldTask task = claim_one();
    EXPECT_EQ(
        verdict(act(task, "usage", R"(,"dimensions":{"tokens":18})")).find("status")->as_string(),
        "ok");
    const JsonReply over = act(task, "usage", R"(,"dimensions":{"tokens":3})");
    EXPECT_EQ(verdict(over).find("status")->as_string(), "hard_breach") << over.body;
    EXPECT_EQ(verdict(over).find("current_usage")->as_integer(), 21);
    EXPECT_EQ(verdict(over).find("action")->as_string(), "fail");
    EXPECT_EQ(used(budget), 21);
    EXPECT_EQ(verdict(act(task, "usage", R"(,"dimensions":{"tokens":3})"))
                  .find("current_usage")
                  ->as_integer(),
              24);
    const std::string waiting = created_id(under(budget));
    EXPECT_TRUE(claimed().empty()) << "nothing more starts under an exhausted budget";
    EXPECT_EQ(state(waiting), "rate_limited");
    ASSERT_EQ(world()
                  .put("/v1/budgets/" + budget, R"({"dimensions":["tokens"],"hard_limits":[30]})")
                  .status,
              200);
    EXPECT_EQ(claim_one().execution_id, waiting) << "until its limit is higher";
}

TEST_P(RepairApi, Repair_18_WhoAsksFirstIsNotCountedPastTheLimit) {
    const std::string budget = new_budget();
    const std::string id = created_id(under(budget));
    const HeldTask task = claim_one();
    const std::string ask = R"(,"mode":"check","dimensions":{"tokens":)";
    EXPECT_EQ(verdict(act(task, "usage", ask + "18}")).find("status")->as_string(), "ok");
    const JsonReply refused = act(task, "usage", ask + "3}");
    EXPECT_EQ(verdict(refused).find("status")->as_string(), "hard_breach");
    EXPECT_EQ(verdict(refused).find("current_usage")->as_integer(), 18);
    EXPECT_EQ(used(budget), 18);
    const JsonReply attempts = world().get("/v1/executions/" + encode(id) + "/attempts");
    EXPECT_NE(attempts.body.find(R"("usage.tokens":"18")"), std::string::npos) << attempts.body;
    EXPECT_EQ(act(task, "usage", R"(,"mode":"maybe","dimensions":{"tokens":1})").status, 400);

    const std::string path = "/v1/budgets/" + budget;
    EXPECT_EQ(world().post(path + "/usage", R"({"dimensions":{"tokens":3}})").text("status"),
              "hard_breach");
    EXPECT_EQ(used(budget), 18) << "a report to a budget asks";
    const std::string spend = R"({"execution_id":")" + id + R"(","dimensions":{"tokens":3})";
    EXPECT_EQ(world().post(path + "/spend", spend + R"(,"mode":"check"})").text("status"),
              "hard_breach");
    EXPECT_EQ(used(budget), 18);
    EXPECT_EQ(world().post(path + "/spend", spend + "}").text("status"), "hard_breach");
    EXPECT_EQ(used(budget), 21) << "a spend tells";
    EXPECT_EQ(world().post(path + "/release", R"({"execution_id":")" + id + "\"}").text("status"),
              "released");
    EXPECT_EQ(used(budget), 0) << "the task's usage is in the ledger of its execution";
}

TEST_P(RepairApi, Repair_19_APolicyCannotNameALimitThatDoesNotExist) {
    const std::string nobody = "11111111-2222-4333-8444-555555555555";
    const std::string missing = under(nobody);
    const JsonReply refused = create(missing);
    EXPECT_EQ(refused.status, 404) << refused.body;
    EXPECT_EQ(refused.code(), "budget_not_found");
    const std::string told = refused.text("message");
    EXPECT_NE(told.find("no budget " + nobody), std::string::npos) << told;
    EXPECT_NE(told.find("allow_missing_budget"), std::string::npos) << told;
    EXPECT_EQ(refused.json().find("fields")->find("budget_id")->as_string(), nobody);
    const std::string quota = R"(,"policy":{"quota_policy_id":")" + nobody + R"("})";
    EXPECT_EQ(create(quota).code(), "quota_policy_not_found");
    EXPECT_EQ(create(missing + R"(,"allow_missing_budget":true)").status, 201);
    EXPECT_EQ(create(under(new_budget())).status, 201);

    const JsonReply batch =
        world().post("/v1/executions/batch",
                     R"({"executions":[)" + new_execution(missing) + "," + new_execution() + "," +
                         new_execution(missing + R"(,"allow_missing_budget":true)") + "]}");
    const json::Value results = *batch.json().find("results");
    EXPECT_EQ(results.element(0).find("code")->as_string(), "budget_not_found") << batch.body;
    EXPECT_EQ(results.element(1).find("status")->as_string(), "created");
    EXPECT_EQ(results.element(2).find("status")->as_string(), "created");

    const std::string flow =
        R"({"namespace":"x","nodes":[{"name":"a","execution_kind":"k")" + missing + "}]";
    EXPECT_EQ(world().post("/v1/flows/submit", flow + "}").code(), "budget_not_found");
    EXPECT_EQ(world().post("/v1/flows/submit", flow + R"(,"allow_missing_budget":true})").status,
              201);

    created_id();
    const HeldTask parent = claim_one();
    const auto call = [&](const std::string& more) {
        return act(parent, "call-children",
                   R"(,"children":[{"name":"c","execution_kind":"k")" + missing + more + "}]");
    };
    EXPECT_EQ(call("").code(), "budget_not_found");
    EXPECT_EQ(call(R"(,"allow_missing_budget":true)").status, 200);
}

TEST_P(RepairApi, Repair_36_TheOlderNameOfThePayloadIsUnderstood) {
    const std::string text = created_id(R"(,"input_payload":"hello")");
    EXPECT_EQ(world().get("/v1/executions/" + encode(text) + "/payload").body, "hello");
    const std::string bytes = created_id(R"(,"input_payload":[0,255,10,104,105])");
    EXPECT_EQ(world().get("/v1/executions/" + encode(bytes) + "/payload").body,
              std::string("\0\xff\nhi", 5));
    EXPECT_EQ(create(R"(,"input_payload":[256])").status, 400);
    EXPECT_EQ(create(R"(,"input_payload":[1.5])").status, 400);
    EXPECT_EQ(create(R"(,"input_payload":{"a":1})").status, 400);
    EXPECT_EQ(create(R"(,"input_payload":"a","payload":"b")").status, 400);
}

INSTANTIATE_TEST_SUITE_P(Stores, RepairApi, ::testing::Values("embedded", "valkey", "cluster"));

}  // namespace
}  // namespace ff::testing
