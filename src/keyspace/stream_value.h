#pragma once

#include <compare>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "keyspace/byte_string.h"

namespace ff::keyspace {

struct StreamId {
    std::uint64_t ms = 0;
    std::uint64_t seq = 0;

    static constexpr StreamId max() {
        return {.ms = std::numeric_limits<std::uint64_t>::max(),
                .seq = std::numeric_limits<std::uint64_t>::max()};
    }
    /// False, and unchanged, if there is no such id.
    bool step_up();
    bool step_down();
    std::string text() const;

    auto operator<=>(const StreamId&) const = default;
};

/// Entries in the order of their ids, in blocks so that the oldest can be dropped many at a time.
/// A stream may be empty, and remembers its last id then too.
///
/// The fields of an entry are kept in the form they have in an effect: the number of texts, then
/// the texts, field and value in turn (wire.h).
class StreamValue {
  public:
    std::size_t size() const { return size_; }
    StreamId last_id() const { return last_id_; }
    /// For replaying; not below what the stream has seen.
    void set_last_id(StreamId id);

    /// `id` must be greater than last_id(). A block takes at most `block_entries` entries,
    /// dropped ones included.
    void append(StreamId id, std::string_view fields, std::uint32_t block_entries);

    /// How many of the oldest entries must go so that `keep` stay, or, if only whole blocks may
    /// go, at least `keep`.
    std::size_t excess(std::uint64_t keep, bool whole_blocks) const;
    /// At most size().
    void drop_front(std::size_t count);

    // For taking back what was just done.

    /// The last entry goes, and the last id is `before` again. There must be one.
    void drop_back(StreamId before);
    /// `id` must be below that of the first entry. Blocks take `block_entries` entries, as above.
    void prepend(StreamId id, std::string_view fields, std::uint32_t block_entries);

    /// visit(StreamId, std::string_view fields) for the entries in [from, to], at most `limit`.
    /// Returns how many there were.
    template <class Visit>
    std::size_t for_range(StreamId from, StreamId to, bool down, std::size_t limit,
                          Visit&& visit) const {
        Place place = down ? upper_bound(to) : lower_bound(from);
        std::size_t seen = 0;
        for (; seen < limit; ++seen) {
            if (down ? !step_down(place) : place.block == blocks_.size()) break;
            const Entry& entry = blocks_[place.block].entries[place.offset];
            if (down ? entry.id < from : entry.id > to) break;
            visit(entry.id, entry.fields.view());
            if (!down) step_up(place);
        }
        return seen;
    }
    /// The number of entries for_range would visit.
    std::size_t count_range(StreamId from, StreamId to, std::size_t limit) const;

    StreamValue clone() const;

  private:
    struct Entry {
        StreamId id;
        ByteString fields;
    };
    /// Entries before `begin` have been dropped; their bytes are gone, their places remain.
    struct Block {
        std::vector<Entry, MeteredAllocator<Entry>> entries;
        std::size_t begin = 0;
        std::size_t size() const { return entries.size() - begin; }
    };
    struct Place {
        std::size_t block = 0;
        std::size_t offset = 0;
    };

    Place lower_bound(StreamId id) const;
    Place upper_bound(StreamId id) const;
    void step_up(Place& place) const;
    /// False at the first entry.
    bool step_down(Place& place) const;

    // Blocks before first_ have been dropped.
    std::vector<Block, MeteredAllocator<Block>> blocks_;
    std::size_t first_ = 0;
    std::size_t size_ = 0;
    StreamId last_id_;
};

}  // namespace ff::keyspace
