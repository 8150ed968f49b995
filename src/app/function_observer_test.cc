#include "app/function_observer.h"

#include <map>

#include <gtest/gtest.h>

namespace ff::app {
namespace {

using resp::Value;

struct Tally final : WorkProbe {
    void claimed(std::string_view lane, std::string_view kind, std::uint64_t attempts) override {
        count("claimed", lane, kind, attempts);
    }
    void first_attempts(std::string_view lane, std::string_view kind,
                        std::span<const Timestamp> created) override {
        count("waited", lane, kind, created.size());
    }
    void groups_evaluated(std::string_view result, std::uint64_t groups) override {
        if (groups > 0) count("evaluated", result, "", groups);
    }
    void lease_taken(std::string_view lane, std::chrono::nanoseconds took) override {
        count("taken", lane, took > std::chrono::nanoseconds(0) ? "" : "in no time");
    }
    void lease_renewed(bool ok) override { count("renewed", ok ? "ok" : "err", ""); }
    void attempts_ended(std::string_view lane, std::string_view outcome,
                        std::uint64_t attempts) override {
        count("ended", lane, outcome, attempts);
    }
    void budget_hit(std::string_view dimension) override { count("budget", dimension, ""); }
    void quota_hit(std::string_view reason) override { count("quota", reason, ""); }
    void edge_group_set(std::string_view policy) override { count("group", policy, ""); }
    void edges_resolved(std::uint64_t edges) override {
        counts["edges"] += static_cast<int>(edges);
    }
    void members_cancelled(std::string_view disposition, std::uint64_t members) override {
        counts["members " + std::string(disposition)] += static_cast<int>(members);
    }
    void dependency_reconciled() override { ++counts["reconciled"]; }

