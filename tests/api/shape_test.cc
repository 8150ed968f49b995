// The same requests on every store give answers of the same shape and outcome.

#include <algorithm>

#include <gtest/gtest.h>

#include "api/exec_world.h"
#include "support/valkey_server.h"

namespace ff::testing {
namespace {

/// Names and kinds of all members, and the values of those that tell an outcome.
std::string shape_of(const json::Value& value) {
    if (value.is_array()) return value.size() == 0 ? "[]" : "[" + shape_of(value.element(0)) + "]";
    if (!value.is_object()) return std::to_string(static_cast<int>(value.kind()));
    std::vector<std::string> members;
    for (std::size_t i = 0; i < value.size(); ++i) {
        const auto [name, member] = value.member(i);
        std::string text = std::string(name) + ":" + shape_of(member);
        for (const std::string_view telling : {"status", "code", "public_state", "attempt_type",
                                               "class", "replayed", "payload", "effect"}) {
            if (name == telling) text += "=" + member.to_text();
        }
        members.push_back(std::move(text));
    }
    std::ranges::sort(members);
    std::string joined;
    for (const std::string& member : members) joined += member + ",";
    return "{" + joined + "}";
}

/// One client's walk through the API, and the shapes of what it was answered.
class Walk {
  public:
    explicit Walk(ServerWorld& world) : world_(world) {}

    std::vector<std::string> shapes() {
        const std::string body =
            R"({"namespace":"shape","lane_id":"shape","execution_kind":"k","payload":"p",)"
            R"("idempotency_key":"one","tags":{"a.b":"c"}})";
        const std::string id = send("POST", "/v1/executions", body).text("execution_id");
        send("POST", "/v1/executions", body);
        send("POST", "/v1/executions/batch", R"({"executions":[)" + body + R"(,{"lane_id":"x"}]})");
        const std::string path = "/v1/executions/" + encode(id);
        send("GET", path);
        send("GET", path + "/explain");
        send("GET", "/v1/executions?namespace=shape");
        send("GET", "/v1/executions?lane=shape");
        send("POST", path + "/revoke-lease", "{}");
        const JsonReply claimed =
            send("POST", "/v1/workers/w/tasks/claim",
                 R"({"worker_instance_id":"w-1","lanes":["shape"],"wait_ms":9000,"claim_id":"c"})");
        const std::string token = R"({"task_token":")" + read_tasks(claimed).at(0).token + "\"";
        send("POST", path + "/renew", token + "}");
        send("POST", path + "/progress", token + R"(,"pct":1})");
        send("GET", "/v1/workers/w/instances/w-1/leases");
        send("POST", path + "/complete", token + R"(,"result":"r"})");
        send("POST", path + "/complete", token + R"(,"result":"r"})");
        send("POST", path + "/fail", token + "}");
        send("POST", path + "/cancel", "{}");
        send("GET", path + "/attempts");
        send("POST", path + "/replay", "{}");
        send("GET", path);
        send("PUT", "/v1/workers/w/instances/w-1", R"({"namespace":"shape","lanes":["shape"]})");
        send("GET", "/v1/workers?namespace=shape");
        stream_and_suspend();
        run_flows();
        set_limits();
        return std::move(shapes_);
    }

