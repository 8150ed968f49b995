#include "contract/flow_model.h"

#include <algorithm>
#include <utility>

namespace ff::contract {

std::size_t FlowModel::add(Node node, const std::vector<std::size_t>& ups,
                           const std::vector<bool>& always) {
    const std::size_t index = nodes.size();
    for (std::size_t i = 0; i < ups.size(); ++i) {
        node.in.push_back(edges.size());
        nodes[ups[i]].out.push_back(edges.size());
        edges.push_back({.up = ups[i], .down = index, .always = always[i]});
    }
    if (!ups.empty()) {
        node.state = State::Blocked;
        node.group = Vote::Pending;
    }
    nodes.push_back(std::move(node));
    return index;
}

FlowModel::Vote FlowModel::evaluate(const Node& node) const {
    std::size_t good = 0;
    std::size_t bad = 0;
    for (const std::size_t id : node.in) {
        if (edges[id].vote == Vote::Satisfied) ++good;
        if (edges[id].vote == Vote::Impossible) ++bad;
    }
    std::size_t k = node.in.size();
    if (node.join == Join::AnyOf) k = 1;
    if (node.join == Join::Quorum) k = node.k;
    if (good >= k) return Vote::Satisfied;
    return bad > node.in.size() - k ? Vote::Impossible : Vote::Pending;
}

void FlowModel::resolve(Edge& edge) {
    const Node& up = nodes[edge.up];
    if (edge.vote != Vote::Pending || up.replays < edge.replay_min) return;
    edge.vote = satisfies(edge, up.state) ? Vote::Satisfied : Vote::Impossible;
    Node& down = nodes[edge.down];
    if (down.group != Vote::Pending) return;
    down.group = evaluate(down);
    down.has_fired = down.group != Vote::Pending;
    if (down.group == Vote::Satisfied && down.state == State::Blocked) down.state = State::Waiting;
    skip_if_impossible(edge.down);
}

void FlowModel::skip_if_impossible(std::size_t index) {
    const Node& node = nodes[index];
    if (node.group != Vote::Impossible || is_terminal(node.state)) return;
    if (std::find(cancelled_.begin(), cancelled_.end(), index) != cancelled_.end()) return;
    end(index, State::Skipped);
}

void FlowModel::end(std::size_t node, State outcome, bool benign) {
    nodes[node].state = outcome;
    nodes[node].benign = benign;
    votes_.insert(votes_.end(), nodes[node].out.begin(), nodes[node].out.end());
}

void FlowModel::follow_ended(std::size_t node) {
    for (const std::size_t id : nodes[node].in) {
        if (is_terminal(nodes[edges[id].up].state)) votes_.push_back(id);
    }
}

void FlowModel::count_votes() {
    while (!votes_.empty()) {
        const std::size_t id = votes_.front();
        votes_.pop_front();
        resolve(edges[id]);
    }
}

bool FlowModel::is_unneeded(const Node& node) const {
    if (is_terminal(node.state)) return false;
    bool is_listed = false;
    for (const std::size_t id : node.out) {
        const Node& down = nodes[edges[id].down];
        if (down.group == Vote::Pending && !is_terminal(down.state)) return false;
        is_listed |= down.cancels_rest && down.has_fired;
    }
    return is_listed;
}

/// Whether the last group that fired in this step may have found another one undecided, or lets
/// run.
bool FlowModel::may_be_spared(const Node& node) const {
    return std::any_of(node.out.begin(), node.out.end(), [&](std::size_t id) {
        const Node& down = nodes[edges[id].down];
        return down.group == Vote::Pending || (down.has_fired && !down.cancels_rest);
    });
}

void FlowModel::settle(std::vector<std::size_t> cancelled) {
    cancelled_ = std::move(cancelled);
    count_votes();
    const auto may_go = [&](std::size_t i) { return is_unneeded(nodes[i]); };
    for (;;) {
        const auto found = std::find_if(cancelled_.begin(), cancelled_.end(), may_go);
        if (found == cancelled_.end()) break;
        end(*found, State::Cancelled, true);
        cancelled_.erase(found);
        count_votes();
    }
    for (const std::size_t i : std::exchange(cancelled_, {})) skip_if_impossible(i);
    count_votes();
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (is_unneeded(nodes[i]) && !may_be_spared(nodes[i])) end(i, State::Cancelled, true);
        count_votes();
    }
    for (Node& node : nodes) node.has_fired = false;
}

void FlowModel::replay(std::size_t index) {
    Node& node = nodes[index];
    const bool reviews = node.state == State::Skipped || node.group == Vote::Impossible;
    ++node.replays;
    node.benign = false;
    for (const std::size_t id : node.in) {
        Edge& edge = edges[id];
        if (!reviews || edge.vote == Vote::Satisfied) continue;
        const Node& up = nodes[edge.up];
        edge.vote = Vote::Pending;
        edge.replay_min = up.replays;
        if (!is_terminal(up.state)) continue;
        if (satisfies(edge, up.state)) {
            edge.vote = Vote::Satisfied;
        } else {
            edge.replay_min = up.replays + 1;
        }
    }
    if (reviews) node.group = evaluate(node);
    node.state = node.group == Vote::Pending ? State::Blocked : State::Waiting;
}

std::string FlowModel::text(State state) {
    switch (state) {
        case State::Blocked:
            return "waiting_children";
        case State::Waiting:
            return "waiting";
        case State::Active:
            return "active";
        case State::Success:
            return "completed";
        case State::Failed:
            return "failed";
        case State::Cancelled:
            return "cancelled";
        case State::Skipped:
            return "skipped";
    }
    return "";
}

bool FlowModel::all_terminal() const {
    for (const Node& node : nodes) {
        if (!is_terminal(node.state)) return false;
    }
    return true;
}

std::string FlowModel::final_state() const {
    for (const Node& node : nodes) {
        if (node.state == State::Failed) return "failed";
        if (node.state == State::Cancelled && !node.benign) return "failed";
    }
    return "completed";
}

}  // namespace ff::contract
