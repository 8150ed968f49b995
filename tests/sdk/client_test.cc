// What the client says about the records of the engine, the same behind every door.

#include <algorithm>
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

TEST_P(Client, TakesExecutionsOverEndsHoldsAndForgetsLanes) {
    const std::string id = world.submit(lane);
    const std::string lease = "6f1de9c4-7c1f-4a3e-8a55-5a1d2b3c4d5e";
    const flowfabric::TakeOver request{
        .worker_id = "ann", .worker_instance_id = "ann-1", .lease_id = lease};
    const auto taken = client.take_over(id, request);
    ASSERT_TRUE(taken.has_value()) << taken.error().text();
    EXPECT_EQ(taken->lease_id, lease);
    EXPECT_EQ(client.take_over(id, request).value().lease_epoch, taken->lease_epoch);
    EXPECT_EQ(world.state(id), "active");
    const auto held =
        client.create_execution({.kind = "k", .lane = lane, .hold_for_dependencies = true});
    EXPECT_EQ(world.state(held->execution_id), "waiting_children");
    EXPECT_EQ(client.release_hold(held->execution_id).value(), "waiting");
    EXPECT_EQ(client.delete_lane(lane).error().code, "lane_in_use");
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
        if (event->family == "completion") {
            EXPECT_EQ(event->type, "success");
        }
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
    EXPECT_TRUE(client.update_quota(quota, {.max_concurrent = 9, .actor = "ann"}).has_value());
    EXPECT_EQ(client.describe_quota(quota).value().max_concurrent, 9);
    EXPECT_EQ(client.describe_quota(quota).value().max_per_window, 3);
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

TEST(Grants, AreFoundInEveryPartitionOfASpreadLane) {
    const auto engine = flowfabric::Engine::open({.settings = {{"FF_LANE_SPREAD", "8"}}}).value();
    const AdminClient& client = engine->client();
    std::set<std::string> made;
    for (int i = 0; i < 24; ++i)
        made.insert(client.create_execution({.kind = "k"}).value().execution_id);
    std::set<std::string> granted;
    for (int i = 0; i < 24; ++i) {
        const auto grant = client.request_grant({.worker_id = "w",
                                                 .worker_instance_id = "i",
                                                 .lane = "default",
                                                 .ttl = Millis(60'000)});
        ASSERT_TRUE(grant.has_value() && grant->has_value()) << i;
        granted.insert((*grant)->execution_id);
    }
    EXPECT_EQ(granted, made);
}

}  // namespace
}  // namespace ff::testing
