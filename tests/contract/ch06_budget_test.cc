#include "contract/scheduling.h"

namespace ff::contract {
namespace {

struct Limit {
    std::string name{};
    std::string hard = "0";
    std::string soft = "0";
};

struct BudgetArgs {
    std::vector<Limit> limits{};
    std::string mode{};
    std::string on_hard{};
    std::string interval = "0";
    std::string now{};
    std::string scope_type = "lane";
    List meta{};
};

struct Delta {
    std::string name{};
    std::string amount{};
};

/// One budget of the test's partition and the calls on it.
class BudgetContract : public Contract {
  protected:
    std::string budget_tag() const { return "{b:" + tag().substr(4); }
    std::string key(const std::string& suffix = "") const {
        return "ff:budget:" + budget_tag() + ":" + id_ + suffix;
    }
    std::string resets() const { return "ff:idx:" + budget_tag() + ":budget_resets"; }
    std::string policies() const { return "ff:idx:" + budget_tag() + ":budget_policies"; }
    std::string dedup(const std::string& id) const {
        return "ff:usagededup:" + budget_tag() + ":" + id;
    }

    RespValue create(const BudgetArgs& args) const {
        List argv{id_,           args.scope_type, "main",
                  args.mode,     args.on_hard,    "",
                  args.interval, args.now,        std::to_string(args.limits.size())};
        for (const Limit& limit : args.limits) argv.push_back(limit.name);
        for (const Limit& limit : args.limits) argv.push_back(limit.hard);
        for (const Limit& limit : args.limits) argv.push_back(limit.soft);
        argv.insert(argv.end(), args.meta.begin(), args.meta.end());
        return host().fcall("ff_create_budget",
                            {key(), key(":limits"), key(":usage"), resets(), policies()}, argv);
    }
    RespValue report(const std::vector<Delta>& deltas, const List& more = {""}) const {
        List argv{std::to_string(deltas.size())};
        for (const Delta& delta : deltas) argv.push_back(delta.name);
        for (const Delta& delta : deltas) argv.push_back(delta.amount);
        argv.insert(argv.end(), more.begin(), more.end());
        return host().fcall("ff_report_usage_and_check", {key(":usage"), key(":limits"), key()},
                            argv);
    }
    RespValue spend(const std::string& execution, const Delta& delta, const std::string& dedup = "",
                    const List& ttl = {}) const {
        List argv{"1", delta.name, delta.amount, "", dedup, execution};
        argv.insert(argv.end(), ttl.begin(), ttl.end());
        return host().fcall(
            "ff_record_spend",
            {key(":usage"), key(":limits"), key(), ledger(execution), key(":by_exec:index")}, argv);
    }
    RespValue release(const std::string& execution) const {
        return host().fcall("ff_release_budget",
                            {key(":usage"), ledger(execution), key(":by_exec:index"), key()},
                            {id_, execution});
    }
    RespValue reset(const List& more = {""}) const {
        List argv{id_};
        argv.insert(argv.end(), more.begin(), more.end());
        return host().fcall("ff_reset_budget", {key(), key(":usage"), resets()}, argv);
    }
    RespValue update(const std::vector<Limit>& limits, const List& modes = {}) const {
        List argv{id_, "", "op", "more room", std::to_string(limits.size())};
        for (const Limit& limit : limits) argv.push_back(limit.name);
        for (const Limit& limit : limits) argv.push_back(limit.hard);
        for (const Limit& limit : limits) argv.push_back(limit.soft);
        argv.insert(argv.end(), modes.begin(), modes.end());
        return host().fcall("ff_update_budget", {key(), key(":limits"), key(":usage")}, argv);
    }

    std::string ledger(const std::string& execution) const { return key(":by_exec:" + execution); }
    std::string usage(const std::string& name) const {
        return command({"HGET", key(":usage"), name}).text;
    }
    std::string field(const std::string& name) const { return command({"HGET", key(), name}).text; }
    std::string limit(const std::string& name) const {
        return command({"HGET", key(":limits"), name}).text;
    }
    const std::string& id() const { return id_; }
    void use_another_budget() { id_ = new_uuid(); }

