#include "keyspace/region_supply.h"

#include <chrono>
#include <cstring>
#include <set>
#include <thread>

#include <gtest/gtest.h>

namespace ff::keyspace {
namespace {

constexpr std::size_t kBytes = std::size_t{2} << 20U;

TEST(RegionSupply, GivesRegionsOnTheirOwnBoundaries) {
    RegionSupply supply(kBytes);
    std::set<char*> taken;
    for (int i = 0; i < 20; ++i) {
        char* const start = supply.take().start;
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(start) % kBytes, 0U);
        std::memset(start, i, kBytes);
        EXPECT_TRUE(taken.insert(start).second);
    }
    for (char* start : taken) RegionSupply::unmap(start, kBytes);
}

TEST(RegionSupply, HasTheNextOneReady) {
    RegionSupply supply(kBytes);
    RegionSupply::unmap(supply.take().start, kBytes);
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(30);
    bool populated = false;
    while (!populated && std::chrono::steady_clock::now() < deadline) {
        const RegionSupply::Region region = supply.take();
        populated = region.populated;
        RegionSupply::unmap(region.start, kBytes);
        std::this_thread::yield();
    }
    EXPECT_TRUE(populated);
}

TEST(RegionSupply, MayEndWhileItFetches) {
    for (int i = 0; i < 20; ++i) {
        RegionSupply supply(kBytes);
        RegionSupply::unmap(supply.take().start, kBytes);
    }
}

}  // namespace
}  // namespace ff::keyspace
