#pragma once

#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "contract/flow_model.h"

namespace ff::fault {

/// What became of a flow, as the server tells it.
struct FlowEnd {
    std::string public_flow_state{};
    /// Node name to public state.
    std::map<std::string, std::string> states{};
};

/// A random graph in which it is settled beforehand how every node ends that gets to run. How the
/// flow ends then follows from the rules alone, in whatever order its nodes run.
class FlowPlan {
  public:
    FlowPlan(std::uint64_t seed, std::string flow_id, std::string lane);

    const std::string& id() const { return id_; }
    std::string document() const;
    bool fails_fast() const { return fails_fast_; }
    std::size_t size() const { return nodes_.size(); }
    static std::string name(std::size_t node) { return "n" + std::to_string(node); }
    bool succeeds(std::size_t node) const { return nodes_[node].succeeds; }

    /// Every way in which this end is not that of the rules; empty if it is.
    std::string differences(const FlowEnd& end) const;

  private:
    struct Node {
        contract::FlowModel::Node shape{};
        std::vector<std::size_t> ups{};
        std::vector<bool> always{};
        bool succeeds = true;
    };

    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }
    Node grow(std::size_t index);

    std::mt19937_64 random_;
    std::string id_;
    std::string lane_;
    bool fails_fast_ = false;
    std::vector<Node> nodes_{};
};

}  // namespace ff::fault
