#include "base/json.h"
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

std::string document_of(World& world, const model::FlowId& flow, const std::vector<Node>& nodes) {
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
    out.end_array().key("seal").boolean(true).end_object();
    return text;
}

struct Author {
    World& world;
    std::string name;
    std::vector<model::FlowId> flows{};

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
        const Result<json::Document> document =
            json::Document::parse(document_of(world, flow, nodes));
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
            if (graph.has_value()) accepted(flow, *graph);
            co_return;
        }
    }

    void accepted(const model::FlowId& flow, const service::SubmittedGraph& graph) {
        if (!graph.problems.empty())
            world.history().broke("a graph without faults is accepted",
                                  flow.to_string() + ": " + graph.problems.front().code);
        for (const auto& [node, id] : graph.nodes) world.ledger().subject(id).acknowledged = true;
        flows.push_back(flow);
    }

    asio::awaitable<void> cancel_one() {
        const std::shared_ptr<Server> server = world.server();
        if (flows.empty() || !server) co_return;
        world.history().count(1);
        const model::FlowId flow = flows[world.chances().below(flows.size())];
        auto cancelling = server->services().flows.cancel({.flow_id = flow, .reason = "no"});
        const Result<service::CancelledFlow> cancelled = co_await std::move(cancelling);
        world.note(name, "cancel flow", flow.to_string(), outcome_of(cancelled));
    }
};

}  // namespace

asio::awaitable<void> flow_author(World& world, std::string name) {
    Author author{.world = world, .name = std::move(name)};
    while (!world.is_over() && !world.is_calm()) {
        co_await world.pause(world.chances().up_to(Millis(3'000)) + Millis(1));
        if (world.chances().below(4) == 0)
            co_await author.cancel_one();
        else
            co_await author.submit();
    }
}

}  // namespace ff::simulation
