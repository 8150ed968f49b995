#include "contract/scheduling.h"

namespace ff::contract {
namespace {

struct QuotaArgs {
    std::string window = "0";
    std::string rate = "0";
    std::string cap = "0";
};

/// One quota policy of the test's partition.
class QuotaContract : public Contract {
  protected:
    std::string quota_tag() const { return "{q:" + tag().substr(4); }
    std::string key(const std::string& suffix = "") const {
        return "ff:quota:" + quota_tag() + ":" + id_ + suffix;
    }
    std::string window() const { return key(":window:requests_per_window"); }
    std::string guard(const std::string& execution) const { return key(":admitted:" + execution); }
    std::string policies() const { return "ff:idx:" + quota_tag() + ":quota_policies"; }

    RespValue create(const QuotaArgs& args, const List& more = {}) {
        args_ = args;
        List argv{id_, args.window, args.rate, args.cap, ""};
        argv.insert(argv.end(), more.begin(), more.end());
        return host().fcall(
            "ff_create_quota_policy",
            {key(), window(), key(":concurrency"), key(":admitted_set"), policies()}, argv);
    }
    List check(const std::string& execution, const std::string& at = "",
               const std::string& jitter = "") const {
        return flat(host().fcall(
            "ff_check_admission_and_record",
            {window(), key(":concurrency"), key(), guard(execution), key(":admitted_set")},
            {at, args_.window, args_.rate, args_.cap, execution, jitter}));
    }
    List batch_keys() const { return {window(), key(":concurrency"), key(), key(":admitted_set")}; }
    List admit(const List& ids) const {
        List argv{"", std::to_string(ids.size())};
        argv.insert(argv.end(), ids.begin(), ids.end());
        return flat(host().fcall("ff_admit_batch", batch_keys(), argv));
    }
    List release(const std::string& execution, const std::string& mode = "") const {
        return flat(
            host().fcall("ff_release_admission",
                         {guard(execution), key(":admitted_set"), key(":concurrency"), window()},
                         {execution, mode}));
    }
    List release_batch(const std::string& mode, const List& ids) const {
        List argv{mode, std::to_string(ids.size())};
        argv.insert(argv.end(), ids.begin(), ids.end());
        return flat(host().fcall("ff_release_admission_batch", batch_keys(), argv));
    }
    List reconcile(const List& dead) const {
        List argv{"", std::to_string(dead.size())};
        argv.insert(argv.end(), dead.begin(), dead.end());
        return flat(host().fcall("ff_reconcile_quota",
                                 {key(), window(), key(":concurrency"), key(":admitted_set")},
                                 argv));
    }
    /// Empty values stay; those given are window, rate, cap, jitter.
    List update(List limits) const {
        limits.resize(4);
        List argv{id_, "", "ann", "busy season"};
        argv.insert(argv.end(), limits.begin(), limits.end());
        return flat(host().fcall("ff_update_quota_policy", {key()}, argv));
    }
    List attach(const std::string& kind, const std::string& scope) const {
        return flat(host().fcall("ff_attach_quota_policy", {key()}, {id_, kind, scope}));
    }
    std::string held() const { return command({"GET", key(":concurrency")}).text; }
    const std::string& id() const { return id_; }

