#include "contract/scheduling.h"

namespace ff::contract {
namespace {

/// The configuration of a lane of the test's own.
class LaneContract : public Contract {
  protected:
    RespValue set(const List& fields) const {
        List argv{lane_};
        argv.insert(argv.end(), fields.begin(), fields.end());
        return host().fcall("ff_set_lane", {key()}, argv);
    }
    List remove() const { return flat(host().fcall("ff_delete_lane", {key()}, {lane_})); }
    std::string field(const std::string& name) const { return command({"HGET", key(), name}).text; }
    std::string key() const { return "ff:lane:" + lane_ + ":config"; }

  private:
    std::string lane_ = "lane-" + new_uuid();
};

FF_CONTRACT_SUITE(Ch06Lane, LaneContract);

TEST_P(Ch06Lane, WhatIsNotNamedStays) {
    EXPECT_EQ(flat(set({"scheduling_weight", "7"})), (List{"1", "OK", "active"}));
    const std::string created = field("created_at");
    EXPECT_EQ(flat(set({"state", "paused", "default_policy_json", R"({"priority":3})"})),
              (List{"1", "OK", "paused"}));
    EXPECT_EQ(flat(set({})), (List{"1", "OK", "paused"}));
    EXPECT_EQ(field("scheduling_weight"), "7");
    EXPECT_EQ(field("default_policy_json"), R"({"priority":3})");
    EXPECT_EQ(field("created_at"), created);
    EXPECT_EQ(flat(set({"default_policy_json", ""})), (List{"1", "OK", "paused"}));
    EXPECT_EQ(field("default_policy_json"), "");
}

TEST_P(Ch06Lane, RefusesWhatIsNoConfiguration) {
    for (const List& fields :
         {List{"state", "asleep"}, List{"state", ""}, List{"scheduling_weight", "0"},
          List{"scheduling_weight", "1001"}, List{"default_priority", "9001"},
          List{"colour", "red"}, List{"state"}, List{"created_at", "1"}}) {
        EXPECT_EQ(element(set(fields), 2), "invalid_input") << fields.front();
    }
    EXPECT_EQ(element(set({"default_policy_json", "[1]"}), 2), "invalid_policy_json");
    EXPECT_EQ(command({"EXISTS", key()}).integer, 0);
}

TEST_P(Ch06Lane, OnlyADisabledOneIsDeleted) {
    EXPECT_EQ(remove(), (List{"1", "ALREADY_SATISFIED"}));
    set({"scheduling_weight", "7"});
    EXPECT_EQ(remove(), (List{"0", "lane_in_use", "state", "active"}));
    set({"state", "draining"});
    EXPECT_EQ(remove(), (List{"0", "lane_in_use", "state", "draining"}));
    set({"state", "disabled"});
    EXPECT_EQ(remove(), (List{"1", "OK"}));
    EXPECT_EQ(command({"EXISTS", key()}).integer, 0);
    EXPECT_EQ(remove(), (List{"1", "ALREADY_SATISFIED"}));
}

}  // namespace
}  // namespace ff::contract
