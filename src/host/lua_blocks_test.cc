#include "host/lua_blocks.h"

#include <cstring>
#include <vector>

#include <gtest/gtest.h>

namespace ff::host {
namespace {

TEST(LuaBlocks, KeepsTheBytesOfABlockThatGrowsAndShrinks) {
    LuaBlocks blocks;
    std::size_t size = 1;
    auto* block = static_cast<char*>(blocks.allocate(nullptr, 0, size));
    block[0] = 'a';
    for (const std::size_t wanted : {16U, 17U, 2048U, 2049U, 100000U, 3000U, 2000U, 40U}) {
        block = static_cast<char*>(blocks.allocate(block, size, wanted));
        ASSERT_NE(block, nullptr);
        ASSERT_EQ(block[0], 'a') << wanted;
        if (wanted > size) std::memset(block + size, 'b', wanted - size);
        size = wanted;
    }
    EXPECT_EQ(std::string(block + 1, size - 1), std::string(size - 1, 'b'));
    EXPECT_EQ(blocks.allocate(block, size, 0), nullptr);
}

TEST(LuaBlocks, HandsOutAgainWhatWasGivenBackAndNothingTwice) {
    LuaBlocks blocks;
    void* first = blocks.allocate(nullptr, 0, 100);
    void* second = blocks.allocate(nullptr, 0, 100);
    EXPECT_NE(first, second);
    blocks.allocate(first, 100, 0);
    EXPECT_EQ(blocks.allocate(nullptr, 0, 97), first);
    EXPECT_NE(blocks.allocate(nullptr, 0, 100), second);
}

// The region is bounded; Lua's own limit decides when there is no memory.
TEST(LuaBlocks, GoesOnWithTheSystemsMemoryWhenTheRegionIsUsedUp) {
    constexpr std::size_t kSize = LuaBlocks::kBlockBytesMax;
    LuaBlocks blocks;
    std::vector<void*> all;
    for (std::size_t bytes = 0; bytes < LuaBlocks::kRegionBytes + (1U << 20U); bytes += kSize) {
        all.push_back(blocks.allocate(nullptr, 0, kSize));
        ASSERT_NE(all.back(), nullptr);
        std::memcpy(all.back(), &bytes, sizeof(bytes));
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t written = 0;
        std::memcpy(&written, all[i], sizeof(written));
        ASSERT_EQ(written, i * kSize);
        all[i] = blocks.allocate(all[i], kSize, 32);
        std::memcpy(&written, all[i], sizeof(written));
        ASSERT_EQ(written, i * kSize);
    }
    for (void* block : all) blocks.allocate(block, 32, 0);
}

}  // namespace
}  // namespace ff::host
