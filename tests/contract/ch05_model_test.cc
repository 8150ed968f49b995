// Random flows, run by random workers, against the plain model of the rules: after every step each
// member and the flow are in the state the model says. FF_SEED repeats a run, FF_SOAK makes it
// long.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <random>

#include "contract/flow_model.h"
#include "contract/flows.h"

namespace ff::contract {
namespace {

using State = FlowModel::State;

class Ch05Model : public FlowContract {
  protected:
    void start(std::uint64_t seed) {
        random_.seed(seed);
        order_.seed(seed);
        model_ = FlowModel();
        members_.clear();
        is_sealed_ = false;
        flow_.emplace(host(), tag());
        const std::size_t nodes = 2 + below(is_long() ? 199 : 30);
        const RespValue reply = flow_->submit(
            grown(nodes).flow(R"("flow_kind":"k","namespace":"ns","seal":false)").json());
        ASSERT_EQ(element(reply, 2), "OK") << to_string(reply);
    }

    static bool is_long() { return std::getenv("FF_SOAK") != nullptr; }
    static std::uint64_t first_seed() {
        if (const char* given = std::getenv("FF_SEED")) return std::stoull(given);
        return is_long() ? std::random_device()() : 1;
    }

    std::size_t below(std::size_t bound) { return static_cast<std::size_t>(random_() % bound); }

    /// A plan of new nodes behind random earlier ones, and the model of it.
    Plan grown(std::size_t count) {
        Plan plan;
        for (std::size_t i = 0; i < count; ++i) {
            FlowModel::Node node;
            std::vector<std::size_t> ups;
            std::vector<bool> always;
            for (std::size_t wanted = below(4); wanted > 0 && !members_.empty(); --wanted) {
                const std::size_t up = below(members_.size());
                if (std::find(ups.begin(), ups.end(), up) != ups.end()) continue;
                ups.push_back(up);
                always.push_back(below(5) == 0);
            }
            const Execution e = execution();
            for (std::size_t j = 0; j < ups.size(); ++j) {
                plan.edge(members_[ups[j]], e, always[j] ? R"("kind":"always")" : "");
            }
            plan.node(e, join_of(node, ups.size()));
            members_.push_back(e);
            model_.add(node, ups, always);
        }
        return plan;
    }

    std::string join_of(FlowModel::Node& node, std::size_t degree) {
        const std::size_t kind = below(3);
        if (degree == 0 || kind == 0) return "";
        node.cancels_rest = below(2) == 0;
        const std::string rest = node.cancels_rest ? "cancel_remaining" : "let_run";
        if (kind == 1) {
            node.join = FlowModel::Join::AnyOf;
            return R"("join":{"policy":"any_of","on_satisfied":")" + rest + "\"}";
        }
        node.join = FlowModel::Join::Quorum;
        node.k = 1 + below(degree);
        return R"("join":{"policy":"quorum","k":)" + std::to_string(node.k) +
               R"(,"on_satisfied":")" + rest + "\"}";
    }

    /// Some of the members listed, by id or behind the id of their flow. Ids differ from run to
    /// run: taken in the order of the plan, a seed repeats its run.
    std::vector<Execution> some_of(const RespValue& listed) {
        std::vector<Execution> taken;
        for (const Execution& e : members_) {
            for (const RespValue& item : listed.items) {
                if (item.text.ends_with(e.id()) && order_() % 2 == 0) taken.push_back(e);
            }
        }
        return taken;
    }

    /// What the background loops do, in any order, until they have nothing left.
    void settle() {
        for (int round = 0; round < 1000; ++round) {
            const RespValue ends = command({"ZRANGE", flow_->index("cascade_pending"), "0", "-1"});
            const RespValue groups = command({"SMEMBERS", flow_->index("pending_cancel_groups")});
            if (ends.items.empty() && groups.items.empty()) return;
            for (const Execution& e : some_of(ends)) {
                std::string cursor = "0";
                do {
                    cursor = element(flow_->cascade(e, "3", cursor), 6);
                } while (cursor != "0");
            }
            for (const Execution& child : some_of(groups)) flow_->drain(child, "5");
        }
        FAIL() << "cascades do not come to an end";
    }

