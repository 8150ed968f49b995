#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <new>
#include <vector>

#include "base/assert.h"
#include "keyspace/region_supply.h"

namespace ff::keyspace {

/// Memory for what a keyspace holds: blocks of up to kBlockBytesMax in classes of size. Whoever
/// gives a block back knows its size, so a block has no head, and taking and giving are a few
/// instructions each. Memory goes back to the system as far as whole regions are free.
///
/// A region is a piece of addresses on a boundary of its own size, so that a block leads to it. It
/// starts with the facts about its slabs. A slab is cut into blocks of one class as they are
/// needed, and serves any class again once it is free.
///
/// For one thread at a time.
class BlockPool {
  public:
    static constexpr std::size_t kBlockBytesMax = 8192;
    static constexpr std::size_t kRegionBytes = std::size_t{2} << 20U;

    BlockPool();
    /// All blocks must have been given back.
    ~BlockPool();
    BlockPool(const BlockPool&) = delete;
    BlockPool& operator=(const BlockPool&) = delete;

    /// At most kBlockBytesMax bytes, aligned to 16. Throws std::bad_alloc when the system has no
    /// more.
    void* take(std::size_t bytes) {
        Slab*& open = open_[class_of(bytes)];
        if (open->free == nullptr) find_room(open, bytes);
        Slab& slab = *open;
        Free* block = slab.free;
        slab.free = block->next;
        ++slab.used;
        // It was given back long ago and will be read at the next turn: let it come meanwhile.
        __builtin_prefetch(block->next, 1);
        return block;
    }
    /// `bytes` as it was taken with.
    void give(void* block, std::size_t bytes) {
        Slab& slab = slab_of(block);
        FF_ASSERT(slab.pool == this);
        slab.free = new (block) Free{.next = slab.free};
        --slab.used;
        if (slab.used == 0 || !slab.listed) settle(open_[class_of(bytes)], slab);
    }

    std::size_t region_count() const { return regions_.size(); }

  private:
    static constexpr std::size_t kSlabBytes = std::size_t{64} << 10U;
    static constexpr std::size_t kSlabs = kRegionBytes / kSlabBytes;
    /// Up to here classes are steps of 16 bytes; beyond, eight of them double the size.
    static constexpr std::size_t kFineBytesMax = 512;
    static constexpr std::size_t kFineClasses = kFineBytesMax / 16 + 1;
    static constexpr std::size_t kClasses =
        kFineClasses + 8 * std::bit_width(kBlockBytesMax / kFineBytesMax - 1);

    struct Free {
        Free* next = nullptr;
    };
    /// One with room is in the list of its class, which starts with the one that is taken from.
    struct alignas(64) Slab {
        Free* free = nullptr;
        BlockPool* pool = nullptr;
        std::uint32_t used = 0;
        bool listed = false;
        /// What was never cut yet.
        char* rest = nullptr;
        char* end = nullptr;
        Slab* next = nullptr;
        Slab* previous = nullptr;
    };
    struct Region {
        std::array<Slab, kSlabs> slabs{};
        /// A bit for each slab.
        std::uint32_t free_slabs = 0;
        /// Bytes from the start that were fetched from the system already.
        std::size_t populated = 0;
        /// In regions_.
        std::size_t index = 0;
        /// In the list of regions with free slabs.
        Region* next = nullptr;
        Region* previous = nullptr;
    };
    static_assert(kSlabs == 32 && sizeof(Slab) == 64);

    static std::size_t class_of(std::size_t bytes) {
        if (bytes <= kFineBytesMax) return (bytes + 15) / 16;
        const auto shift = static_cast<std::size_t>(std::bit_width(bytes - 1)) - 4;
        return kFineClasses + (shift - 6) * 8 + ((bytes - 1) >> shift) - 8;
    }
    /// What a block of the class of `bytes` takes.
    static std::size_t block_bytes(std::size_t bytes);
    static Region& region_of(const void* inside) {
        const auto at = reinterpret_cast<std::uintptr_t>(inside);
        return *reinterpret_cast<Region*>(at & ~(kRegionBytes - 1));
    }
    static Slab& slab_of(const void* block) {
        const auto at = reinterpret_cast<std::uintptr_t>(block);
        return region_of(block).slabs[at % kRegionBytes / kSlabBytes];
    }

    void find_room(Slab*& list, std::size_t bytes);
    void settle(Slab*& list, Slab& slab);
    void link(Slab*& list, Slab& slab);
    void unlink(Slab*& list, Slab& slab);
    Slab& fresh_slab();
    static void populate(Region& region, std::size_t bytes);
    void drop_slab(Slab& slab);
    void link(Region& region);
    void unlink(Region& region);
    void add_region();
    void remove_region(Region& region);

    std::array<Slab*, kClasses> open_{};
    /// Ends every list, and never has room.
    Slab none_{};
    RegionSupply supply_{kRegionBytes};
    std::vector<Region*> regions_{};
    /// Those with some slabs free, and the one where all are, if there is one.
    Region* roomy_ = nullptr;
    Region* empty_ = nullptr;
};

}  // namespace ff::keyspace
