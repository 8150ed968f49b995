#include <map>

#include "base/json.h"
#include "model/flow_keys.h"
#include "model/graph_ids.h"
#include "simulation/actor.h"

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

struct Node {
    std::string name{};
    std::string lane{};
    std::string payload{};
    std::vector<std::size_t> upstream{};
    std::string mode{};
    std::size_t least = 0;
};

std::vector<Node> draw_nodes(World& world) {
    Chances& chances = world.chances();
    const Plan& plan = world.plan();
    std::vector<Node> nodes;
    for (std::uint64_t i = 0, count = chances.between(1, 7); i < count; ++i) {
        Node node{.name = "n" + std::to_string(i),
                  .lane = plan.lanes[chances.below(plan.lanes.size())],
                  .payload = "payload " + std::to_string(chances.below(1'000'000))};
        for (std::size_t before = 0; before < nodes.size(); ++before)
            if (chances.below(3) == 0) node.upstream.push_back(before);
        node.least = node.upstream.size();
        if (node.upstream.size() > 1 && chances.coin()) {
            node.mode = chances.coin() ? "any_of" : "quorum";
            node.least = node.mode == "any_of" ? 1 : chances.between(1, node.upstream.size());
        }
        nodes.push_back(std::move(node));
    }
    return nodes;
}

std::string document_of(World& world, const model::FlowId& flow, const std::vector<Node>& nodes,
                        bool sealed) {
    std::string text;
    json::Writer out(text);
    out.begin_object().key("flow_id").string(flow.to_string()).key("flow_kind").string("net");
    out.key("namespace").string("acme").key("nodes").begin_array();
    for (const Node& node : nodes) {
        out.begin_object().key("name").string(node.name).key("lane_id").string(node.lane);
        out.key("execution_kind").string("work").key("payload").string(node.payload);
        if (!node.upstream.empty()) {
            out.key("depends_on").begin_array();
            for (const std::size_t up : node.upstream) out.string(nodes[up].name);
            out.end_array();
        }
        if (!node.mode.empty()) {
            out.key("join").begin_object().key("mode").string(node.mode);
            if (node.mode == "quorum") out.key("k").unsigned_integer(node.least);
            out.key("on_satisfied");
            out.string(world.chances().coin() ? "let_run" : "cancel_remaining").end_object();
        }
        out.end_object();
    }
    out.end_array().key("seal").boolean(sealed).end_object();
    return text;
}

/// A flow that was accepted.
struct Growing {
    model::FlowId id;
    bool sealed = false;
    /// Members in the order of the document; whether one waits for all that it depends on.
    std::vector<std::pair<model::ExecutionId, bool>> members{};
};

struct Author {
    World& world;
    std::string name;
    std::vector<Growing> flows{};
    /// By flow: when it was cancelled, and when that was done.
    std::map<std::string, std::pair<std::string, std::string>> cancels{};

