// Repair 20: what nobody would read is refused, with the name that was probably meant.
#include <set>

#include <gtest/gtest.h>

#include "api/server_world.h"

namespace ff::testing {
namespace {

constexpr std::string_view kExecution = "{fp:7}:9b2d6f6e-8a3c-4b9f-9d3a-1f2e3d4c5b6a";

class UnknownNames : public ::testing::TestWithParam<std::string> {
  protected:
    ServerWorld& world() { return server_world_of(GetParam()); }
    void expect_refused(const JsonReply& reply, std::string_view name, std::string_view near,
                        std::string_view code = "invalid_input") {
        EXPECT_EQ(reply.status, 400) << reply.body;
        EXPECT_EQ(reply.code(), code) << reply.body;
        const std::string error = reply.text("error");
        EXPECT_NE(error.find("`" + std::string(name) + "`"), std::string::npos) << error;
        if (!near.empty()) {
            EXPECT_NE(error.find("did you mean `" + std::string(near) + "`?"), std::string::npos)
                << error;
        }
    }
};

TEST_P(UnknownNames, Repair_20_InTheBodyOfACreate) {
    const auto create = [this](const std::string& members) {
        return world().post("/v1/executions", R"({"execution_kind":"noop",)" + members + "}");
    };
    expect_refused(create(R"("paylod":"hi")"), "paylod", "payload");
    expect_refused(create(R"("polcy":{})"), "polcy", "policy");
    expect_refused(create(R"("lane":"default")"), "lane", "lane_id");
    expect_refused(create(R"("policy":{"retry_polcy":{"max_retries":3}})"), "retry_polcy",
                   "retry_policy", "invalid_policy_json");
    expect_refused(create(R"("policy":{"retry_policy":{"max_retry":3}})"), "max_retry",
                   "max_retries", "invalid_policy_json");
    expect_refused(create(R"("policy":{"retry_policy":{"backoff":{"typ":"fixed"}}})"), "typ",
                   "type", "invalid_policy_json");
    expect_refused(create(R"("policy":{"stream_policy":{"retention_maxlne":3}})"),
                   "retention_maxlne", "retention_maxlen", "invalid_policy_json");
    expect_refused(create(R"("kind":"noop")"), "kind", "execution_kind");
    EXPECT_EQ(create(R"("now":1,"payload":null)").status, 201);
    const JsonReply batch = world().post(
        "/v1/executions/batch",
        R"({"executions":[{"execution_kind":"a"},{"execution_kind":"b","paylod":"x"}]})");
    ASSERT_EQ(batch.status, 200) << batch.body;
    EXPECT_NE(batch.body.find("did you mean `payload`?"), std::string::npos) << batch.body;
    EXPECT_NE(batch.body.find(R"("status":"created")"), std::string::npos) << batch.body;
}

TEST_P(UnknownNames, Repair_20_InTheQuery) {
    expect_refused(world().get("/v1/executions?limt=5"), "limt", "limit");
    expect_refused(world().get("/v1/executions?namespce=x"), "namespce", "namespace");
    expect_refused(world().get("/healthz?x=1"), "x", "");
    expect_refused(world().post("/v1/executions?priority=4", R"({"execution_kind":"noop"})"),
                   "priority", "");
    const auto with_bytes = [this](const std::string& target) {
        return world().request("POST", target, "bytes",
                               {{"Content-Type", "application/octet-stream"}});
    };
    const std::string create = "/v1/executions?execution_kind=noop&";
    expect_refused(with_bytes(create + "priorty=4"), "priorty", "priority");
    expect_refused(with_bytes(create + "payload=x"), "payload", "");
    expect_refused(with_bytes(create + "input_payload=x"), "input_payload", "");
    const std::string complete = "/v1/executions/" + encode(kExecution) + "/complete?";
    expect_refused(with_bytes(complete + "lease=x"), "lease", "");
    expect_refused(with_bytes(complete + "task_token=x"), "task_token", "");
}

TEST_P(UnknownNames, Repair_20_InFlowDocuments) {
    const auto submit = [this](const std::string& members) {
        return world().post("/v1/flows/submit", R"({"namespace":"acme",)" + members + "}");
    };
    for (const auto& [members, near] : std::vector<std::pair<std::string, std::string>>{
             {R"("nods":[{"name":"a","execution_kind":"k"}])", "nodes"},
             {R"("nodes":[{"name":"a","execution_knd":"k"}])", "execution_kind"},
             {R"("nodes":[{"name":"a","execution_kind":"k","depend_on":[]}])", "depends_on"},
             {R"("defaults":{"lane":"x","polcy":{}},"nodes":[{"name":"a","execution_kind":"k"}])",
              "policy"},
             {R"("nodes":[{"name":"a","execution_kind":"k","policy":{"retry_polcy":{}}}])",
              "retry_policy"}}) {
        const JsonReply refused = submit(members);
        EXPECT_EQ(refused.status, 400) << refused.body;
        EXPECT_NE(refused.body.find("did you mean `" + near + "`?"), std::string::npos)
            << refused.body;
    }
}

/// The description of each route is what its body and query are checked by.
TEST_P(UnknownNames, Repair_20_InEveryRoute) {
    int checked = 0;
    std::set<std::string> own;
    for (const api::Route& route : world().instance().routes().all()) {
        std::string path = route.pattern;
        for (std::size_t at = path.find('{'); at != std::string::npos; at = path.find('{')) {
            const bool execution = path.substr(0, at).ends_with("/executions/");
            path.replace(at, path.find('}') - at + 1, execution ? encode(kExecution) : "x");
        }
        const JsonReply query = world().request(route.method, path + "?no_such_name=1");
        expect_refused(query, "no_such_name", "");
        if (route.doc.own_members) own.insert(route.pattern);
        if (route.method == "GET" || route.doc.own_members) continue;
        expect_refused(world().request(route.method, path, R"({"no_such_name":1})"), "no_such_name",
                       "");
        ++checked;
    }
    EXPECT_GT(checked, 30);
    // Tags have names of their own; the documents of flows are checked by their reader.
    EXPECT_EQ(own, (std::set<std::string>{"/v1/executions/{id}/tags", "/v1/flows/submit",
                                          "/v1/flows/{id}/expand", "/v1/flows/{id}/tags"}));
}

TEST_P(UnknownNames, Repair_20_WithinObjectsOfABody) {
    const std::string path = "/v1/executions/" + encode(kExecution);
    const std::string lease =
        R"("lease":{"lease_id":"9b2d6f6e-8a3c-4b9f-9d3a-1f2e3d4c5b6a","lease_epoch":1,)"
        R"("attempt_id":"9b2d6f6e-8a3c-4b9f-9d3a-1f2e3d4c5b6a","attempt_index":0})";
    const auto suspend = [&](const std::string& members) {
        return world().post(path + "/suspend", "{" + lease + "," + members + "}");
    };
    expect_refused(suspend(R"("waitpoint":{"waitpoint_ky":"a"})"), "waitpoint_ky", "waitpoint_key");
    expect_refused(suspend(R"("resume_policy":{"resume_delay":5})"), "resume_delay",
                   "resume_delay_ms");
    expect_refused(suspend(R"("resume_condition":{"required_signals":["a"]})"), "required_signals",
                   "");
    expect_refused(suspend(R"("resume_condition":{"v":1,"composite":true,"tree":{"kind":"AllOf",)"
                           R"("members":[{"kind":"Single","waitpointkey":"a"}]}})"),
                   "waitpointkey", "waitpoint_key");
    expect_refused(world().post(path + "/attempts/0/stream",
                                "{" + lease + R"(,"frames":[{"frame_type":"log","paylod":"x"}]})"),
                   "paylod", "payload");
    expect_refused(world().post(path + "/complete", R"({"lease":{"lease_idd":"x"}})"), "lease_idd",
                   "lease_id");
    expect_refused(world().put("/v1/lanes/one", R"({"default_policy_json":{"retry_polcy":{}}})"),
                   "retry_polcy", "retry_policy", "invalid_policy_json");
}

INSTANTIATE_TEST_SUITE_P(Stores, UnknownNames, ::testing::Values("embedded", "valkey"),
                         [](const auto& info) { return info.param; });

}  // namespace
}  // namespace ff::testing
