// What the client says about the records of the engine, the same behind every door.

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
using flowfabric::Task;
using flowfabric::Worker;

class Client : public ::testing::TestWithParam<std::string> {
  protected:
    DoorWorld& world = door_world(GetParam());
    const AdminClient& client = world.client();
    std::string lane = DoorWorld::unique("lane");

    Task claim_one(Worker& worker) {
        return std::move(worker.claim_tasks(1, kPatience).value().at(0));
    }
    Json graph() const {
        return Json::parse(R"({"flow_kind":"sdk","namespace":"default","defaults":{"lane_id":")" +
                           lane + R"("},"nodes":[{"name":"a","execution_kind":"k"},
                           {"name":"b","execution_kind":"k","depends_on":["a"]}]})")
            .value();
    }
};

TEST_P(Client, TellsTheAttemptsLeasesAndSignalsOfAnExecution) {
    Worker worker = world.worker(lane);
    const std::string id = world.submit(lane);
    Task task = claim_one(worker);
    const auto held = client.list_leases("tester", worker.config().worker_instance_id).value();
    ASSERT_EQ(held.size(), 1U);
    EXPECT_EQ(held[0].lease_id, task.info().lease_id);
    EXPECT_EQ(held[0].lease_epoch, task.info().lease_epoch);
    const auto explained = client.explain(id).value();
    EXPECT_FALSE(explained.summary.empty());
    EXPECT_EQ(explained.execution.public_state, "active");
    EXPECT_EQ(explained.lane_state, "active");
    const auto suspended = task.suspend({.reason = "waiting_for_signal",
                                         .signals = {"go"},
                                         .timeout = Millis(60'000),
                                         .continuation = std::string("\0\xff", 2)});
    ASSERT_TRUE(suspended.has_value()) << suspended.error().text();
    const auto open = client.get_suspension(id).value();
    EXPECT_EQ(open.suspension_id, suspended->suspension_id);
    EXPECT_EQ(open.reason, "waiting_for_signal");
    EXPECT_GT(open.timeout_at, open.created_at);
    EXPECT_EQ(open.on_timeout, "fail");
    EXPECT_EQ(open.continuation, std::string("\0\xff", 2));
    EXPECT_TRUE(open.close_reason.empty());
    ASSERT_EQ(open.waitpoints.size(), 1U);
    EXPECT_TRUE(open.waitpoints[0].token.empty());
    EXPECT_EQ(client.resume_execution(id, "ann").value(), "waiting");
    EXPECT_TRUE(claim_one(worker).fail("broken", "test").has_value());
    const auto attempts = client.list_attempts(id).value();
    ASSERT_EQ(attempts.size(), 1U);
    EXPECT_EQ(attempts[0].state, "ended_failure");
    EXPECT_EQ(attempts[0].type, "initial");
    EXPECT_EQ(attempts[0].failure_reason, "broken");
    EXPECT_GT(attempts[0].ended_at, 0);
    const auto history = client.lease_history(id).value();
    ASSERT_EQ(history.events.size(), 4U);
    EXPECT_EQ(history.events[0].event, "acquired");
    EXPECT_EQ(history.events[1].reason, "suspend");
    EXPECT_EQ(history.events[2].lease_epoch, 2);
    EXPECT_EQ(history.events[3].reason, "failed_terminal");
}

TEST_P(Client, ChangesPrioritiesRevokesAndReclaims) {
    Worker worker = world.worker(lane);
    const std::string id = world.submit(lane);
    const auto changed = client.change_priority(id, 7).value();
    EXPECT_EQ(changed.old_priority, 0);
    EXPECT_EQ(changed.new_priority, 7);
    Task task = claim_one(worker);
    const auto revoked = client.revoke_lease(id, "test").value();
    EXPECT_EQ(revoked.lease_id, task.info().lease_id);
    EXPECT_EQ(revoked.lease_epoch, task.info().lease_epoch);
    EXPECT_FALSE(client.revoke_lease(id, "test").value().already.empty());
    const auto answer =
        client.reclaim_execution(id, {.worker_id = "tester",
                                      .worker_instance_id = worker.config().worker_instance_id,
                                      .lane = lane});
    ASSERT_TRUE(answer.has_value()) << answer.error().text();
    EXPECT_EQ(answer->status, "granted");
    EXPECT_EQ(answer->grant.execution_id, id);
    EXPECT_GT(answer->grant.expires_at, 0);
    EXPECT_FALSE(task.complete().has_value());
}

TEST_P(Client, ReadsStreamsOfOneAttemptAndOfAll) {
    Worker worker = world.worker(lane);
    const std::string id = world.submit(
        lane, "{}", "work",
        R"({"retry_policy":{"max_retries":1,"backoff":{"type":"fixed","delay_ms":0}}})");
    Task first = claim_one(worker);
    EXPECT_TRUE(first.append_frame("log", "one").has_value());
    EXPECT_TRUE(client.annotate(id, 0, {.payload = "seen"}).has_value());
    EXPECT_TRUE(first.append_frame("summary", R"({"step":1})", "", "summary").has_value());
    EXPECT_TRUE(first.fail("again", "test").value().retry_scheduled);
    Task second = claim_one(worker);
    EXPECT_TRUE(second.append_frame("log", "two").has_value());
    const auto merged = client.read_merged(id).value();
    ASSERT_GE(merged.frames.size(), 3U);
    EXPECT_EQ(merged.frames.front().attempt_index, 0);
    EXPECT_EQ(merged.frames.front().frame.payload, "one");
    EXPECT_EQ(merged.frames.back().attempt_index, 1);
    EXPECT_EQ(merged.frames.back().frame.payload, "two");
    ASSERT_TRUE(merged.latest_summary.has_value());
    EXPECT_EQ(merged.latest_summary->document["step"].integer(), 1);
    EXPECT_TRUE(client.read_merged(id, merged.next).value().frames.empty());
    EXPECT_EQ(client.read_merged(id, "", true).value().frames.size(), 1U);
    EXPECT_EQ(client.read_merged(id, "", false, 1).value().frames.size(), 1U);
    EXPECT_TRUE(client.read_merged(id, "", false, 1).value().more);
    const auto summary = client.read_summary(id, 0).value();
    EXPECT_EQ(summary.version, 1);
    EXPECT_GT(summary.closed_at, 0);
    const auto info = client.stream_info(id, 0).value();
    EXPECT_EQ(info.frame_count, 3);
    EXPECT_FALSE(info.closed_reason.empty());
    EXPECT_TRUE(second.complete().has_value());
}

TEST_P(Client, AFeedGivesEveryEventOnceAndWakesForTheNext) {
    flowfabric::Feed feed = client.feed({.lane = lane, .limit = 2});
    EXPECT_FALSE(feed.next(Millis(0)).value().has_value()) << "it begins now";
    const std::string start = feed.cursor();
    Worker worker = world.worker(lane);
    std::set<std::string> ids;
    for (int i = 0; i < 3; ++i) {
        ids.insert(world.submit(lane));
        EXPECT_TRUE(claim_one(worker).complete().has_value());
    }
    std::set<std::string> seen;
    std::set<std::string> ended;
    // Per task: a lease acquired, a completion, and the release that is the same entry.
    for (int i = 0; i < 9; ++i) {
        const auto event = feed.next_event(kPatience).value();
        ASSERT_TRUE(event.has_value()) << i;
        EXPECT_TRUE(seen.insert(event->event_id).second) << event->event_id;
        EXPECT_EQ(event->lane, lane);
        EXPECT_GT(event->at, 0);
        if (event->family == "completion") ended.insert(event->execution_id);
        if (event->family == "completion") EXPECT_EQ(event->type, "success");
    }
    EXPECT_EQ(ended, ids);
    EXPECT_FALSE(feed.next(Millis(0)).value().has_value());
    // A second one that begins where the first began tells the same; a third, at its end, nothing.
    flowfabric::Feed again =
        client.feed({.families = {"completion"}, .cursor = start, .lane = lane});
    for (int i = 0; i < 3; ++i)
        EXPECT_TRUE(ended.contains(again.next_event(kPatience).value()->execution_id));
    EXPECT_FALSE(
        client.feed({.cursor = feed.cursor(), .lane = lane}).next(Millis(0)).value().has_value());
    EXPECT_EQ(client.feed({.families = {"nothing"}}).next(Millis(0)).error().status, 404U);
    EXPECT_EQ(client.feed({.cursor = "!"}).next(Millis(0)).error().code, "invalid_cursor");
}

TEST_P(Client, BuildsFlowsPieceByPieceAndTellsWhatTheyAre) {
    const std::string flow =
        client.create_flow({.kind = "made", .failure_policy = "fail_fast"}).value();
    std::vector<std::string> ids;
    for (int i = 0; i < 2; ++i) {
        const auto created = client.create_execution({.kind = "k",
                                                      .lane = lane,
                                                      .colocate_with_flow = flow,
                                                      .hold_for_dependencies = i == 1});
        ids.push_back(created.value().execution_id);
        EXPECT_EQ(client.add_execution_to_flow(flow, ids.back()).value(), i + 1);
    }
    EXPECT_TRUE(
        client.set_edge_group_policy(flow, ids[1], {.policy = "any_of", .on_satisfied = "let_run"})
            .has_value());
    const flowfabric::NewEdge edge{.upstream = ids[0], .downstream = ids[1]};
    const auto staged = client.stage_dependency_edge(flow, edge);
    ASSERT_TRUE(staged.has_value()) << staged.error().text();
    EXPECT_FALSE(staged->already_satisfied);
    EXPECT_TRUE(client.stage_dependency_edge(flow, edge).value().already_satisfied);
    flowfabric::NewEdge known = edge;
    known.edge_id = staged->edge_id;
    const auto applied = client.apply_dependency_to_child(flow, known, staged->graph_revision);
    ASSERT_TRUE(applied.has_value()) << applied.error().text();
    EXPECT_EQ(applied->unsatisfied_count, 1);
    EXPECT_TRUE(client.set_flow_tags(flow, {{"app.team", "a"}}).has_value());
    EXPECT_FALSE(client.seal_flow(flow).value().already_satisfied);
    const auto info = client.describe_flow(flow).value();
    EXPECT_EQ(info.kind, "made");
    EXPECT_EQ(info.failure_policy, "fail_fast");
    EXPECT_EQ(info.node_count, 2);
    EXPECT_EQ(info.edge_count, 1);
    EXPECT_TRUE(info.sealed);
    EXPECT_EQ(info.tags.at("app.team"), "a");
    const auto shape = client.flow_graph(flow).value();
    EXPECT_EQ(shape.nodes.size(), 2U);
    ASSERT_EQ(shape.edges.size(), 1U);
    EXPECT_EQ(shape.edges[0].upstream, ids[0]);
    EXPECT_EQ(shape.edges[0].kind, "success_only");
    ASSERT_EQ(shape.groups.size(), 1U);
    EXPECT_EQ(shape.groups[0].policy, "any_of");
    EXPECT_EQ(client.flow_members(flow).value().members.size(), 2U);
    EXPECT_EQ(client.flow_edges(flow).value().edges.size(), 1U);
    EXPECT_FALSE(client.flow_summary(flow).value().counts.empty());
}

TEST_P(Client, SubmitsListsReplaysAndCancelsWholeFlows) {
    const auto flow = client.submit_flow(graph()).value();
    Worker worker = world.worker(lane);
    EXPECT_TRUE(claim_one(worker).fail("no", "permanent").has_value());
    ASSERT_TRUE(wait_until([&] { return world.state(flow.nodes.at("b")) == "skipped"; }));
    EXPECT_EQ(client.flow_graph(flow.flow_id).value().flow.ended.at("failed"), 1);
    EXPECT_EQ(client.replay_subgraph(flow.nodes.at("a"), "again").value().size(), 2U);
    const auto cancelled = client.cancel_flow(flow.flow_id, "enough", Millis(10'000)).value();
    EXPECT_EQ(cancelled.status, "cancelled");
    EXPECT_EQ(cancelled.member_count, 2);
    EXPECT_EQ(client.describe_flow(flow.flow_id).value().cancel_reason, "enough");
    const auto listed = client.list_flows({.ns = "default", .limit = 1000}).value();
    EXPECT_TRUE(std::any_of(listed.flows.begin(), listed.flows.end(),
                            [&](const auto& one) { return one.flow_id == flow.flow_id; }));
    EXPECT_EQ(client.describe_flow("x").error().status, 400U);
}

TEST_P(Client, KeepsBudgetsAndQuotas) {
    const std::string budget = client
                                   .create_budget({.scope = {"lane", lane},
                                                   .hard_limits = {{"tokens", 100}, {"usd", 5}},
                                                   .soft_limits = {{"tokens", 50}},
                                                   .reset_interval = Millis(3'600'000)})
                                   .value();
    const std::string id = world.submit(lane);
    EXPECT_EQ(client.spend_budget(budget, id, {{"tokens", 60}}, "a").value().status, "soft_breach");
    EXPECT_EQ(client.spend_budget(budget, id, {{"tokens", 60}}, "a").value().status,
              "already_applied");
    auto info = client.describe_budget(budget).value();
    EXPECT_EQ(info.scope.id, lane);
    EXPECT_EQ(info.usage.at("tokens"), 60);
    EXPECT_EQ(info.remaining.at("tokens"), 40);
    EXPECT_EQ(info.soft_limits.at("tokens"), 50);
    EXPECT_GT(info.next_reset_at, 0);
    EXPECT_GT(
        client.update_budget(budget, {.hard_limits = {{"tokens", 60}}, .actor = "ann"}).value(),
        info.revision);
    EXPECT_EQ(client.describe_budget(budget).value().exhausted, std::vector<std::string>{"tokens"});
    const auto released = client.release_budget(budget, id).value();
    EXPECT_TRUE(released.released);
    EXPECT_EQ(released.dimensions.at("tokens"), 60);
    EXPECT_FALSE(client.release_budget(budget, id).value().released);
    EXPECT_GT(client.reset_budget(budget).value(), 0);
    EXPECT_TRUE(client.attach_budget(budget, {"lane", lane}).has_value());
    EXPECT_TRUE(client.detach_budget(budget, {"lane", lane}).has_value());
    EXPECT_FALSE(client.list_budgets("", 1).value().next_cursor.empty() &&
                 client.list_budgets("", 1).value().budgets.empty());
    EXPECT_EQ(client.create_budget({.soft_limits = {{"x", 1}}}).error().code, "config");
    const std::string quota =
        client
            .create_quota(
                {.name = "q", .scope = {"lane", lane}, .max_per_window = 3, .max_concurrent = 2})
            .value();
    const auto limits = client.describe_quota(quota).value();
    EXPECT_EQ(limits.name, "q");
    EXPECT_EQ(limits.max_per_window, 3);
    EXPECT_EQ(limits.max_concurrent, 2);
    EXPECT_EQ(limits.held_slots, 0);
    EXPECT_TRUE(client.attach_quota(quota, {"lane", lane}).has_value());
    EXPECT_TRUE(client.detach_quota(quota, {"lane", lane}).has_value());
    EXPECT_FALSE(client.list_quotas().value().quotas.empty());
}

TEST_P(Client, TellsLanesWorkersSecretsAndTheServer) {
    world.submit(lane);
    EXPECT_TRUE(client.set_lane(lane, {.state = "paused", .scheduling_weight = 3}).has_value());
    const auto lanes = client.list_lanes().value().lanes;
    const auto mine =
        std::find_if(lanes.begin(), lanes.end(), [&](const auto& one) { return one.lane == lane; });
    ASSERT_NE(mine, lanes.end());
    EXPECT_EQ(mine->state, "paused");
    EXPECT_EQ(mine->scheduling_weight, 3);
    flowfabric::WorkerConfig config = world.config(lane);
    config.ns = DoorWorld::unique("ns");
    config.capabilities = {"gpu"};
    const Worker worker = Worker::connect(config).value();
    const auto workers = client.list_workers(config.ns).value().workers;
    ASSERT_EQ(workers.size(), 1U);
    EXPECT_EQ(workers[0].worker_instance_id, config.worker_instance_id);
    EXPECT_EQ(workers[0].lanes, std::vector<std::string>{lane});
    EXPECT_EQ(workers[0].capabilities, std::vector<std::string>{"gpu"});
    EXPECT_GT(workers[0].last_heartbeat_at, 0);
    const auto facts = client.capabilities().value();
    EXPECT_EQ(facts.backend, GetParam() == "direct" ? "valkey" : "embedded");
    EXPECT_EQ(facts.flow_partitions, 256);
    EXPECT_GT(facts.library_version, 0);
    const auto rotated = client.rotate_waitpoint_secret("next", std::string(64, 'b')).value();
    EXPECT_EQ(rotated.rotated, 256);
    EXPECT_TRUE(rotated.failed.empty());
    const auto kids = client.waitpoint_kids().value();
    EXPECT_EQ(kids.current, "next");
    EXPECT_TRUE(kids.in_step);
    const auto page = client.audit("", 1000).value();
    EXPECT_TRUE(std::any_of(page.entries.begin(), page.entries.end(), [](const auto& entry) {
        return entry.event.find("rotate") != std::string::npos && entry.at > 0;
    })) << (page.entries.empty() ? "nothing" : page.entries.back().raw.dump());
}

INSTANTIATE_TEST_SUITE_P(Doors, Client, ::testing::Values("http", "direct", "inprocess"),
                         [](const auto& info) { return info.param; });

TEST(Rotation, OfAStoreNeedsNoServer) {
    DoorWorld& world = door_world("direct");
    const flowfabric::EngineOptions store{.valkey_host = "127.0.0.1",
                                          .valkey_port = world.valkey_port()};
    const auto rotated = flowfabric::rotate_all_partitions(store, "k9", std::string(64, 'c'));
    ASSERT_TRUE(rotated.has_value()) << rotated.error().text();
    EXPECT_EQ(rotated->rotated, 256);
    EXPECT_EQ(world.client().waitpoint_kids().value().current, "k9");
    EXPECT_EQ(flowfabric::rotate_all_partitions({}, "k", "00").error().code, "config");
}

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
    ignore(client.create_execution({.kind = "k"}), client.create_executions({{.kind = "k"}}),
           client.describe_execution(id), client.get_state(id), client.get_payload(id),
           client.get_input(id, "x"), client.get_result(id),
           client.wait_for_terminal(id, Millis(0)), client.explain(id), client.list_executions({}),
           client.get_tags(id), client.set_tags(id, {{"app.x", "1"}}),
           client.cancel_execution(id, "x"), client.change_priority(id, 1),
           client.replay_execution(id, "x"), client.revoke_lease(id, "x"),
           client.reclaim_execution(id, {}), client.resume_execution(id, "x"),
           client.get_suspension(id), client.list_signals(id), client.list_attempts(id),
           client.lease_history(id), client.list_pending_waitpoints(id),
           client.waitpoint_token(id, "w"), client.deliver_signal(id, {}),
           client.approve(id, "w", "s", "a"), client.read_stream(id, 0),
           client.tail_stream(id, 0, "0-0", Millis(0)), client.stream_info(id, 0),
           client.read_summary(id, 0), client.read_merged(id), client.annotate(id, 0, {}),
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
           client.attach_quota("q", {}), client.detach_quota("q", {}));
    ignore(client.list_lanes(), client.set_lane("l", {}), client.list_workers("default"),
           client.list_leases("w", "i"), client.request_grant({.worker_id = "w"}),
           client.rotate_waitpoint_secret("", ""), client.waitpoint_kids(), client.capabilities(),
           client.ping(), client.ready(), client.metrics(), client.backup(""));
}

void work_with_everything(const AdminClient& client, const std::string& lane) {
    Worker worker = Worker::connect(client, {.worker_id = "all",
                                             .worker_instance_id = DoorWorld::unique("all"),
                                             .lanes = {lane},
                                             .lease_ttl = Millis(1000),
                                             .max_concurrent_tasks = 9})
                        .value();
    for (int i = 0; i < 7; ++i)
        ASSERT_TRUE(client.create_execution({.kind = "k", .lane = lane}).has_value());
    auto tasks = worker.claim_tasks(7, kPatience).value();
    ASSERT_EQ(tasks.size(), 7U);
    const auto ignore = [](const auto&...) {};
    ignore(tasks[0].renew_lease(), tasks[0].update_progress(1), tasks[0].append_frame("t", "p"),
           tasks[0].report_usage({{"x", 1}}), tasks[0].create_pending_waitpoint("k", Millis(1000)),
           tasks[0].close_waitpoint("w", "x"), tasks[0].resume_signals());
    ignore(tasks[0].complete(), tasks[1].fail("x", "y"), tasks[2].cancel("x"),
           tasks[3].delay_execution(flowfabric::Due::in(Millis(1))),
           tasks[4].move_to_waiting_children(), tasks[5].release());
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
