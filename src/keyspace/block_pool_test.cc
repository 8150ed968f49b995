#include "keyspace/block_pool.h"

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "base/random.h"

namespace ff::keyspace {
namespace {

/// Blocks of one size.
class Blocks {
  public:
    Blocks(BlockPool& pool, std::size_t bytes) : pool_(pool), bytes_(bytes) {}
    void take(std::size_t count) {
        while (count-- > 0) blocks_.push_back(pool_.take(bytes_));
    }
    void give_all() {
        for (void* block : blocks_) pool_.give(block, bytes_);
        blocks_.clear();
    }
    const std::vector<void*>& all() const { return blocks_; }

  private:
    BlockPool& pool_;
    std::size_t bytes_;
    std::vector<void*> blocks_{};
};

constexpr std::size_t kPerRegion = BlockPool::kRegionBytes / 4096;

TEST(BlockPool, GivesEverybodyAPlaceOfTheirOwn) {
    struct Held {
        void* block = nullptr;
        std::size_t bytes = 0;
        unsigned char mark = 0;
    };
    SeededRandom random(7);
    BlockPool pool;
    std::vector<Held> held;
    const auto give = [&](std::size_t at) {
        const Held gone = held[at];
        const std::vector<unsigned char> wanted(gone.bytes, gone.mark);
        ASSERT_EQ(std::memcmp(gone.block, wanted.data(), gone.bytes), 0) << gone.bytes;
        pool.give(gone.block, gone.bytes);
        held[at] = held.back();
        held.pop_back();
    };
    for (int step = 0; step < 60'000; ++step) {
        // Grows to thousands and shrinks to few, so that slabs fill up and become free.
        const std::uint64_t grows = step / 10'000 % 2 == 0 ? 8 : 2;
        if (held.empty() || random.below(10) < grows) {
            const std::size_t most = std::size_t{16} << random.below(10);
            const std::size_t bytes = 1 + random.below(most);
            Held made{.block = pool.take(bytes),
                      .bytes = bytes,
                      .mark = static_cast<unsigned char>(random.below(256))};
            ASSERT_EQ(reinterpret_cast<std::uintptr_t>(made.block) % 16, 0U);
            std::memset(made.block, made.mark, bytes);
            held.push_back(made);
        } else {
            give(random.below(held.size()));
        }
    }
    while (!held.empty()) give(held.size() - 1);
}

TEST(BlockPool, TakesTheLargestBlocksToo) {
    BlockPool pool;
    Blocks blocks(pool, BlockPool::kBlockBytesMax);
    blocks.take(1000);
    for (void* block : blocks.all()) std::memset(block, 1, BlockPool::kBlockBytesMax);
    blocks.give_all();
}

TEST(BlockPool, TakesAgainWhatWasGivenBackLast) {
    BlockPool pool;
    Blocks others(pool, 100);
    others.take(1000);
    void* block = pool.take(100);
    pool.give(block, 100);
    EXPECT_EQ(pool.take(112), block) << "the same class";
    pool.give(block, 112);
    others.give_all();
}

TEST(BlockPool, WastesLittle) {
    for (const std::size_t bytes :
         {16U, 48U, 80U, 513U, 1100U, 2049U, 4096U, 4200U, 6000U, 8192U}) {
        BlockPool pool;
        Blocks blocks(pool, bytes);
        blocks.take(4 * BlockPool::kRegionBytes / bytes);
        EXPECT_LE(pool.region_count(), 5U) << bytes;
        blocks.give_all();
    }
}

TEST(BlockPool, ReturnsRegionsThatAreFree) {
    BlockPool pool;
    Blocks blocks(pool, 4096);
    blocks.take(8 * kPerRegion);
    EXPECT_GE(pool.region_count(), 8U);
    blocks.give_all();
    // One for the slab its class keeps, and one in reserve.
    EXPECT_LE(pool.region_count(), 2U);
    blocks.take(3 * kPerRegion);
    for (void* block : blocks.all()) std::memset(block, 1, 4096);
    blocks.give_all();
}

TEST(BlockPool, UsesFreeMemoryForOtherSizes) {
    BlockPool pool;
    Blocks large(pool, 4096);
    Blocks kept(pool, 4096);
    // Something stays in every region, so that none of them can be returned.
    for (int region = 0; region < 8; ++region) {
        kept.take(1);
        large.take(kPerRegion - 1);
    }
    const std::size_t regions = pool.region_count();
    large.give_all();
    Blocks small(pool, 64);
    small.take(6 * BlockPool::kRegionBytes / 64);
    EXPECT_EQ(pool.region_count(), regions);
    small.give_all();
    kept.give_all();
}

TEST(BlockPool, ReturnsAllMemoryAtItsEnd) {
    auto pool = std::make_unique<BlockPool>();
    Blocks blocks(*pool, 4096);
    blocks.take(4 * kPerRegion);
    void* const first = blocks.all().front();
    void* const page = static_cast<char*>(first) -
                       reinterpret_cast<std::uintptr_t>(first) % BlockPool::kRegionBytes;
    unsigned char resident = 0;
    EXPECT_EQ(mincore(page, 1, &resident), 0);
    blocks.give_all();
    pool.reset();
    EXPECT_NE(mincore(page, 1, &resident), 0) << "no longer there";
}

TEST(BlockPool, MayMoveFromThreadToThread) {
    BlockPool pool;
    Blocks blocks(pool, 300);
    std::thread([&] { blocks.take(10'000); }).join();
    Blocks more(pool, 300);
    more.take(10'000);
    std::thread([&] {
        blocks.give_all();
        more.give_all();
    }).join();
    EXPECT_LE(pool.region_count(), 2U);
}

TEST(BlockPoolDeathTest, RefusesTheBlockOfAnotherPool) {
    BlockPool pool;
    BlockPool other;
    void* block = pool.take(100);
    EXPECT_DEATH(other.give(block, 100), "pool");
    pool.give(block, 100);
}

}  // namespace
}  // namespace ff::keyspace