  private:
    std::string id_ = new_uuid();
    QuotaArgs args_{};
};

FF_CONTRACT_SUITE(Ch06Quota, QuotaContract);

TEST_P(Ch06Quota, S18_TheRateWindowSlides) {
    create({.window = "1", .rate = "2"});
    const std::int64_t start = now();
    const std::string at = std::to_string(start);
    EXPECT_EQ(check("a", at), List{"ADMITTED"});
    EXPECT_EQ(check("b", at), List{"ADMITTED"});
    const List refused = check("c", std::to_string(start + 400));
    EXPECT_EQ(refused, (List{"RATE_EXCEEDED", "600", "2", "2"}));
    EXPECT_EQ(check("c", std::to_string(start + 999))[0], "RATE_EXCEEDED");
    EXPECT_EQ(check("c", std::to_string(start + 1100)), List{"ADMITTED"});
}

TEST_P(Ch06Quota, JitterSpreadsRetriesAndIsReproducible) {
    create({.window = "10", .rate = "1"});
    const std::string at = std::to_string(now());
    check("a", at);
    const List first = check("b", at, "500");
    EXPECT_EQ(check("b", at, "500"), first);
    const std::int64_t retry = std::stoll(first.at(1));
    EXPECT_GE(retry, 10'000);
    EXPECT_LE(retry, 10'500);
}

TEST_P(Ch06Quota, S19_AConcurrencySlotLastsUntilItIsReleased) {
    create({.window = "1", .cap = "2"});
    EXPECT_EQ(check("a"), List{"ADMITTED"});
    EXPECT_EQ(check("b"), List{"ADMITTED"});
    await([this] { return !exists(guard("a")) && !exists(guard("b")); });
    EXPECT_EQ(check("c"), (List{"CONCURRENCY_EXCEEDED", "2", "2"}));
    EXPECT_EQ(check("a"), List{"ALREADY_ADMITTED"});
    EXPECT_EQ(release("a"), (List{"1", "OK", "released", "1"}));
    EXPECT_EQ(check("c"), List{"ADMITTED"});
}

TEST_P(Ch06Quota, S20_RepeatedAndWrongReleasesFreeNothing) {
    create({.window = "60", .cap = "5"});
    EXPECT_EQ(check("a"), List{"ADMITTED"});
    EXPECT_EQ(check("a"), List{"ALREADY_ADMITTED"});
    EXPECT_EQ(held(), "1");
    EXPECT_EQ(release("a"), (List{"1", "OK", "released", "1"}));
    EXPECT_EQ(release("a"), (List{"1", "OK", "released", "0"}));
    EXPECT_EQ(held(), "0");
    check("b");
    check("c");
    EXPECT_EQ(release("never"), (List{"1", "OK", "released", "0"}));
    EXPECT_EQ(held(), "2");
}

TEST_P(Ch06Quota, S21_ReconcilingCountsTheMembers) {
    create({.window = "60", .cap = "5"});
    check("a");
    check("b");
    command({"SET", key(":concurrency"), "5"});
    EXPECT_EQ(reconcile({}), (List{"1", "OK", "5", "2"}));
    EXPECT_EQ(held(), "2");
    // A guard says that it was admitted lately, whatever the caller found.
    EXPECT_EQ(reconcile({"a"}), (List{"1", "OK", "2", "2"}));
    command({"DEL", guard("a")});
    EXPECT_EQ(reconcile({"a"}), (List{"1", "OK", "2", "1"}));
    EXPECT_FALSE(in_set(key(":admitted_set"), "a"));
}

TEST_P(Ch06Quota, ReconcilingAPolicyWithoutCapForgetsItsSlots) {
    create({.window = "60", .rate = "1"});
    command({"SADD", key(":admitted_set"), "x"});
    command({"SET", key(":concurrency"), "3"});
    EXPECT_EQ(reconcile({}), (List{"1", "OK", "3", "0"}));
    EXPECT_FALSE(exists(key(":admitted_set")));
}

TEST_P(Ch06Quota, ARollbackGivesTheRateSlotBackToo) {
    create({.window = "60", .rate = "1", .cap = "1"});
    check("a");
    EXPECT_EQ(release("a", "done"), (List{"1", "OK", "released", "1"}));
    EXPECT_EQ(check("b")[0], "RATE_EXCEEDED");
    EXPECT_EQ(check("a"), List{"ADMITTED"});
    EXPECT_EQ(release("a", "rollback"), (List{"1", "OK", "released", "1"}));
    EXPECT_EQ(check("b"), List{"ADMITTED"});
    EXPECT_EQ(release("b", "other")[1], "invalid_input");
}

TEST_P(Ch06Quota, S24_RateWithoutWindowAndUnknownPoliciesAreRefused) {
    EXPECT_EQ(flat(create({.window = "0", .rate = "5"})),
              (List{"0", "invalid_quota_spec", "window"}));
    EXPECT_EQ(admit({"a"}), (List{"0", "quota_policy_not_found"}));
    EXPECT_EQ(reconcile({}), (List{"0", "quota_policy_not_found"}));
    for (const QuotaArgs& bad :
         {QuotaArgs{.window = "-1"}, QuotaArgs{.rate = "x"}, QuotaArgs{.cap = "1.5"}}) {
        EXPECT_EQ(element(create(bad), 2), "invalid_input");
    }
    EXPECT_TRUE(host().contents(quota_tag()).empty());
}

TEST_P(Ch06Quota, CreatingAgainKeepsTheLimitsAndHealsTheIndex) {
    EXPECT_EQ(flat(create({.window = "1", .rate = "2", .cap = "3"}, {"50", "lane", "main", "n"})),
              (List{"1", "OK", id()}));
    command({"SREM", policies(), id()});
    EXPECT_EQ(flat(create({.window = "9"})), (List{"1", "ALREADY_SATISFIED", id()}));
    EXPECT_TRUE(in_set(policies(), id()));
    auto stored = hash(key());
    EXPECT_EQ(stored["requests_per_window_seconds"], "1");
    EXPECT_EQ(stored["max_requests_per_window"], "2");
    EXPECT_EQ(stored["active_concurrency_cap"], "3");
    EXPECT_EQ(stored["jitter_ms"], "50");
    EXPECT_EQ(stored["scope_type"], "lane");
    EXPECT_EQ(stored["name"], "n");
}

TEST_P(Ch06Quota, ABatchDecidesInOrderByTheStoredLimits) {
    create({.window = "60", .rate = "3", .cap = "2"});
    EXPECT_EQ(admit({"a", "b", "a", "c"}),
              (List{"1", "OK", "ADMITTED", "0", "ADMITTED", "0", "ALREADY_ADMITTED", "0",
                    "CONCURRENCY_EXCEEDED", "0"}));
    EXPECT_EQ(held(), "2");
    EXPECT_EQ(release_batch("", {"a", "b", "x"}), (List{"1", "OK", "2"}));
    EXPECT_EQ(release_batch("", {"a", "b", "x"}), (List{"1", "OK", "0"}));
    EXPECT_EQ(admit({"c"}), (List{"1", "OK", "ADMITTED", "0"}));
    const List refused = admit({"d"});
    EXPECT_EQ(refused.at(2), "RATE_EXCEEDED");
    EXPECT_GT(std::stoll(refused.at(3)), 0);
    EXPECT_EQ(admit({})[1], "invalid_input");
}

TEST_P(Ch06Quota, AFreedSlotIsToldOnTheFreedChannel) {
    const auto listener = host().listen("ff:admission:freed");
    create({.window = "60", .cap = "3"});
    check("a");
    check("b");
    release("none");
    release("a");
    release_batch("", {"b"});
    EXPECT_TRUE(hears(*listener, "quota:" + id(), 2));
}

TEST_P(Ch06Quota, AnOverrideChangesOnlyWhatItNames) {
    EXPECT_EQ(update({"60"}), (List{"0", "quota_policy_not_found"}));
    create({.window = "60", .rate = "1"});
    EXPECT_EQ(admit({"a", "b"})[4], "RATE_EXCEEDED");
    EXPECT_EQ(update({"", "3", "2"}), (List{"1", "OK", "1"}));
    EXPECT_EQ(admit({"b", "c"}), (List{"1", "OK", "ADMITTED", "0", "ADMITTED", "0"}));
    EXPECT_EQ(update({"0"}), (List{"0", "invalid_quota_spec", "window"}));
    EXPECT_EQ(update({"0", "0", "1"}), (List{"1", "OK", "2"}));
    // What is held stays held; nobody else comes in until it is given back.
    EXPECT_EQ(admit({"d"})[2], "CONCURRENCY_EXCEEDED");
    EXPECT_EQ(release_batch("done", {"b", "c"}), (List{"1", "OK", "2"}));
    EXPECT_EQ(admit({"d"})[2], "ADMITTED");
    EXPECT_EQ(command({"HGET", key(), "last_override_by"}).text, "ann");
    EXPECT_EQ(command({"HGET", key(), "limits_revision"}).text, "2");
}

TEST_P(Ch06Quota, TakesTheFirstScopeAndNoOther) {
    EXPECT_EQ(attach("lane", "main"), (List{"0", "quota_policy_not_found"}));
    create({.cap = "1"});
    EXPECT_EQ(attach("namespace", "acme"), (List{"1", "OK", "tenant", "acme"}));
    EXPECT_EQ(attach("tenant", "acme"), (List{"1", "ALREADY_SATISFIED", "tenant", "acme"}));
    EXPECT_EQ(attach("lane", "main"), (List{"0", "quota_attach_conflict", "tenant", "acme"}));
    EXPECT_EQ(attach("lane", "")[1], "invalid_input");
}

}  // namespace
}  // namespace ff::contract