    void announce(const model::FlowId& flow, const std::vector<Node>& nodes) {
        const model::PartitionConfig partitions = partitions_of(world.plan());
        std::vector<model::ExecutionId> ids;
        for (const Node& node : nodes)
            ids.push_back(model::node_execution_id(flow, node.name, partitions));
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            Subject& subject = world.ledger().subject(ids[i]);
            subject.lane = nodes[i].lane;
            subject.payload = nodes[i].payload;
            subject.known = true;
            subject.ends_by_itself = true;
            for (const std::size_t up : nodes[i].upstream) subject.upstream.push_back(ids[up]);
            subject.upstream_least = nodes[i].least;
        }
    }

    asio::awaitable<void> submit() {
        const model::FlowId flow = model::FlowId::mint(world.chances().random());
        const std::vector<Node> nodes = draw_nodes(world);
        announce(flow, nodes);
        const bool sealed = !world.chances().happens(world.crowd().grows);
        const Result<json::Document> document =
            json::Document::parse(document_of(world, flow, nodes, sealed));
        for (int tries = 0; tries < 4; ++tries) {
            const std::shared_ptr<Server> server = world.server();
            if (!server) {
                co_await world.pause(Millis(200));
                continue;
            }
            world.history().count(nodes.size());
            auto submitting = server->services().flows.submit(document->root());
            const Result<service::SubmittedGraph> graph = co_await std::move(submitting);
            world.note(name, "submit flow", flow.to_string(), outcome_of(graph));
            if (world.chances().happens(world.crowd().forgets_reply)) continue;
            if (!graph.has_value() && seen_of(graph) != Seen::Refused) continue;
            if (graph.has_value()) accepted(flow, *graph, nodes, sealed);
            co_return;
        }
    }

    void accepted(const model::FlowId& flow, const service::SubmittedGraph& graph,
                  const std::vector<Node>& nodes, bool sealed) {
        if (!graph.problems.empty())
            world.history().broke("a graph without faults is accepted",
                                  flow.to_string() + ": " + graph.problems.front().code);
        Growing made{.id = flow, .sealed = sealed};
        for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
            world.ledger().subject(graph.nodes[i].second).acknowledged = true;
            made.members.emplace_back(graph.nodes[i].second, nodes[i].mode.empty());
        }
        flows.push_back(std::move(made));
    }

    /// A member gets one more to wait for, at once or in two steps.
    asio::awaitable<void> grow() {
        Chances& chances = world.chances();
        const std::shared_ptr<Server> server = world.server();
        if (flows.empty() || !server) co_return;
        const Growing flow = flows[chances.below(flows.size())];
        if (flow.sealed || flow.members.size() < 2) co_return;
        const std::size_t down = chances.between(1, flow.members.size() - 1);
        if (!flow.members[down].second) co_return;
        const model::ExecutionId upstream = flow.members[chances.below(down)].first;
        const model::ExecutionId downstream = flow.members[down].first;
        const service::NewEdge edge{.flow_id = flow.id,
                                    .edge = {.id = model::EdgeId::mint(chances.random()),
                                             .upstream = upstream,
                                             .downstream = downstream},
                                    .apply = chances.coin()};
        world.history().count(1);
        auto staging = server->services().flows.stage_edge(edge);
        const Result<engine::StageDependencyEdge::Outcome> staged = co_await std::move(staging);
        world.note(name, "stage edge", downstream.to_string(), outcome_of(staged));
        if (!staged.has_value()) co_return;
        if (!edge.apply) {
            if (chances.coin()) co_await world.pause(chances.up_to(Millis(2'000)));
            auto applying = server->services().flows.apply_edge(edge, staged->graph_revision);
            const Result<engine::ApplyDependencyToChild::Outcome> applied =
                co_await std::move(applying);
            world.note(name, "apply edge", downstream.to_string(), outcome_of(applied));
            if (!applied.has_value()) co_return;
        }
        world.ledger()
            .subject(downstream)
            .late_upstream.emplace_back(upstream, world.ledger().now());
    }

    /// A cancel that was done stays done when it was.
    void look_at_cancel(const model::FlowId& flow) {
        if (!world.process().life()) return;
        const std::string core = model::FlowKeys(flow, partitions_of(world.plan())).core();
        const auto field = [&](const std::string& which) {
            const resp::Value value = world.process().look({"HGET", core, which});
            return std::string(value.text().value_or(""));
        };
        const std::pair<std::string, std::string> now{
            field("cancelled_at"), field(model::flow_core_field("cancel_completed_at"))};
        std::pair<std::string, std::string>& before = cancels[flow.to_string()];
        if (before.first == now.first && !before.second.empty() && before.second != now.second)
            world.history().broke("an acknowledged end stays",
                                  flow.to_string() + ": its cancel was done at " + before.second +
                                      " and at " + now.second);
        before = now;
    }

    asio::awaitable<void> cancel_one() {
        const std::shared_ptr<Server> server = world.server();
        if (flows.empty() || !server) co_return;
        world.history().count(1);
        const std::size_t recent = std::min<std::size_t>(flows.size(), 3);
        const model::FlowId flow = flows[flows.size() - 1 - world.chances().below(recent)].id;
        auto cancelling = server->services().flows.cancel({.flow_id = flow, .reason = "no"});
        const Result<service::CancelledFlow> cancelled = co_await std::move(cancelling);
        world.note(name, "cancel flow", flow.to_string(), outcome_of(cancelled));
        for (const Growing& one : flows) look_at_cancel(one.id);
    }
};

}  // namespace

asio::awaitable<void> flow_author(World& world, std::string name) {
    Author author{.world = world, .name = std::move(name)};
    while (!world.is_over() && !world.is_calm()) {
        co_await world.pause(world.chances().up_to(Millis(3'000)) + Millis(1));
        switch (world.chances().below(4)) {
            case 0:
                co_await author.cancel_one();
                break;
            case 1:
                co_await author.grow();
                co_await author.grow();
                break;
            default:
                co_await author.submit();
        }
    }
}

}  // namespace ff::simulation
