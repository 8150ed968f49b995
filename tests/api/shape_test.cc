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
        return std::move(shapes_);
    }

  private:
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
    EXPECT_GT(embedded.size(), 20U);
    EXPECT_EQ(embedded, Walk(server_world_of("valkey")).shapes());
    EXPECT_EQ(embedded, Walk(on_cluster).shapes());
}

}  // namespace
}  // namespace ff::testing