  private:
    /// The path of a new execution that this client holds, and the lease as a body begins.
    std::pair<std::string, std::string> hold(const std::string& lane) {
        const JsonReply made =
            send("POST", "/v1/executions", R"({"execution_kind":"k","lane_id":")" + lane + "\"}");
        const JsonReply claimed =
            send("POST", "/v1/workers/w/tasks/claim",
                 R"({"worker_instance_id":"w-1","wait_ms":9000,"lanes":[")" + lane + "\"]}");
        return {"/v1/executions/" + encode(made.text("execution_id")),
                R"({"task_token":")" + read_tasks(claimed).at(0).token + "\""};
    }

    void stream_and_suspend() {
        const auto [path, lease] = hold("shape-stream");
        const std::string stream = path + "/attempts/0/stream";
        send("POST", stream, lease + R"(,"frames":[{"type":"token","payload":"a","seq":1}]})");
        send("POST", stream, lease + R"(,"frames":[{"type":"token"}],"mode":"none"})");
        send("GET", stream);
        send("GET", stream + "/tail?block_ms=0");
        send("GET", stream + "/info");
        send("GET", path + "/attempts/0/summary");
        const JsonReply pending = send("POST", path + "/waitpoints",
                                       lease + R"(,"expires_in_ms":60000,"waitpoint_key":"p"})");
        send("GET", path + "/pending-waitpoints");
        const std::string signal = R"({"signal_name":"go","waitpoint_id":")" +
                                   pending.text("waitpoint_id") + R"(","waitpoint_token":")";
        send("POST", path + "/signal", signal + R"(k1:00"})");
        send("POST", path + "/signal", signal + pending.text("waitpoint_token") + "\"}");
        const JsonReply suspended = send("POST", path + "/suspend",
                                         lease + R"(,"signals":["go"],"suspension_id":)"
                                                 R"("11111111-2222-4333-8444-555555555555"})");
        send("GET", path + "/suspension");
        send("POST", path + "/resume", R"({"actor":"ann"})");
        send("POST", path + "/signal",
             R"({"signal_name":"go","waitpoint_id":")" + suspended.text("waitpoint_id") +
                 R"(","waitpoint_token":")" + suspended.text("waitpoint_token") + "\"}");
        send("GET", path + "/signals");
        send("GET", path + "/resume-signals?attempt_index=0");
        send("GET", path + "/lease-history");
        send("POST", path + "/resume", "{}");
        send("POST", path + "/release-hold", "{}");
    }

    void run_flows() {
        const std::string graph =
            R"({"namespace":"shape","flow_id":"22222222-2222-4333-8444-555555555555","nodes":)"
            R"([{"name":"a","lane_id":"shape-flow"},{"name":"b","depends_on":["a"]}]})";
        const JsonReply made = send("POST", "/v1/flows/submit", graph);
        send("POST", "/v1/flows/submit", graph);
        send("POST", "/v1/flows/submit", R"({"nodes":[{"name":"a","depends_on":["a"]}]})");
        const std::string flow = "/v1/flows/" + made.text("flow_id");
        for (const char* what : {"", "/graph", "/summary", "/members", "/edges"})
            send("GET", flow + what);
        send("GET", "/v1/flows?namespace=shape");
        send("PUT", flow + "/tags", R"({"team.name":"x"})");
        send("POST", flow + "/cancel?wait=true", R"({"reason":"enough"})");
        send("POST", flow + "/cancel", "{}");
        send("GET", "/v1/flows/33333333-2222-4333-8444-555555555555");
    }

    void set_limits() {
        const std::string budget = "/v1/budgets/44444444-2222-4333-8444-555555555555";
        const std::string definition =
            R"({"budget_id":"44444444-2222-4333-8444-555555555555","scope_type":"execution",)"
            R"("dimensions":["tokens"],"hard_limits":[2],"soft_limits":[1]})";
        send("POST", "/v1/budgets", definition);
        send("POST", "/v1/budgets", definition);
        for (const char* amount : {"1", "1", "5"}) {
            send("POST", budget + "/usage",
                 R"({"dimensions":{"tokens":)" + std::string(amount) + "}}");
        }
        send("GET", budget);
        send("PUT", budget, R"({"dimensions":["tokens"],"hard_limits":[9],"soft_limits":[1]})");
        send("POST", budget + "/reset", "{}");
        const std::string quota = "/v1/quotas/55555555-2222-4333-8444-555555555555";
        send("POST", "/v1/quotas",
             R"({"quota_policy_id":"55555555-2222-4333-8444-555555555555","max_concurrent":1})");
        send("PUT", quota, R"({"max_concurrent":2})");
        send("POST", quota + "/attach", R"({"scope_type":"lane","scope_id":"shape-quota"})");
        send("POST", quota + "/attach", R"({"scope_type":"lane","scope_id":"other"})");
        send("GET", quota);
        send("PUT", "/v1/lanes/shape-lane", R"({"state":"draining"})");
        send("DELETE", "/v1/lanes/shape-lane");
        send("PUT", "/v1/lanes/shape-lane", R"({"state":"disabled"})");
        send("DELETE", "/v1/lanes/shape-lane");
        send("GET", "/v1/admin/waitpoint-kids");
    }

    JsonReply send(std::string_view method, const std::string& target, std::string_view body = {}) {
        JsonReply reply = world_.request(method, target, body);
        const std::string route = target.substr(0, target.find("%7B"));
        shapes_.push_back(std::string(method) + " " + route + " " + std::to_string(reply.status) +
                          " " + shape_of(reply.json()));
        return reply;
    }

    ServerWorld& world_;
    std::vector<std::string> shapes_{};
};

TEST(Ch07Shape, S58_AnswersHaveTheSameShapeOnEveryStore) {
    ValkeyCluster cluster = ValkeyCluster::start();
    WorldOptions options;
    options.settings.backend = app::Backend::Valkey;
    options.settings.cluster = true;
    options.settings.store_host = "127.0.0.1";
    options.settings.store_port = cluster.ports().front();
    // The name says only that the world starts no store of its own.
    ServerWorld on_cluster("embedded", std::move(options));
    const std::vector<std::string> embedded = Walk(server_world_of("embedded")).shapes();
    EXPECT_GT(embedded.size(), 70U);
    EXPECT_EQ(embedded, Walk(server_world_of("valkey")).shapes());
    EXPECT_EQ(embedded, Walk(on_cluster).shapes());
}

}  // namespace
}  // namespace ff::testing