  private:
    std::string id_ = new_uuid();
};

FF_CONTRACT_SUITE(Ch06Budget, BudgetContract);

TEST_P(Ch06Budget, S01_SoftThenHardBreachAreCountedAndNothingPassesTheHardLimit) {
    EXPECT_EQ(flat(create({.limits = {{"total_tokens", "100", "80"}}})), (List{"1", "OK", id()}));
    EXPECT_EQ(flat(report({{"total_tokens", "60"}})), (List{"1", "OK"}));
    EXPECT_EQ(flat(report({{"total_tokens", "25"}})),
              (List{"1", "SOFT_BREACH", "total_tokens", "85", "80", "warn"}));
    EXPECT_EQ(flat(report({{"total_tokens", "50"}})),
              (List{"1", "HARD_BREACH", "total_tokens", "85", "100", "fail"}));
    EXPECT_EQ(usage("total_tokens"), "85");
    EXPECT_EQ(field("breach_count"), "1");
    EXPECT_EQ(field("soft_breach_count"), "1");
    EXPECT_EQ(field("last_breach_dim"), "total_tokens");
    EXPECT_EQ(field("breached_at"), field("last_breach_at"));
}

TEST_P(Ch06Budget, S02_OneBreachedDimensionHoldsBackAllAndRepeatsAddUp) {
    create({.limits = {{"tokens", "1000"}, {"cost", "50"}}});
    EXPECT_EQ(flat(report({{"tokens", "100"}, {"cost", "60"}})),
              (List{"1", "HARD_BREACH", "cost", "0", "50", "fail"}));
    EXPECT_FALSE(exists(key(":usage")));
    EXPECT_EQ(element(report({{"cost", "30"}, {"cost", "30"}}), 2), "HARD_BREACH");
    EXPECT_EQ(element(report({{"cost", "20"}, {"cost", "30"}}), 2), "OK");
    EXPECT_EQ(usage("cost"), "50");
}

TEST_P(Ch06Budget, FillingABudgetExactlyIsNoBreach) {
    create({.limits = {{"tokens", "10"}}});
    EXPECT_EQ(flat(report({{"tokens", "8"}})), (List{"1", "OK"}));
    EXPECT_EQ(flat(report({{"tokens", "2"}})), (List{"1", "OK"}));
    EXPECT_EQ(element(report({{"tokens", "1"}}), 2), "HARD_BREACH");
}

TEST_P(Ch06Budget, S04_AReportNeverCreatesABudget) {
    EXPECT_EQ(flat(report({{"tokens", "1"}}, {"", dedup("d")})), (List{"0", "budget_not_found"}));
    EXPECT_TRUE(host().contents(budget_tag()).empty());
    EXPECT_EQ(element(create({.limits = {{"tokens", "5"}}}), 2), "OK");
    EXPECT_EQ(limit("hard:tokens"), "5");
}

TEST_P(Ch06Budget, S05_ADedupIdCountsOnceButABreachLeavesItFree) {
    create({.limits = {{"tokens", "10"}}});
    EXPECT_EQ(element(report({{"tokens", "6"}}, {"", dedup("d1")}), 2), "OK");
    EXPECT_EQ(flat(report({{"tokens", "6"}}, {"", dedup("d1")})), (List{"1", "ALREADY_APPLIED"}));
    EXPECT_EQ(usage("tokens"), "6");
    EXPECT_EQ(element(report({{"tokens", "6"}}, {"", dedup("d2")}), 2), "HARD_BREACH");
    EXPECT_EQ(element(reset(), 2), "OK");
    EXPECT_EQ(element(report({{"tokens", "6"}}, {"", dedup("d2")}), 2), "OK");
    EXPECT_EQ(usage("tokens"), "6");
    EXPECT_GT(host().ttl_ms(dedup("d2")).value_or(86'000'000 + 1), 86'000'000);
}

FF_CONTRACT_SUITE(Ch01Dedup, BudgetContract);

TEST_P(Ch01Dedup, S15_ADedupIdIsSharedByTheBudgetsOfAPartition) {
    create({});
    EXPECT_EQ(element(report({{"tokens", "1"}}, {"", dedup("d")}), 2), "OK");
    EXPECT_EQ(command({"GET", "ff:usagededup:" + budget_tag() + ":d"}).text, "1");
    EXPECT_GT(host().ttl_ms(dedup("d")).value_or(1), 0);
    use_another_budget();
    create({});
    EXPECT_EQ(element(report({{"tokens", "1"}}, {"", dedup("d")}), 2), "ALREADY_APPLIED");
    EXPECT_FALSE(exists(key(":usage")));
}

TEST_P(Ch01Dedup, S17_AnUnusedOptionalKeyIsNeverWritten) {
    create({});
    spend("E", {"tokens", "3"});
    const std::string unused = "ff:noop:" + budget_tag();
    EXPECT_EQ(flat(host().fcall("ff_release_budget",
                                {key(":usage"), ledger("E"), key(":by_exec:index"), unused},
                                {id(), "E"})),
              (List{"1", "OK", "released", "tokens", "3"}));
    for (const auto& [name, content] : host().contents(budget_tag())) {
        EXPECT_FALSE(name.starts_with("ff:noop:")) << name;
    }
}

TEST_P(Ch06Budget, S06_ADedupKeyMustBeOneOfThePartition) {
    create({.limits = {{"tokens", "10"}}});
    const auto before = host().contents(budget_tag());
    for (const std::string& bad : {std::string("ff:usagededup:{b:x}:d"), std::string("d"), key(),
                                   "ff:usagededup:" + budget_tag() + ":"}) {
        const RespValue reply = report({{"tokens", "1"}}, {"", bad});
        EXPECT_EQ(element(reply, 2), "invalid_input") << bad;
        EXPECT_TRUE(element(reply, 3).starts_with("dedup_key")) << bad;
    }
    EXPECT_EQ(host().contents(budget_tag()), before);
}

TEST_P(Ch06Budget, S07_ABadDeltaChangesNoDimension) {
    create({.limits = {{"tokens", "100"}}});
    for (const char* bad : {"-1", "1.5", "1e3", "nan", "", "0x10", " 1", "9007199254740992"}) {
        const RespValue reply = report({{"other", "1"}, {"tokens", bad}});
        EXPECT_EQ(element(reply, 2), "invalid_input") << bad;
    }
    EXPECT_EQ(element(host().fcall("ff_report_usage_and_check",
                                   {key(":usage"), key(":limits"), key()}, {"1", "tokens", ""}),
                      2),
              "invalid_input");
    EXPECT_FALSE(exists(key(":usage")));
}

TEST_P(Ch06Budget, S08_LargeValuesStayPlainIntegers) {
    create({});
    report({{"tokens", "5000000000000000"}});
    EXPECT_EQ(element(spend("E", {"tokens", "1"}), 2), "OK");
    EXPECT_EQ(usage("tokens"), "5000000000000001");
    EXPECT_EQ(flat(release("E")), (List{"1", "OK", "released", "tokens", "1"}));
    EXPECT_EQ(usage("tokens"), "5000000000000000");
    EXPECT_EQ(element(report({{"tokens", "1"}}), 2), "OK");
    EXPECT_EQ(usage("tokens"), "5000000000000001");
    EXPECT_EQ(element(report({{"tokens", "9007199254740991"}}), 2), "invalid_input");
}

TEST_P(Ch06Budget, S09_AnAdvisoryBudgetCountsBreachesAndRefusesNothing) {
    create({.limits = {{"tokens", "10"}}, .mode = "advisory"});
    EXPECT_EQ(flat(report({{"tokens", "25"}})),
              (List{"1", "SOFT_BREACH", "tokens", "25", "10", "fail"}));
    EXPECT_EQ(usage("tokens"), "25");
    EXPECT_EQ(field("breach_count"), "1");
    EXPECT_EQ(field("soft_breach_count"), "0");
}

TEST_P(Ch06Budget, S10_CreatingAgainHealsTheIndexAndBadBudgetsLeaveNothing) {
    create({.limits = {{"tokens", "10"}}});
    command({"SREM", policies(), id()});
    EXPECT_EQ(flat(create({.limits = {{"tokens", "99"}}})), (List{"1", "ALREADY_SATISFIED", id()}));
    EXPECT_EQ(limit("hard:tokens"), "10");
    EXPECT_TRUE(in_set(policies(), id()));

    command({"DEL", key(), key(":limits"), policies()});
    EXPECT_EQ(element(create({.scope_type = "la\nne"}), 2), "invalid_budget_scope");
    EXPECT_EQ(element(create({.scope_type = ""}), 2), "invalid_budget_scope");
    EXPECT_EQ(element(create({.limits = {{"tokens", "10", "11"}}}), 2), "invalid_input");
    EXPECT_EQ(element(create({.limits = {{"t", "1"}, {"t", "1"}}}), 2), "invalid_input");
    EXPECT_EQ(element(create({.limits = {{"_period", "1"}}}), 2), "invalid_input");
    EXPECT_EQ(element(create({.limits = {{"t", "-1"}}}), 2), "invalid_input");
    EXPECT_EQ(element(create({.meta = {"[1]"}}), 2), "invalid_input");
    EXPECT_EQ(element(create({.interval = "9007199254740991"}), 2), "invalid_input");
    EXPECT_TRUE(host().contents(budget_tag()).empty());
}

TEST_P(Ch06Budget, Repair_18_WhatWasSpentIsCountedPastTheLimit) {
    create({.limits = {{"tokens", "20", "0"}}});
    const List spent{"", "spent"};
    EXPECT_EQ(element(spend("E", {"tokens", "18"}, "", spent), 2), "OK");
    EXPECT_EQ(flat(spend("E", {"tokens", "3"}, dedup("d"), spent)),
              (List{"1", "HARD_BREACH", "tokens", "21", "20", "fail"}));
    EXPECT_EQ(element(spend("E", {"tokens", "3"}, dedup("d"), spent), 2), "ALREADY_APPLIED");
    EXPECT_EQ(hash(key(":usage")).at("tokens"), "21");
    EXPECT_EQ(hash(key()).at("breach_count"), "1");
    EXPECT_NE(hash(key()).at("breached_at"), "");
    EXPECT_EQ(flat(spend("E", {"tokens", "1"}, "", {"", "check"})),
              (List{"1", "HARD_BREACH", "tokens", "21", "20", "fail"}));
    EXPECT_EQ(flat(spend("E", {"tokens", "1"})),
              (List{"1", "HARD_BREACH", "tokens", "21", "20", "fail"}))
        << "callers that name no mode ask";
    EXPECT_EQ(hash(key(":usage")).at("tokens"), "21");
    EXPECT_EQ(element(spend("E", {"tokens", "1"}, "", {"", "later"}), 2), "invalid_input");
    EXPECT_EQ(flat(release("E")), (List{"1", "OK", "released", "tokens", "21"}));
}

TEST_P(Ch06Budget, S11_ALateResetMovesOnByWholeIntervals) {
    const std::int64_t hour = 3'600'000;
    const std::int64_t created = now() - hour - 5'400'000;
    create({.limits = {{"tokens", "10"}},
            .interval = std::to_string(hour),
            .now = std::to_string(created)});
    report({{"tokens", "7"}});
    const std::int64_t old = created + hour;
    EXPECT_EQ(score(resets(), id()), old);
    EXPECT_EQ(flat(reset({"", std::to_string(old)})),
              (List{"1", "OK", std::to_string(old + 2 * hour)}));
    EXPECT_EQ(usage("tokens"), "0");
    EXPECT_EQ(field("reset_count"), "1");
    EXPECT_EQ(field("next_reset_at"), std::to_string(old + 2 * hour));
    EXPECT_EQ(score(resets(), id()), old + 2 * hour);
}

TEST_P(Ch06Budget, S12_OfTwoScannersOnlyTheFirstResets) {
    const std::int64_t created = now() - 2000;
    create({.interval = "1000", .now = std::to_string(created)});
    const std::string seen = field("next_reset_at");
    EXPECT_EQ(element(reset({"", seen}), 2), "OK");
    report({{"tokens", "7"}});
    EXPECT_EQ(flat(reset({"", seen})), (List{"1", "ALREADY_SATISFIED", field("next_reset_at")}));
    EXPECT_EQ(usage("tokens"), "7");
}

TEST_P(Ch06Budget, S13_AnEarlyResetStartsANewInterval) {
    create({.interval = "60000", .now = std::to_string(now() - 1000)});
    const std::int64_t at = now();
    EXPECT_EQ(flat(reset({std::to_string(at)})), (List{"1", "OK", std::to_string(at + 60'000)}));
    EXPECT_EQ(score(resets(), id()), at + 60'000);
}

TEST_P(Ch06Budget, AResetOfAVanishedBudgetDropsItsTimer) {
    command({"ZADD", resets(), "5", id()});
    EXPECT_EQ(flat(reset()), (List{"0", "budget_not_found"}));
    EXPECT_FALSE(exists(resets()));
}

TEST_P(Ch06Budget, S14_AReleaseGivesBackOneExecutionsSpendOnce) {
    create({});
    spend("E", {"tokens", "30"});
    spend("F", {"tokens", "20"});
    EXPECT_TRUE(in_set(key(":by_exec:index"), "E"));
    EXPECT_EQ(flat(release("E")), (List{"1", "OK", "released", "tokens", "30"}));
    EXPECT_EQ(flat(release("E")), (List{"1", "OK", "noop"}));
    EXPECT_EQ(usage("tokens"), "20");
    EXPECT_FALSE(in_set(key(":by_exec:index"), "E"));
}

TEST_P(Ch06Budget, S15_ASpendOfAnEarlierPeriodIsNotGivenBack) {
    create({});
    spend("E", {"tokens", "30"});
    reset();
    spend("F", {"tokens", "10"});
    EXPECT_EQ(flat(release("E")), (List{"1", "OK", "released"}));
    EXPECT_EQ(usage("tokens"), "10");
    spend("G", {"tokens", "5"});
    reset();
    spend("G", {"tokens", "3"});
    EXPECT_EQ(flat(release("G")), (List{"1", "OK", "released", "tokens", "3"}));
    spend("H", {"old", "5"});
    reset();
    spend("H", {"tokens", "3"});
    EXPECT_EQ(flat(release("H")), (List{"1", "OK", "released", "tokens", "3"}));
}

TEST_P(Ch06Budget, S64_ALedgerExpires) {
    create({});
    spend("E", {"tokens", "30"}, "", {"1000"});
    spend("F", {"tokens", "1"});
    EXPECT_GT(host().ttl_ms(ledger("F")).value_or(2'591'000'000 + 1), 2'591'000'000);
    await([this] { return !exists(ledger("E")); });
    EXPECT_EQ(flat(release("E")), (List{"1", "OK", "noop"}));
    EXPECT_EQ(usage("tokens"), "31");
    EXPECT_EQ(element(spend("E", {"tokens", "1"}, "", {"0"}), 2), "invalid_input");
}

TEST_P(Ch06Budget, ASpendIsAppliedOncePerDedupIdAlsoAfterItsRelease) {
    create({});
    EXPECT_EQ(element(spend("E", {"tokens", "3"}, dedup("s")), 2), "OK");
    release("E");
    EXPECT_EQ(element(spend("E", {"tokens", "3"}, dedup("s")), 2), "ALREADY_APPLIED");
    EXPECT_EQ(usage("tokens"), "0");
}

TEST_P(Ch06Budget, AnOverrideSaysWhoAndClearsTheBreachWhenThereIsRoom) {
    create({.limits = {{"tokens", "10", "5"}}});
    report({{"tokens", "8"}});
    report({{"tokens", "8"}});
    EXPECT_NE(field("breached_at"), "");
    EXPECT_EQ(flat(update({{"tokens", "100", ""}}, {"", "suspend"})), (List{"1", "OK", "1"}));
    EXPECT_EQ(limit("hard:tokens"), "100");
    EXPECT_EQ(limit("soft:tokens"), "5");
    EXPECT_EQ(field("breached_at"), "");
    EXPECT_EQ(field("on_hard_limit"), "suspend");
    EXPECT_EQ(field("last_override_by"), "op");
    EXPECT_EQ(flat(update({{"tokens", "7", ""}})), (List{"1", "OK", "2"}));
    EXPECT_NE(field("breached_at"), "");
    EXPECT_EQ(element(update({{"tokens", "x", ""}}), 2), "invalid_input");
    command({"DEL", key()});
    EXPECT_EQ(flat(update({})), (List{"0", "budget_not_found"}));
}

TEST_P(Ch06Budget, RoomIsToldOnTheFreedChannel) {
    const auto listener = host().listen("ff:admission:freed");
    create({.limits = {{"tokens", "10"}}});
    spend("E", {"tokens", "10"});
    release("E");
    reset();
    update({});
    EXPECT_TRUE(hears(*listener, "budget:" + id(), 3));
}

TEST_P(Ch06Budget, ASnapshotHasDefinitionLimitsAndUsage) {
    const List keys{key(), key(":limits"), key(":usage")};
    EXPECT_EQ(flat(host().fcall("ff_get_budget", keys, {})), (List{"0", "budget_not_found"}));
    create({.limits = {{"tokens", "10"}}, .meta = {R"({"name":"n","currency":"EUR"})"}});
    report({{"tokens", "4"}});
    const RespValue reply = host().fcall("ff_get_budget", keys, {});
    ASSERT_EQ(reply.items.size(), 5U);
    auto definition = pairs(reply.items[2]);
    EXPECT_EQ(definition["budget_id"], id());
    EXPECT_EQ(definition["name"], "n");
    EXPECT_EQ(definition["currency"], "EUR");
    EXPECT_EQ(definition["cost_unit"], "microdollars");
    EXPECT_EQ(definition["enforcement_mode"], "strict");
    EXPECT_EQ(pairs(reply.items[3])["hard:tokens"], "10");
    EXPECT_EQ(pairs(reply.items[4])["tokens"], "4");
}

TEST_P(Ch06Budget, AUsageHashHoldsAtMost512Dimensions) {
    create({});
    for (int page = 0; page < 8; ++page) {
        std::vector<Delta> deltas;
        for (int i = 0; i < 64; ++i) {
            deltas.push_back({"d" + std::to_string(64 * page + i), "1"});
        }
        EXPECT_EQ(element(report(deltas), 2), "OK");
    }
    EXPECT_EQ(element(report({{"one_more", "1"}}), 2), "invalid_input");
    EXPECT_EQ(element(report({{"d1", "1"}}), 2), "OK");
}

}  // namespace
}  // namespace ff::contract
