#pragma once

#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace ff::contract {

/// The rules of chapter 05 about who may run, in plain C++ and without a store: edges, groups,
/// skips, sibling cancels and replays of one flow. What an end leads to happens when its
/// votes are counted.
class FlowModel {
  public:
    enum class State : std::uint8_t {
        Blocked,
        Waiting,
        Active,
        Success,
        Failed,
        Cancelled,
        Skipped
    };
    enum class Vote : std::uint8_t { Pending, Satisfied, Impossible };
    enum class Join : std::uint8_t { AllOf, AnyOf, Quorum };

    struct Edge {
        std::size_t up = 0;
        std::size_t down = 0;
        bool always = false;
        Vote vote = Vote::Pending;
        int replay_min = 0;
    };
    struct Node {
        Join join = Join::AllOf;
        std::size_t k = 0;
        bool cancels_rest = false;
        State state = State::Waiting;
        Vote group = Vote::Satisfied;
        /// A vote of this step decided the group.
        bool has_fired = false;
        int replays = 0;
        bool benign = false;
        std::vector<std::size_t> in{};
        std::vector<std::size_t> out{};
    };

    /// Adds a node behind these upstreams; `always` tells of each edge which kind it is.
    std::size_t add(Node node, const std::vector<std::size_t>& ups,
                    const std::vector<bool>& always);
    /// Upstreams that have ended vote about a new node.
    void follow_ended(std::size_t node);
    void end(std::size_t node, State outcome, bool benign = false);
    void replay(std::size_t node);
    /// What the ends so far decide, skips and all; cancels nobody.
    void count_votes();
    /// Follows the votes of this step to their end. Whether a member that a decided group does not
    /// need is skipped first or cancelled first is a race that section 5.7 leaves open: `cancelled`
    /// are those that were cancelled. One that no group may cancel is not believed.
    void settle(std::vector<std::size_t> cancelled);

    std::vector<Node> nodes{};
    std::vector<Edge> edges{};

    static bool is_terminal(State state) { return state >= State::Success; }
    /// As the store words it.
    static std::string text(State state);
    bool all_terminal() const;
    /// completed or failed, once all are terminal.
    std::string final_state() const;

  private:
    Vote evaluate(const Node& node) const;
    void resolve(Edge& edge);
    bool is_unneeded(const Node& node) const;
    bool may_be_spared(const Node& node) const;
    void skip_if_impossible(std::size_t node);
    static bool satisfies(const Edge& edge, State outcome) {
        return edge.always || outcome == State::Success;
    }

    /// Edges whose upstream has ended.
    std::deque<std::size_t> votes_{};
    /// Members that end by a sibling cancel in this step.
    std::vector<std::size_t> cancelled_{};
};

}  // namespace ff::contract
