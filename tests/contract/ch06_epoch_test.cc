// Quota slots belong to one admission epoch of their execution (chapter 06 section 4.4): whoever is
// late takes nothing away from whoever was faster.

#include "contract/scheduling.h"

namespace ff::contract {
namespace {

/// A quota with two slots, and an execution that is under it.
class EpochContract : public SchedulingContract {
  protected:
    std::string quota_tag() const { return "{q:" + tag().substr(4); }
    std::string key(const std::string& suffix = "") const {
        return "ff:quota:" + quota_tag() + ":" + id_ + suffix;
    }
    std::string window() const { return key(":window:requests_per_window"); }
    List keys() const { return {window(), key(":concurrency"), key(), key(":admitted_set")}; }
    void create_quota(const std::string& window_s, const std::string& rate,
                      const std::string& cap) const {
        host().fcall("ff_create_quota_policy",
                     {key(), window(), key(":concurrency"), key(":admitted_set"),
                      "ff:idx:" + quota_tag() + ":quota_policies"},
                     {id_, window_s, rate, cap, ""});
    }
    std::string admit(const Execution& e, const std::string& epoch) const {
        return element(host().fcall("ff_admit_batch", keys(), {"", "1", e.id(), epoch}), 3);
    }
    /// How many slots came free.
    std::string release(const std::string& mode, const Execution& e,
                        const std::string& epoch) const {
        List args{mode, "1", e.id()};
        if (!epoch.empty()) args.push_back(epoch);
        return element(host().fcall("ff_release_admission_batch", keys(), args), 3);
    }
    std::string void_admission(const Execution& e, const std::string& epoch) const {
        return element(host().fcall("ff_void_admission", {e.key("core")}, {e.id(), epoch}), 3);
    }
    BatchReply claim_admitted(const Execution& e, const std::string& epoch) const {
        return claim({.gated = "*", .admitted = {{e.id(), id_}}, .admission_epochs = epoch});
    }
    bool holds_a_slot(const Execution& e) const { return in_set(key(":admitted_set"), e.id()); }
    Execution limited() { return created({.policy = R"({"quota_policy_id":")" + id_ + R"("})"}); }
    const std::string& id() const { return id_; }

