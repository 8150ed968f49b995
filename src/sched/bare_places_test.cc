#include "sched/bare_places.h"

#include <gtest/gtest.h>

namespace ff::sched {
namespace {

constexpr std::uint16_t kPartitions = 8;

Timestamp at(std::int64_t ms) {
    return timestamp_from_ms(ms);
}

TEST(BarePlaces, NothingIsBareBeforeSomebodyLooked) {
    const BarePlaces places(kPartitions);
    EXPECT_FALSE(places.is_bare("main", 3, at(0)));
}

TEST(BarePlaces, WhatWasFoundBareHoldsForItsTime) {
    BarePlaces places(kPartitions);
    places.found("main", 3, places.begin("main"), at(100));
    EXPECT_TRUE(places.is_bare("main", 3, at(99)));
    EXPECT_FALSE(places.is_bare("main", 3, at(100)));
    EXPECT_FALSE(places.is_bare("main", 4, at(99)));
    EXPECT_FALSE(places.is_bare("other", 3, at(99)));
}

TEST(BarePlaces, NewWorkEndsItThereAndAGapEverywhere) {
    BarePlaces places(kPartitions);
    const std::uint64_t known = places.begin("main");
    places.found("main", 1, known, at(100));
    places.found("main", 2, known, at(100));
    places.on_wake("main", 1);
    EXPECT_FALSE(places.is_bare("main", 1, at(1)));
    EXPECT_TRUE(places.is_bare("main", 2, at(1)));
    places.on_gap();
    EXPECT_FALSE(places.is_bare("main", 2, at(1)));
}

TEST(BarePlaces, ALookThatWorkOvertookSaysNothingOfThatPlaceOnly) {
    BarePlaces places(kPartitions);
    const std::uint64_t known = places.begin("main");
    places.on_wake("main", 1);
    places.on_wake("other", 2);
    places.found("main", 1, known, at(100));
    places.found("main", 2, known, at(100));
    EXPECT_FALSE(places.is_bare("main", 1, at(1)));
    EXPECT_TRUE(places.is_bare("main", 2, at(1)));
    places.found("main", 1, places.begin("main"), at(100));
    EXPECT_TRUE(places.is_bare("main", 1, at(1)));
}

TEST(BarePlaces, ALookThatAGapOvertookSaysNothing) {
    BarePlaces places(kPartitions);
    const std::uint64_t known = places.begin("main");
    places.on_gap();
    places.begin("main");
    places.found("main", 1, known, at(100));
    EXPECT_FALSE(places.is_bare("main", 1, at(1)));
}

TEST(BarePlaces, PartitionsThatAreNoneAreLeftAlone) {
    BarePlaces places(kPartitions);
    const std::uint64_t known = places.begin("main");
    places.on_wake("main", kPartitions);
    places.found("main", kPartitions, known, at(100));
    EXPECT_FALSE(places.is_bare("main", kPartitions, at(1)));
}

}  // namespace
}  // namespace ff::sched
