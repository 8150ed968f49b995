#include "sched/fair_shares.h"

#include <map>

#include <gtest/gtest.h>

namespace ff::sched {
namespace {

using Names = std::vector<std::string>;

TEST(FairShares, UnderSaturationSharesFollowTheWeights) {
    FairShares shares;
    const std::map<std::string, std::uint32_t> weights = {{"a", 1}, {"b", 3}};
    std::map<std::string, int> taken;
    for (int i = 0; i < 400; ++i) {
        for (const auto& [name, weight] : weights) shares.wants(name);
        const std::string first = shares.in_order({"a", "b"}).front();
        shares.took(first, 1, weights.at(first));
        ++taken[first];
    }
    EXPECT_EQ(taken["a"], 100);
    EXPECT_EQ(taken["b"], 300);
}

TEST(FairShares, IdlenessEarnsNoCredit) {
    FairShares shares;
    shares.took("busy", 1000, 1);
    shares.wants("late");
    EXPECT_EQ(shares.virtual_time("late"), shares.virtual_time("busy"));
    shares.took("late", 1, 1);
    EXPECT_EQ(shares.in_order({"late", "busy"}), Names({"busy", "late"}));
}

TEST(FairShares, ComingBackKeepsWhatWasTakenTooMuch) {
    FairShares shares;
    shares.took("greedy", 50, 1);
    shares.idles("greedy");
    shares.took("other", 10, 1);
    shares.wants("greedy");
    EXPECT_EQ(shares.virtual_time("greedy"), 50);
}

TEST(FairShares, NamesThoseFarAheadOfTheLastWaiting) {
    FairShares shares;
    shares.wants("slow");
    shares.took("fast", 32, 1);
    shares.took("near", 31, 1);
    EXPECT_EQ(shares.over_share({"slow", "fast", "near"}, 32), Names({"fast"}));
    EXPECT_EQ(shares.over_share({"fast", "near"}, 32), Names());
    EXPECT_EQ(shares.over_share({}, 32), Names());
}

TEST(FairShares, TiesGoByName) {
    const FairShares shares;
    EXPECT_EQ(shares.in_order({"b", "a", "c"}), Names({"a", "b", "c"}));
}

TEST(FairShares, RemembersABoundedNumberOfParties) {
    FairShares shares;
    for (std::size_t i = 0; i < 3 * FairShares::kPartiesMax; ++i) {
        const std::string name = "p" + std::to_string(i);
        shares.took(name, 1, 1);
        shares.idles(name);
    }
    // A forgotten one starts level again instead of keeping its time.
    EXPECT_EQ(shares.virtual_time("p0"), 0);
}

}  // namespace
}  // namespace ff::sched