  private:
    std::string id_ = new_uuid();
};

FF_CONTRACT_SUITE(Ch06Epoch, EpochContract);

TEST_P(Ch06Epoch, S67_OfTwoWhoAdmitTheSameWorkTheLoserTakesNothingBack) {
    create_quota("0", "0", "2");
    Execution e = limited();
    const std::string epoch = claim().deferred.at(0).at(6);
    EXPECT_EQ(epoch, "1");
    EXPECT_EQ(admit(e, epoch), "ADMITTED");
    EXPECT_EQ(admit(e, epoch), "ALREADY_ADMITTED");
    EXPECT_EQ(claim_admitted(e, epoch).ids(), List{e.id()}) << "the second was faster";
    const BatchReply late = claim_admitted(e, epoch);
    EXPECT_EQ(late.not_claimed, (std::vector<List>{{e.id(), "stale_admission"}}));
    EXPECT_EQ(void_admission(e, epoch), "0") << "it is in use";
    EXPECT_TRUE(holds_a_slot(e));
}

TEST_P(Ch06Epoch, S67_WhatWasGivenBackCannotBeClaimedWithAnyMore) {
    create_quota("60", "5", "2");
    Execution e = limited();
    admit(e, "1");
    EXPECT_EQ(void_admission(e, "1"), "1");
    EXPECT_EQ(void_admission(e, "1"), "0");
    EXPECT_EQ(release("rollback", e, "1"), "1");
    EXPECT_EQ(claim_admitted(e, "1").not_claimed, (std::vector<List>{{e.id(), "stale_admission"}}));
    EXPECT_EQ(e.vector(), vector_l1());
    EXPECT_EQ(claim().deferred.at(0).at(6), "2");
    EXPECT_EQ(admit(e, "2"), "ADMITTED");
    EXPECT_EQ(claim_admitted(e, "2").ids(), List{e.id()});
    EXPECT_EQ(void_admission(execution(), "1"), "1") << "nobody can claim what is not there";
}

TEST_P(Ch06Epoch, S68_AReleaseThatIsLateLeavesTheSlotOfTheNextRun) {
    create_quota("60", "5", "2");
    Execution e = limited();
    admit(e, "1");
    const BatchReply first = claim_admitted(e, "1");
    complete_and_claim(first.claimed);
    EXPECT_TRUE(in_set(index("quota_release"), id() + "|" + e.id() + "|1"));
    EXPECT_EQ(admit(e, "2"), "ALREADY_ADMITTED");
    EXPECT_EQ(release("done", e, "1"), "0");
    EXPECT_EQ(release("rollback", e, "1"), "0");
    EXPECT_TRUE(holds_a_slot(e));
    EXPECT_TRUE(exists(key(":admitted:" + e.id())));
    EXPECT_EQ(command({"ZCARD", window()}).integer, 1);
    EXPECT_EQ(release("done", e, "2"), "1");
    EXPECT_FALSE(exists(key(":epochs")));
    EXPECT_EQ(command({"ZCARD", window()}).integer, 1) << "it did run";
}

TEST_P(Ch06Epoch, S68_ARateSlotIsNotGivenBackByAnEarlierAdmission) {
    create_quota("60", "1", "0");
    Execution e = limited();
    EXPECT_EQ(admit(e, "1"), "ADMITTED");
    EXPECT_EQ(admit(e, "1"), "ALREADY_ADMITTED");
    EXPECT_EQ(admit(e, "2"), "ADMITTED") << "it takes its own place again";
    EXPECT_EQ(command({"ZCARD", window()}).integer, 1);
    release("rollback", e, "1");
    EXPECT_EQ(command({"ZCARD", window()}).integer, 1);
    release("rollback", e, "2");
    EXPECT_EQ(command({"ZCARD", window()}).integer, 0);
}

TEST_P(Ch06Epoch, S69_ReconcilingTakesOnlyWhatIsVoid) {
    create_quota("60", "0", "2");
    Execution e = limited();
    admit(e, "1");
    const auto reconcile = [&](const std::string& epoch) {
        return flat(host().fcall("ff_reconcile_quota",
                                 {key(), window(), key(":concurrency"), key(":admitted_set")},
                                 {"", "1", e.id(), epoch}));
    };
    EXPECT_EQ(void_admission(e, "1"), "1");
    admit(e, "2");
    EXPECT_EQ(reconcile("1"), (List{"1", "OK", "1", "1"}));
    EXPECT_TRUE(holds_a_slot(e));
    EXPECT_EQ(reconcile("2"), (List{"1", "OK", "1", "0"})) << "whatever its guard says";
    EXPECT_FALSE(exists(key(":admitted:" + e.id())));
}

TEST_P(Ch06Epoch, AGrantUsesAnAdmissionUp) {
    create_quota("0", "0", "2");
    Execution e = limited();
    admit(e, "1");
    EXPECT_EQ(element(issue_grant(e, {.quota_ids = id(), .admission_epoch = "1"}), 2), "OK");
    EXPECT_EQ(void_admission(e, "1"), "0");
    Execution other = limited();
    void_admission(other, "1");
    EXPECT_EQ(flat(issue_grant(other, {.quota_ids = id(), .admission_epoch = "1"})),
              (List{"0", "execution_not_eligible", "stale_admission"}));
}

TEST_P(Ch06Epoch, CallersWithoutEpochsAreServedAsBefore) {
    create_quota("0", "0", "2");
    Execution e = limited();
    EXPECT_EQ(element(host().fcall("ff_admit_batch", keys(), {"", "1", e.id()}), 3), "ADMITTED");
    EXPECT_EQ(claim_admitted(e, "").ids(), List{e.id()});
    EXPECT_EQ(void_admission(e, "1"), "0") << "its claim used the epoch up all the same";
    EXPECT_EQ(release("done", e, ""), "1");
}

TEST_P(Ch06Epoch, EpochsAreOnePositiveIntegerForEachId) {
    create_quota("0", "0", "2");
    Execution e = limited();
    for (const char* bad : {"0", "-1", "x", "1,2"}) {
        EXPECT_EQ(element(host().fcall("ff_admit_batch", keys(), {"", "1", e.id(), bad}), 2),
                  "invalid_input")
            << bad;
        EXPECT_EQ(element(claim_admitted(e, bad).raw, 2), "invalid_input") << bad;
    }
    EXPECT_EQ(element(host().fcall("ff_admit_batch", keys(), {"", "1", e.id(), "1", "2"}), 2),
              "invalid_input");
}

}  // namespace
}  // namespace ff::contract
