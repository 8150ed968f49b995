// Whether the client has a method for every route of the server.

#include <algorithm>
#include <mutex>
#include <set>

#include <gtest/gtest.h>

#include "sdk/door_world.h"
#include "support/wait.h"

namespace ff::testing {
namespace {

using flowfabric::AdminClient;
using flowfabric::Json;
using flowfabric::Millis;
using flowfabric::Worker;

/// Passes everything on and remembers what was asked for.
class RecordingDoor final : public sdk::Door {
  public:
    explicit RecordingDoor(std::shared_ptr<sdk::Door> inner) : inner_(std::move(inner)) {}

    flowfabric::Result<sdk::DoorReply> send(const sdk::DoorRequest& request) override {
        {
            const std::lock_guard lock(mutex_);
            asked_.insert(request.method + " " +
                          request.target.substr(0, request.target.find('?')));
        }
        return inner_->send(request);
    }
    std::set<std::string> asked() {
        const std::lock_guard lock(mutex_);
        return asked_;
    }

  private:
    std::mutex mutex_{};
    std::set<std::string> asked_{};
    std::shared_ptr<sdk::Door> inner_;
};

/// `GET /a/x/b` is an instance of `GET /a/{id}/b`.
bool is_instance(const std::string& asked, const std::string& pattern) {
    std::size_t a = 0;
    std::size_t p = 0;
    while (a < asked.size() && p < pattern.size()) {
        if (pattern[p] == '{') {
            p = pattern.find('}', p) + 1;
            a = std::min(asked.find('/', a), asked.size());
        } else if (asked[a++] != pattern[p++]) {
            return false;
        }
    }
    return a == asked.size() && p == pattern.size();
}

void ask_everything(const AdminClient& client, const std::string& id) {
    const auto ignore = [](const auto&...) {};
    ignore(
        client.create_execution({.kind = "k"}), client.create_executions({{.kind = "k"}}),
        client.describe_execution(id), client.get_state(id), client.get_payload(id),
        client.get_input(id, "x"), client.get_result(id), client.wait_for_terminal(id, Millis(0)),
        client.explain(id), client.list_executions({}), client.get_tags(id),
        client.set_tags(id, {{"app.x", "1"}}), client.cancel_execution(id, "x"),
        client.change_priority(id, 1), client.replay_execution(id, "x"),
        client.revoke_lease(id, "x"), client.reclaim_execution(id, {}),
        client.resume_execution(id, "x"), client.take_over(id, {}), client.release_hold(id),
        client.get_suspension(id), client.list_signals(id), client.get_condition(id),
        client.list_waitpoint_signals(id, "w"), client.list_attempts(id), client.lease_history(id),
        client.list_pending_waitpoints(id), client.waitpoint_token(id, "w"),
        client.deliver_signal(id, {}), client.approve(id, "w", "s", "a"),
        client.links(id, "w").create(), client.links(id, "w").revoke(), client.read_stream(id, 0),
        client.tail_stream(id, 0, "0-0", Millis(0)), client.stream_info(id, 0),
        client.read_summary(id, 0), client.read_merged(id), client.annotate(id, 0, {}),
        client.read_steps(id), client.read_children(id), client.list_approvals(),
        client.read_feed({}, Millis(0)), client.audit());
    ignore(client.create_flow({.kind = "k"}), client.submit_flow(Json::object()),
           client.expand_flow("f", Json::object()), client.seal_flow("f"), client.list_flows(),
           client.describe_flow("f"), client.flow_graph("f"), client.flow_summary("f"),
           client.flow_members("f"), client.flow_edges("f"), client.add_execution_to_flow("f", id),
           client.stage_dependency_edge("f", {}), client.apply_dependency_to_child("f", {}, 0),
           client.set_edge_group_policy("f", id, {}), client.set_flow_tags("f", {}),
           client.cancel_flow("f", "x"));
    ignore(client.create_budget({}), client.describe_budget("b"), client.list_budgets(),
           client.update_budget("b", {}), client.report_usage("b", {}),
           client.spend_budget("b", id, {}), client.release_budget("b", id),
           client.reset_budget("b"), client.attach_budget("b", {}), client.detach_budget("b", {}),
           client.create_quota({}), client.describe_quota("q"), client.list_quotas(),
           client.update_quota("q", {}), client.attach_quota("q", {}),
           client.detach_quota("q", {}));
    ignore(client.list_lanes(), client.set_lane("l", {}), client.delete_lane("l"),
           client.list_workers("default"), client.list_leases("w", "i"),
           client.request_grant({.worker_id = "w"}), client.rotate_waitpoint_secret("", ""),
           client.waitpoint_kids(), client.capabilities(), client.overview(), client.ping(),
           client.ready(), client.metrics(), client.backup(""));
}

void work_with_everything(const AdminClient& client, const std::string& lane) {
    Worker worker = Worker::connect(client, {.worker_id = "all",
                                             .worker_instance_id = DoorWorld::unique("all"),
                                             .lanes = {lane},
                                             .lease_ttl = Millis(1000),
                                             .max_concurrent_tasks = 9})
                        .value();
    for (int i = 0; i < 8; ++i)
        ASSERT_TRUE(client.create_execution({.kind = "k", .lane = lane}).has_value());
    auto tasks = worker.claim_tasks(8, kPatience).value();
    ASSERT_EQ(tasks.size(), 8U);
    const auto ignore = [](const auto&...) {};
    ignore(tasks[0].renew_lease(), tasks[0].update_progress(1), tasks[0].append_frame("t", "p"),
           tasks[0].report_usage({{"x", 1}}), tasks[0].create_pending_waitpoint("k", Millis(1000)),
           tasks[0].close_waitpoint("w", "x"), tasks[0].resume_signals(),
           tasks[0].record_step("s", "v"));
    ignore(tasks[0].complete(), tasks[1].fail("x", "y"), tasks[2].cancel("x"),
           tasks[3].delay_execution(flowfabric::Due::in(Millis(1))),
           tasks[4].move_to_waiting_children(), tasks[5].release(),
           tasks[7].call_children({.children = {{.name = "c", .kind = "k"}}}));
    // The last one is renewed in the background, with the heartbeat of its worker.
    ASSERT_TRUE(wait_until([&] { return tasks[6].is_lease_healthy(); }));
    const auto held = client.list_leases("all", worker.config().worker_instance_id).value();
    ASSERT_FALSE(held.empty());
    ASSERT_TRUE(wait_until([&] {
        const auto now = client.list_leases("all", worker.config().worker_instance_id).value();
        return !now.empty() && now.back().expires_at > held.back().expires_at;
    }));
    ignore(tasks[6].suspend({.signals = {"x"}}));
    ASSERT_TRUE(worker.disconnect().has_value());
}

TEST(EveryRoute, HasAMethod) {
    const auto engine = flowfabric::Engine::open({}).value();
    const auto door = std::make_shared<RecordingDoor>(engine->client().door());
    const AdminClient client(door);
    const std::string lane = DoorWorld::unique("lane");
    ask_everything(client, engine->client().create_execution({.kind = "k"}).value().execution_id);
    work_with_everything(client, lane);
    // Pages of the server itself, and what serves browsers: streams of events have a feed here.
    const std::set<std::string> left_out{"GET /openapi.json",
                                         "POST /v1/executions/{id}/priority",  // as PUT
                                         "GET /v1/streams/{families}/subscribe",
                                         "GET /v1/executions/{id}/feed",
                                         "GET /v1/flows/{id}/feed",
                                         "GET /v1/executions/{id}/attempts/{idx}/stream/sse"};
    const auto described = engine->client().door()->send({.target = "/openapi.json"});
    const Json document = Json::parse(described.value().body).value();
    const std::set<std::string> asked = door->asked();
    std::size_t routes = 0;
    for (const auto& [path, methods] : document["paths"].members()) {
        for (const auto& [method, about] : methods.members()) {
            std::string name = method;
            std::transform(name.begin(), name.end(), name.begin(),
                           [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
            const std::string route = name + " " + path;
            ++routes;
            if (left_out.contains(route)) continue;
            EXPECT_TRUE(std::any_of(asked.begin(), asked.end(), [&](const std::string& one) {
                return is_instance(one, route);
            })) << route;
        }
    }
    EXPECT_GT(routes, 80U);
}

}  // namespace
}  // namespace ff::testing
