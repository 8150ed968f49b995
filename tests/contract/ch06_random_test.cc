#include "base/random.h"
#include "contract/scheduling.h"

namespace ff::contract {
namespace {

/// Whatever is called in whatever order, the indexes say what the cores say.
class RandomBase : public SchedulingContract {
  protected:
    static constexpr std::size_t kExecutions = 12;
    static constexpr int kSteps = 300;

    std::uint64_t below(std::uint64_t bound) { return random_.below(bound); }
    std::string one_of(const List& list) { return list[below(list.size())]; }
    Execution& any() { return all_[below(all_.size())]; }

    void create_some() {
        while (all_.size() < kExecutions) {
            Execution e = execution();
            e.create({.ns = one_of({"x", "y"}),
                      .priority = one_of({"0", "5"}),
                      .policy = one_of({"", requires_caps({"gpu"}), requires_caps({"eu", "gpu"}),
                                        R"({"quota_policy_id":"q"})",
                                        R"({"timeout_policy":{"attempt_timeout_ms":90000}})"}),
                      .delay_until = one_of({"", "", "", "+5"})});
            all_.push_back(std::move(e));
        }
    }

    BatchArgs any_claim() {
        return {
            .caps = one_of({"", "gpu", "eu,gpu"}),
            .max_tasks = 1 + below(4),
            .request_id = one_of({"", "r1", "r2"}),
            .scan_depth = one_of({"", "1", "3"}),
            .admission = one_of({"", "bypass"}),
            .gated = one_of({"", "", "x"}),
            .over_share = one_of({"", "x"}),
            .ns = one_of({"", "", "y"}),
            .arm_wake_ms = one_of({"", "1000"}),
            .include_reclaim = one_of({"0", "1"}),
            .admitted = below(3) == 0
                            ? std::vector<std::pair<std::string, std::string>>{{any().id(), "q"},
                                                                               {any().id(), ""}}
                            : std::vector<std::pair<std::string, std::string>>{}};
    }

    /// The lease as the core has it, right or lost.
    static void hold(Execution& e) {
        e.lease_id = e.core("current_lease_id");
        e.epoch = e.core("current_lease_epoch");
        e.attempt_id = e.core("current_attempt_id");
    }

    RespValue end_one() {
        Execution& e = any();
        hold(e);
        switch (below(5)) {
            case 0:
                return e.complete();
            case 1:
                return e.fail({.retry_policy =
                                   R"({"max_retries":2,"backoff":{"type":"fixed","delay_ms":5}})"});
            case 2:
                return e.delay(one_of({"+0", "+5"}));
            case 3:
                return e.revoke();
            default:
                return below(4) == 0 ? e.cancel() : e.promote();
        }
    }

    RespValue hold_back_one() {
        Execution& e = any();
        switch (below(5)) {
            case 0:
                return block(e, one_of({"waiting_for_budget", "waiting_for_quota",
                                        "waiting_for_capable_worker", "paused_by_operator",
                                        "paused_by_policy"}));
            case 1:
                return unblock(e);
            case 2:
                return unblock_batch(
                    one_of({"blocked:budget", "blocked:route", "blocked:operator"}),
                    {"", "", "", "2", ""});
            case 3:
                return issue_grant(e, {.ttl_ms = "1", .caps = "eu,gpu"});
            default:
                return take_by_operator(e);
        }
    }

    RespValue lose_one() {
        Execution& e = any();
        if (e.core("ownership_state") == "leased") {
            const std::string past = std::to_string(now() - 1);
            e.set_core("lease_expires_at", past);
            command({"ZADD", index("lease_expiry"), past, e.id()});
            command({"ZADD", e.lane_key("active"), past, e.id()});
        }
        return below(2) == 0 ? e.mark_expired() : claim(any_claim()).raw;
    }

    RespValue complete_some() {
        std::vector<ClaimedTask> tasks(1 + below(3));
        for (ClaimedTask& task : tasks) {
            Execution& e = any();
            hold(e);
            task.execution_id = e.id();
            task.lease_id = e.lease_id;
            task.lease_epoch = e.epoch;
            task.attempt_id = e.attempt_id;
        }
        return complete_and_claim(tasks, below(2) == 0 ? batch_args(any_claim()) : List{});
    }

    RespValue step() {
        // What waits for time must not gather, or nothing else would be left.
        if (below(2) == 0) any().promote();
        switch (below(8)) {
            case 0:
            case 1:
            case 2:
                return claim(any_claim()).raw;
            case 3:
                return complete_some();
            case 4:
                return lose_one();
            case 5:
            case 6:
                return hold_back_one();
            default:
                return end_one();
        }
    }

    void expect_consistent(const RespValue& after) {
        for (const Execution& e : all_) {
            const RespValue report = e.reconcile("check");
            ASSERT_EQ(element(report, 3), "consistent")
                << to_string(report) << " after " << to_string(after);
        }
    }

    /// Ended ones make room for new ones.
    void forget_ended() {
        std::erase_if(all_,
                      [](const Execution& e) { return e.core("lifecycle_phase") == "terminal"; });
    }

  private:
    SeededRandom random_{20'261'117};
    std::vector<Execution> all_{};
};

FF_CONTRACT_SUITE(Ch06Random, RandomBase);

TEST_P(Ch06Random, CallsLeaveTheIndexesInAgreementWithTheCores) {
    for (int i = 0; i < kSteps && !HasFatalFailure(); ++i) {
        create_some();
        const RespValue reply = step();
        ASSERT_FALSE(reply.is_error()) << to_string(reply);
        expect_consistent(reply);
        forget_ended();
    }
    EXPECT_TRUE(exists(lane_index("lane", "terminal")));
}

}  // namespace
}  // namespace ff::contract
