#pragma once

#include <string_view>
#include <utility>
#include <vector>

#include "base/assert.h"
#include "keyspace/memory_meter.h"
#include "keyspace/quick_hash.h"

namespace ff::keyspace {

/// Items with distinct keys in one contiguous array, found through an open-addressing index of
/// positions once there are many of them. Item offers `std::string_view key() const` and moves.
///
/// A removal only ever moves items to lower positions. An iteration downwards by position therefore
/// meets every item that stays (SSCAN relies on this).
template <class Item>
class DenseIndex {
  public:
    static constexpr std::uint32_t kNowhere = 0xffffffff;

    std::uint32_t size() const { return static_cast<std::uint32_t>(items_.size()); }
    const Item& at(std::uint32_t position) const { return items_[position]; }
    Item& at(std::uint32_t position) { return items_[position]; }
    const auto& items() const { return items_; }

    std::uint32_t find(std::string_view key) const {
        if (slots_.empty()) return find_linear(key);
        return slots_[probe(key, quick_hash32(key))].position;
    }

    /// The key must not be present.
    Item& append(Item item) {
        FF_ASSERT(items_.size() < kNowhere - 1);
        if (slots_.empty() ? items_.size() >= kLinearMax
                           : (items_.size() + 1) * 4 > slots_.size() * 3) {
            rebuild(slots_.empty() ? kLinearMax * 4 : slots_.size() * 2);
        }
        if (!slots_.empty()) place(quick_hash32(item.key()), size());
        items_.push_back(std::move(item));
        return items_.back();
    }

    /// With an index the last item takes the place of the removed one; without, the items behind
    /// it move up, which keeps the order of insertion.
    void erase(std::uint32_t position) {
        if (slots_.empty()) {
            items_.erase(items_.begin() + position);
            return;
        }
        unplace(slot_of(position));
        const std::uint32_t last = size() - 1;
        if (position != last) {
            slots_[slot_of(last)].position = position;
            items_[position] = std::move(items_[last]);
        }
        items_.pop_back();
    }

    /// How `erase` fills a gap now, and where it was.
    struct Gap {
        std::uint32_t position = 0;
        bool took_last = false;
    };
    Gap gap_at(std::uint32_t position) const {
        return {.position = position, .took_last = !slots_.empty()};
    }
    /// Puts an item back, just after the erase that made the gap or when all that came later was
    /// undone: every item is where it was before.
    void restore(Gap gap, Item item) {
        if (gap.took_last) {
            append(std::move(item));
            const std::uint32_t last = size() - 1;
            if (gap.position == last) return;
            const std::size_t moved = slot_of(gap.position);
            slots_[slot_of(last)].position = gap.position;
            slots_[moved].position = last;
            std::swap(items_[gap.position], items_[last]);
            return;
        }
        items_.insert(items_.begin() + gap.position, std::move(item));
        if (slots_.empty()) return;
        // There were few when it went, so there are few now.
        slots_.assign(slots_.size(), Slot{});
        for (std::uint32_t i = 0; i < size(); ++i) place(quick_hash32(items_[i].key()), i);
    }

    void reserve(std::size_t n) { items_.reserve(n); }

  private:
    static constexpr std::size_t kLinearMax = 16;
    struct Slot {
        std::uint32_t hash = 0;
        std::uint32_t position = kNowhere;
    };

    std::uint32_t find_linear(std::string_view key) const {
        for (std::uint32_t i = 0; i < size(); ++i) {
            if (items_[i].key() == key) return i;
        }
        return kNowhere;
    }
    std::size_t probe(std::string_view key, std::uint32_t hash) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        while (slots_[at].position != kNowhere &&
               (slots_[at].hash != hash || items_[slots_[at].position].key() != key)) {
            at = (at + 1) & mask;
        }
        return at;
    }
    /// Of an item that is there.
    std::size_t slot_of(std::uint32_t position) const {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = quick_hash32(items_[position].key()) & mask;
        while (slots_[at].position != position) at = (at + 1) & mask;
        return at;
    }
    void place(std::uint32_t hash, std::uint32_t position) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t at = hash & mask;
        while (slots_[at].position != kNowhere) at = (at + 1) & mask;
        slots_[at] = {.hash = hash, .position = position};
    }
    /// Closes the gap by moving back whatever probed across it, so there are no tombstones.
    void unplace(std::size_t gap) {
        const std::size_t mask = slots_.size() - 1;
        std::size_t next = gap;
        while (true) {
            next = (next + 1) & mask;
            if (slots_[next].position == kNowhere) break;
            const std::size_t home = slots_[next].hash & mask;
            if (((next - home) & mask) < ((next - gap) & mask)) continue;
            slots_[gap] = slots_[next];
            gap = next;
        }
        slots_[gap] = Slot{};
    }
    void rebuild(std::size_t slot_count) {
        const auto old = std::move(slots_);
        slots_.assign(slot_count, Slot{});
        if (old.empty()) {
            for (std::uint32_t i = 0; i < size(); ++i) place(quick_hash32(items_[i].key()), i);
        }
        for (const Slot& slot : old) {
            if (slot.position != kNowhere) place(slot.hash, slot.position);
        }
    }

    std::vector<Item, MeteredAllocator<Item>> items_;
    std::vector<Slot, MeteredAllocator<Slot>> slots_;
};

}  // namespace ff::keyspace