    void count(std::string_view what, std::string_view a, std::string_view b,
               std::uint64_t times = 1) {
        counts[std::string(what) + " " + std::string(a) + " " + std::string(b)] +=
            static_cast<int>(times);
    }
    std::map<std::string, int> counts{};
};

Value text(std::string_view bytes) {
    return Value::bulk(std::string(bytes));
}

Value list(std::vector<Value> items) {
    return Value::array(
        Value::Items(std::make_move_iterator(items.begin()), std::make_move_iterator(items.end())));
}

std::map<std::string, int> seen(std::vector<std::string_view> command, const Value& reply) {
    Tally tally;
    const WatchedCall call{resp::Command(command)};
    if (call.watched()) call.observe(reply, std::chrono::microseconds(3), tally);
    return tally.counts;
}

using Counts = std::map<std::string, int>;

TEST(WatchedCall, CountsClaimsByLaneAndKind) {
    const Value task =
        list({text("e"), text("l"), text("1"), text("2"), text("a"), text("0"), text("retry")});
    const Value claims = list({Value::integer(1), text("OK"), list({task, task}), list({})});
    EXPECT_EQ(
        seen({"FCALL", "ff_claim_batch", "1", "ff:idx:{fp:7}:lane:a:b:eligible", "w"}, claims),
        (Counts{{"claimed a:b retry", 2}, {"taken a:b ", 1}}));
    const Value done = list({text("e"), Value::integer(1), text("completed")});
    const Value refused = list({text("e"), Value::integer(0), text("stale_lease")});
    const Value both = list({Value::integer(1), text("OK"), list({done, refused}), claims});
    EXPECT_EQ(seen({"FCALL", "ff_complete_and_claim", "1", "ff:idx:{fp:7}:lane:x:eligible"}, both),
              (Counts{{"claimed x retry", 2}, {"ended x ok", 1}, {"taken x ", 1}}));
}

TEST(WatchedCall, CountsEveryKindOfAMixedBatch) {
    const auto task = [](std::string_view kind) {
        return list({text("e"), text("l"), text("1"), text("2"), text("a"), text("0"), text(kind)});
    };
    const Value claims = list(
        {Value::integer(1), text("OK"), list({task("retry"), task("initial"), task("retry")})});
    EXPECT_EQ(seen({"FCALL", "ff_claim_batch", "1", "ff:idx:{fp:7}:lane:x:eligible", "w"}, claims),
              (Counts{{"claimed x initial", 1}, {"claimed x retry", 2}, {"taken x ", 1}}));
}

TEST(WatchedCall, TellsWhenFirstAttemptsWereCreated) {
    const auto task = [](std::string_view type, std::string_view kind, std::string_view created) {
        return list({text("e"), text("l"), text("1"), text("2"), text("a"), text("0"), text(type),
                     text(kind), text("ns"), text(""), text("0"), text(created)});
    };
    const Value claims =
        list({Value::integer(1), text("OK"),
              list({task("initial", "resize", "1000"), task("retry", "resize", "1000"),
                    task("initial", "mail", "2000"), task("initial", "resize", "3000")})});
    const Counts counts =
        seen({"FCALL", "ff_claim_batch", "1", "ff:idx:{fp:7}:lane:x:eligible", "w"}, claims);
    EXPECT_EQ(counts.at("waited x resize"), 2);
    EXPECT_EQ(counts.at("waited x mail"), 1);
}

TEST(WatchedCall, CountsHowAttemptsEnd) {
    const auto end = [](std::string_view function, std::string_view what) {
        return seen({"FCALL", function, "1", "ff:idx:{fp:7}:lane:x:terminal", "e"},
                    list({Value::integer(1), text("OK"), text(what)}));
    };
    EXPECT_EQ(end("ff_complete_execution", "completed"), (Counts{{"ended x ok", 1}}));
    EXPECT_EQ(end("ff_fail_execution", "retry_scheduled"), (Counts{{"ended x retry", 1}}));
    EXPECT_EQ(end("ff_fail_execution", "terminal_failed"), (Counts{{"ended x error", 1}}));
    EXPECT_EQ(end("ff_expire_execution", "expired"), (Counts{{"ended x timeout", 1}}));
    EXPECT_EQ(end("ff_expire_execution", "not_due"), Counts{});
    EXPECT_EQ(end("ff_cancel_execution", "cancelled"), (Counts{{"ended x cancelled", 1}}));
}

TEST(WatchedCall, CountsRenewalsLimitsAndPolicies) {
    const Value ok = list({Value::integer(1), text("OK"), text("5")});
    const Value refused = list({Value::integer(0), text("stale_lease")});
    EXPECT_EQ(seen({"FCALL", "ff_renew_lease", "0", "e"}, ok), (Counts{{"renewed ok ", 1}}));
    EXPECT_EQ(seen({"FCALL", "ff_renew_lease", "0", "e"}, refused), (Counts{{"renewed err ", 1}}));
    EXPECT_EQ(seen({"FCALL", "ff_report_usage_and_check", "0", "1"},
                   list({Value::integer(1), text("HARD_BREACH"), text("tokens")})),
              (Counts{{"budget tokens ", 1}}));
    EXPECT_EQ(seen({"FCALL", "ff_admit_batch", "0", "1"},
                   list({Value::integer(1), text("OK"), text("ADMITTED"), text("0"),
                         text("RATE_EXCEEDED"), text("9")})),
              (Counts{{"quota rate ", 1}}));
    EXPECT_EQ(seen({"FCALL", "ff_set_edge_group_policy", "0", "any_of"},
                   list({Value::integer(1), text("OK"), text("set")})),
              (Counts{{"group any_of ", 1}}));
}

TEST(WatchedCall, Repair_18_CountsBudgetsThatWorkHasSpent) {
    EXPECT_EQ(seen({"FCALL", "ff_record_spend", "0", "1"},
                   list({Value::integer(1), text("HARD_BREACH"), text("tokens")})),
              (Counts{{"budget tokens ", 1}}));
    EXPECT_EQ(seen({"FCALL", "ff_record_spend", "0", "1"}, list({Value::integer(1), text("OK")})),
              Counts{});
}

TEST(WatchedCall, LeavesTheRestAlone) {
    const Value ok = list({Value::integer(1), text("OK")});
    EXPECT_EQ(seen({"FCALL", "ff_create_execution", "0"}, ok), Counts{});
    EXPECT_EQ(seen({"GET", "x"}, ok), Counts{});
    EXPECT_EQ(seen({"FCALL", "ff_claim_batch", "7", "x"}, ok), Counts{});
    EXPECT_EQ(seen({"FCALL", "ff_claim_batch", "1", "x"}, text("odd")), Counts{});
}

TEST(WatchedCall, CountsWhatLoopsDoForFlows) {
    const Value cascade = list(
        {Value::integer(1), text("OK"), text("7"), text("5"), text("2"), text("0"), text("0")});
    EXPECT_EQ(seen({"FCALL", "ff_cascade_completion", "1", "k", "e"}, cascade),
              (Counts{{"edges", 7}, {"evaluated eligible ", 5}, {"evaluated skipped ", 2}}));
    const Value cancels =
        list({Value::integer(1), text("OK"), text("3"), text("0"), text("10"), text("0"), text("2"),
              text("1"), text("2"), text("e1"), text("e2")});
    EXPECT_EQ(seen({"FCALL", "ff_cancel_flow_members", "1", "k", "f"}, cancels),
              (Counts{{"members cancelled", 10},
                      {"members not_found", 2},
                      {"members draining", 1},
                      {"members failed", 2}}));
    const auto reconciled = [](std::string_view result) {
        const Value reply = list({Value::integer(1), text("OK"), text("1"), text(result)});
        return seen({"FCALL", "ff_reconcile_dependencies", "1", "k", "e"}, reply);
    };
    EXPECT_EQ(reconciled("promoted"), (Counts{{"reconciled", 1}}));
    EXPECT_EQ(reconciled("skipped"), (Counts{{"reconciled", 1}}));
    EXPECT_EQ(reconciled("blocked"), Counts{});
}

}  // namespace
}  // namespace ff::app
