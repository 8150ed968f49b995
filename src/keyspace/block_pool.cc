#include "keyspace/block_pool.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace ff::keyspace {
namespace {

/// Cut at once, if blocks are smaller.
constexpr std::size_t kCutBytes = 4096;
constexpr std::uint32_t kAllSlabs = std::numeric_limits<std::uint32_t>::max();

}  // namespace

BlockPool::BlockPool() {
    open_.fill(&none_);
}

BlockPool::~BlockPool() {
    for (Region* region : regions_) {
        for (const Slab& slab : region->slabs) FF_ASSERT(slab.used == 0);
        RegionSupply::unmap(reinterpret_cast<char*>(region), kRegionBytes);
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
    RegionSupply::populate(reinterpret_cast<char*>(&region) + region.populated);
    region.populated += RegionSupply::kPieceBytes;
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
    // The first two hold a little of everything: most of it is not needed for long.
    const RegionSupply::Region taken =
        regions_.size() < 2
            ? RegionSupply::Region{.start = RegionSupply::map(kRegionBytes), .populated = true}
            : supply_.take();
    if (taken.start == nullptr) throw std::bad_alloc();
    empty_ = new (taken.start) Region{.free_slabs = kAllSlabs,
                                      .populated = taken.populated ? kRegionBytes : 0,
                                      .index = regions_.size()};
    regions_.push_back(empty_);
}

void BlockPool::remove_region(Region& region) {
    regions_[region.index] = regions_.back();
    regions_[region.index]->index = region.index;
    regions_.pop_back();
    RegionSupply::unmap(reinterpret_cast<char*>(&region), kRegionBytes);
}

}  // namespace ff::keyspace
