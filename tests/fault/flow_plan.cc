#include "fault/flow_plan.h"

#include <algorithm>

#include "base/json.h"

namespace ff::fault {

using contract::FlowModel;
using State = FlowModel::State;

FlowPlan::FlowPlan(std::uint64_t seed, std::string flow_id, std::string lane)
    : random_(seed), id_(std::move(flow_id)), lane_(std::move(lane)) {
    fails_fast_ = below(6) == 0;
    const std::size_t count = 3 + below(22);
    for (std::size_t i = 0; i < count; ++i) nodes_.push_back(grow(i));
}

FlowPlan::Node FlowPlan::grow(std::size_t index) {
    Node node;
    node.succeeds = below(5) != 0;
    for (std::size_t wanted = below(4); wanted > 0 && index > 0; --wanted) {
        const std::size_t up = below(index);
        if (std::ranges::find(node.ups, up) != node.ups.end()) continue;
        node.ups.push_back(up);
        node.always.push_back(below(5) == 0);
    }
    const std::size_t kind = below(3);
    if (node.ups.empty() || kind == 0) return node;
    node.shape.cancels_rest = below(3) == 0;
    node.shape.join = kind == 1 ? FlowModel::Join::AnyOf : FlowModel::Join::Quorum;
    if (kind == 2) node.shape.k = 1 + below(node.ups.size());
    return node;
}

std::string FlowPlan::document() const {
    std::string text;
    json::Writer out(text);
    out.begin_object();
    out.key("flow_id").string(id_);
    out.key("namespace").string("crash");
    if (fails_fast_) out.key("failure_policy").string("fail_fast");
    out.key("defaults").begin_object().key("lane_id").string(lane_).end_object();
    out.key("nodes").begin_array();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const Node& node = nodes_[i];
        out.begin_object().key("name").string(name(i)).key("execution_kind").string("step");
        out.key("depends_on").begin_array();
        for (std::size_t j = 0; j < node.ups.size(); ++j) {
            out.begin_object().key("node").string(name(node.ups[j]));
            if (node.always[j]) out.key("kind").string("always");
            out.end_object();
        }
        out.end_array();
        if (node.shape.join != FlowModel::Join::AllOf) {
            const bool is_quorum = node.shape.join == FlowModel::Join::Quorum;
            out.key("join").begin_object().key("mode").string(is_quorum ? "quorum" : "any_of");
            if (is_quorum) out.key("k").integer(static_cast<std::int64_t>(node.shape.k));
            out.key("on_satisfied");
            out.string(node.shape.cancels_rest ? "cancel_remaining" : "let_run").end_object();
        }
        out.end_object();
    }
    out.end_array().end_object();
    return text;
}

std::string FlowPlan::differences(const FlowEnd& end) const {
    FlowModel model;
    for (const Node& node : nodes_) model.add(node.shape, node.ups, node.always);
    std::string found;
    // Which siblings a decided group still catches is a matter of time; the rest follows from it.
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (end.states.contains(name(i)) && end.states.at(name(i)) == "cancelled") {
            model.end(i, State::Cancelled, true);
        }
    }
    model.count_votes();
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        if (model.nodes[i].state == State::Waiting) {
            model.end(i, nodes_[i].succeeds ? State::Success : State::Failed);
            model.count_votes();
        }
    }
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
        const std::string expected = FlowModel::text(model.nodes[i].state);
        const auto actual = end.states.find(name(i));
        if (actual == end.states.end() || actual->second != expected) {
            found += name(i) + " is " + (actual == end.states.end() ? "missing" : actual->second) +
                     ", not " + expected + "; ";
        }
        if (model.nodes[i].state != State::Cancelled) continue;
        const bool is_allowed = std::ranges::any_of(model.nodes[i].out, [&](std::size_t edge) {
            const FlowModel::Node& down = model.nodes[model.edges[edge].down];
            return down.cancels_rest && down.group != FlowModel::Vote::Pending;
        });
        if (!is_allowed) found += name(i) + " was cancelled for no group; ";
    }
    if (end.public_flow_state != model.final_state()) {
        found += "the flow is " + end.public_flow_state + ", not " + model.final_state();
    }
    return found;
}

}  // namespace ff::fault
