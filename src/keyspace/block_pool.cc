#include "keyspace/block_pool.h"

#include <algorithm>
#include <limits>
#include <utility>

#include <sys/mman.h>

namespace ff::keyspace {
namespace {

/// Cut at once, if blocks are smaller.
constexpr std::size_t kCutBytes = 4096;
/// Fetched from the system at once: that spares a page fault for each page, and 1.2 us instead of
/// 1.7 for its 4 KiB. Huge pages would take 0.3, but where a hypervisor lends memory only while it
/// is in use, they are what it has taken back: 8 us.
constexpr std::size_t kPopulateBytes = std::size_t{256} << 10U;
constexpr std::uint32_t kAllSlabs = std::numeric_limits<std::uint32_t>::max();

char* map(std::size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    FF_ASSERT(at != MAP_FAILED);
    return static_cast<char*>(at);
}

/// As many bytes as its address is a multiple of.
char* map_aligned(std::size_t bytes) {
    const auto beyond = [bytes](const char* at) {
        return reinterpret_cast<std::uintptr_t>(at) % bytes;
    };
    char* at = map(bytes);
    if (beyond(at) == 0) return at;
    munmap(at, bytes);
    at = map(2 * bytes);
    const std::size_t before = (bytes - beyond(at)) % bytes;
    if (before > 0) munmap(at, before);
    if (before < bytes) munmap(at + before + bytes, bytes - before);
    return at + before;
}

}  // namespace

BlockPool::BlockPool() {
    open_.fill(&none_);
}

BlockPool::~BlockPool() {
    for (Region* region : regions_) {
        for (const Slab& slab : region->slabs) FF_ASSERT(slab.used == 0);
        munmap(region, kRegionBytes);
    }
}

std::size_t BlockPool::block_bytes(std::size_t bytes) {
    const std::size_t step =
        bytes <= kFineBytesMax ? 16 : std::size_t{1} << (std::bit_width(bytes - 1) - 4);
    return (std::max(bytes, step) + step - 1) / step * step;
}

/// Makes the first of the list one that has free blocks.
void BlockPool::find_room(Slab*& list, std::size_t bytes) {
    const std::size_t size = block_bytes(bytes);
    while (list->free == nullptr) {
        if (list == &none_) link(list, fresh_slab());
        Slab& slab = *list;
        const auto left = static_cast<std::size_t>(slab.end - slab.rest);
        if (left < size) {
            unlink(list, slab);
            continue;
        }
        char* const end = slab.rest + std::min(left, std::max(size, kCutBytes)) / size * size;
        Free** last = &slab.free;
        for (; slab.rest < end; slab.rest += size) {
            *last = new (slab.rest) Free{};
            last = &(*last)->next;
        }
    }
}

/// After a block was given back to a slab that had no room, or its last one.
void BlockPool::settle(Slab*& list, Slab& slab) {
    if (!slab.listed) link(list, slab);
    if (slab.used > 0) return;
    // The last one stays: a class that is used for one block at a time would cut it each time.
    if (list == &slab && slab.next == &none_) return;
    unlink(list, slab);
    drop_slab(slab);
}

void BlockPool::link(Slab*& list, Slab& slab) {
    slab.listed = true;
    slab.previous = nullptr;
    slab.next = list;
    if (list != &none_) list->previous = &slab;
    list = &slab;
}

void BlockPool::unlink(Slab*& list, Slab& slab) {
    slab.listed = false;
    if (slab.next != &none_) slab.next->previous = slab.previous;
    (slab.previous == nullptr ? list : slab.previous->next) = slab.next;
}

BlockPool::Slab& BlockPool::fresh_slab() {
    if (roomy_ == nullptr) {
        if (empty_ == nullptr) add_region();
        link(*std::exchange(empty_, nullptr));
    }
    Region& region = *roomy_;
    const auto index = static_cast<std::size_t>(std::countr_zero(region.free_slabs));
    region.free_slabs &= region.free_slabs - 1;
    if (region.free_slabs == 0) unlink(region);
    char* const start = reinterpret_cast<char*>(&region) + index * kSlabBytes;
    populate(region, (index + 1) * kSlabBytes);
    Slab& slab = region.slabs[index];
    slab = Slab{.pool = this,
                .rest = index == 0 ? start + sizeof(Region) : start,
                .end = start + kSlabBytes};
    return slab;
}

/// Slabs are handed out from the first to the last, so what is there is always a first part.
void BlockPool::populate(Region& region, std::size_t bytes) {
    if (region.populated >= bytes) return;
#if defined(MADV_POPULATE_WRITE)
    // An older system refuses, and pages come as they are touched.
    madvise(reinterpret_cast<char*>(&region) + region.populated, kPopulateBytes,
            MADV_POPULATE_WRITE);
#endif
    region.populated += kPopulateBytes;
}

void BlockPool::drop_slab(Slab& slab) {
    Region& region = region_of(&slab);
    if (region.free_slabs == 0) link(region);
    region.free_slabs |= std::uint32_t{1} << static_cast<unsigned>(&slab - region.slabs.data());
    if (region.free_slabs != kAllSlabs) return;
    unlink(region);
    if (empty_ == nullptr)
        empty_ = &region;
    else
        remove_region(region);
}

void BlockPool::link(Region& region) {
    region.previous = nullptr;
    region.next = roomy_;
    if (roomy_ != nullptr) roomy_->previous = &region;
    roomy_ = &region;
}

void BlockPool::unlink(Region& region) {
    if (region.next != nullptr) region.next->previous = region.previous;
    (region.previous == nullptr ? roomy_ : region.previous->next) = region.next;
}

void BlockPool::add_region() {
    char* const at = map_aligned(kRegionBytes);
    empty_ = new (at) Region{.free_slabs = kAllSlabs, .index = regions_.size()};
    // The first holds a little of everything: most of it is not needed for long.
    if (regions_.empty()) empty_->populated = kRegionBytes;
    regions_.push_back(empty_);
}

void BlockPool::remove_region(Region& region) {
    regions_[region.index] = regions_.back();
    regions_[region.index]->index = region.index;
    regions_.pop_back();
    munmap(&region, kRegionBytes);
}

}  // namespace ff::keyspace