    /// Members that a decided group cancelled in this step.
    std::vector<std::size_t> cancelled_siblings() const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (FlowModel::is_terminal(model_.nodes[i].state)) continue;
            if (!members_[i].core("cancellation_reason").starts_with("sibling_quorum_")) continue;
            if (state(members_[i]) == "cancelled") found.push_back(i);
        }
        return found;
    }

    void compare(const std::string& step) {
        for (std::size_t i = 0; i < members_.size(); ++i) {
            ASSERT_EQ(state(members_[i]), FlowModel::text(model_.nodes[i].state))
                << "member " << i << " after " << step;
        }
        const bool is_done = is_sealed_ && model_.all_terminal();
        ASSERT_EQ(flow_->core("public_flow_state"), is_done ? model_.final_state() : "open")
            << step;
    }

    std::vector<std::size_t> all_in(std::initializer_list<State> states) const {
        std::vector<std::size_t> found;
        for (std::size_t i = 0; i < members_.size(); ++i) {
            if (std::find(states.begin(), states.end(), model_.nodes[i].state) != states.end()) {
                found.push_back(i);
            }
        }
        return found;
    }

    void granted(const RespValue& reply) { ASSERT_EQ(element(reply, 1), "1") << to_string(reply); }

    std::string claim(std::size_t i) {
        // The model knows no clock: a lease outlives a long run on a slow machine.
        const ClaimArgs patient{.ttl_ms = "3600000"};
        granted(members_[i].take(patient));
        model_.nodes[i].state = State::Active;
        return "claiming " + std::to_string(i);
    }
    std::string finish(std::size_t i, bool succeeds) {
        granted(succeeds ? members_[i].complete() : members_[i].fail());
        model_.end(i, succeeds ? State::Success : State::Failed);
        return (succeeds ? "completing " : "failing ") + std::to_string(i);
    }
    std::string cancel(std::size_t i) {
        granted(members_[i].cancel("stop", "operator_override"));
        model_.end(i, State::Cancelled);
        return "cancelling " + std::to_string(i);
    }
    std::string replay(std::size_t i) {
        granted(members_[i].replay());
        model_.replay(i);
        return "replaying " + std::to_string(i);
    }
    std::string grow() {
        const std::size_t first = members_.size();
        granted(flow_->expand(new_uuid(), grown(1 + below(3)).json()));
        for (std::size_t i = first; i < members_.size(); ++i) model_.follow_ended(i);
        return "growing to " + std::to_string(members_.size());
    }

    /// One step of somebody; empty when there was nothing to do it to.
    std::string act() {
        const std::size_t choice = below(20);
        const auto pick = [&](std::initializer_list<State> states) {
            const auto all = all_in(states);
            return all.empty() ? members_.size() : all[below(all.size())];
        };
        std::size_t i = members_.size();
        if (choice < 7) {
            i = pick({State::Waiting});
            return i < members_.size() ? claim(i) : "";
        }
        if (choice < 15) {
            i = pick({State::Active});
            return i < members_.size() ? finish(i, below(4) != 0) : "";
        }
        if (choice == 15) {
            i = pick({State::Blocked, State::Waiting, State::Active});
            return i < members_.size() ? cancel(i) : "";
        }
        if (choice < 18) {
            i = pick({State::Success, State::Failed, State::Cancelled, State::Skipped});
            return i < members_.size() && model_.nodes[i].replays < 3 ? replay(i) : "";
        }
        if (choice == 18 && !is_sealed_ && members_.size() < 200) return grow();
        if (choice == 19 && !is_sealed_ && below(4) == 0) {
            is_sealed_ = true;
            granted(flow_->seal());
            return "sealing";
        }
        return "";
    }

    void step(const std::string& what) {
        ASSERT_FALSE(HasFatalFailure()) << what;
        settle();
        model_.settle(cancelled_siblings());
        compare(what);
    }

    /// Lets the rest succeed.
    void run_out() {
        for (int guard = 0; guard < 5000; ++guard) {
            const auto waiting = all_in({State::Waiting});
            const auto active = all_in({State::Active});
            if (waiting.empty() && active.empty()) break;
            ASSERT_NO_FATAL_FAILURE(
                step(active.empty() ? claim(waiting.front()) : finish(active.front(), true)));
        }
        // What is left waits for a new run of an upstream that had failed.
        for (const std::size_t i : all_in({State::Blocked})) {
            if (!FlowModel::is_terminal(model_.nodes[i].state)) {
                ASSERT_NO_FATAL_FAILURE(step(cancel(i)));
            }
        }
        if (!is_sealed_) {
            is_sealed_ = true;
            granted(flow_->seal());
        }
        ASSERT_NO_FATAL_FAILURE(step("the end"));
    }

  private:
    std::mt19937_64 random_{};
    std::mt19937_64 order_{};
    FlowModel model_{};
    std::vector<Execution> members_{};
    std::optional<Flow> flow_{};
    bool is_sealed_ = false;
};

INSTANTIATE_TEST_SUITE_P(On, Ch05Model, ::testing::Values(HostKind::Embedded, HostKind::Valkey),
                         [](const auto& info) { return std::string(to_string(info.param)); });

TEST_P(Ch05Model, EveryStepAgreesWithTheRules) {
    const std::uint64_t first = first_seed();
    const bool is_one = std::getenv("FF_SEED") != nullptr;
    const std::uint64_t runs = is_one ? 1 : (is_long() ? 60 : 12);
    const int steps = is_long() ? 600 : 120;
    std::printf("seeds from FF_SEED=%llu\n", static_cast<unsigned long long>(first));
    for (std::uint64_t seed = first; seed < first + runs; ++seed) {
        SCOPED_TRACE("FF_SEED=" + std::to_string(seed));
        ASSERT_NO_FATAL_FAILURE(start(seed));
        ASSERT_NO_FATAL_FAILURE(step("submission"));
        for (int i = 0; i < steps; ++i) {
            const std::string what = act();
            if (!what.empty()) {
                ASSERT_NO_FATAL_FAILURE(step(what));
            }
        }
        ASSERT_NO_FATAL_FAILURE(run_out());
    }
}

}  // namespace
}  // namespace ff::contract
