#pragma once

#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "keyspace/byte_string.h"
#include "keyspace/dense_index.h"

namespace ff::keyspace {

/// One end of an interval of scores.
struct ScoreBound {
    double score = 0;
    bool exclusive = false;
};

/// Members ordered by score, then by bytes. Small sets are one sorted array. Large ones keep each
/// member in a node of its own, an index from member to node, and the order as a row of sorted
/// blocks of (score, node): scores are compared without touching the nodes.
class SortedSet {
  public:
    enum class Put : std::uint8_t { Added, Moved, Same };

    std::uint32_t size() const;
    std::optional<double> score(std::string_view member) const;
    /// `before`: takes the score that the member had, if it had one.
    Put put(double score, std::string_view member, double* before = nullptr);
    bool erase(std::string_view member, double* before = nullptr);
    /// The range must lie within the set.
    void erase_ranks(std::uint32_t first, std::uint32_t count);

    /// How many members come before the interval that starts at `min`, or before the end of the
    /// one that stops at `max`.
    std::uint32_t rank_from(ScoreBound min) const;
    std::uint32_t rank_to(ScoreBound max) const;

    /// visit(std::string_view member, double score) for `count` members from rank `first` upwards,
    /// or downwards. The range must lie within the set.
    template <class Visit>
    void for_ranks(std::uint32_t first, std::uint32_t count, bool down, Visit&& visit) const {
        if (count == 0) return;
        if (large_ == nullptr) {
            for (; count > 0; --count, down ? --first : ++first) {
                visit(small_[first].member.view(), small_[first].score);
            }
            return;
        }
        Place place = large_->place_of(first);
        for (; count > 0; --count) {
            const Ref& ref = large_->blocks[place.block].refs[place.offset];
            visit(ref.node->member(), ref.score);
            large_->step(place, down);
        }
    }
    SortedSet clone() const;

  private:
    static constexpr std::size_t kSmallMax = 64;
    static constexpr std::size_t kBlockMax = 256;

    struct Item {
        double score = 0;
        ByteString member;
    };
    /// The bytes of the member follow in the same block: most of them share a cache line with it.
    struct Node {
        double score = 0;
        std::uint32_t bytes = 0;

        std::string_view member() const { return {reinterpret_cast<const char*>(this + 1), bytes}; }
        std::size_t words() const {
            return (sizeof(Node) + bytes + sizeof(std::uint64_t) - 1) / sizeof(std::uint64_t);
        }
    };
    struct NodeDelete {
        void operator()(Node* node) const;
    };
    struct NodeOwner {
        NodeOwner(double score, std::string_view member);

        std::unique_ptr<Node, NodeDelete> node;
        std::string_view key() const { return node->member(); }
    };
    struct Ref {
        double score = 0;
        const Node* node = nullptr;
    };
    /// `refs` before `begin` are spent: taking from the front, as queues do, moves nothing.
    struct Block {
        std::vector<Ref, MeteredAllocator<Ref>> refs;
        std::size_t begin = 0;
        std::size_t size() const { return refs.size() - begin; }
    };
    struct Place {
        std::size_t block = 0;
        std::size_t offset = 0;
    };
    struct Large {
        std::vector<Block, MeteredAllocator<Block>> blocks;
        DenseIndex<NodeOwner> members;

        Place place_of(std::uint32_t rank) const;
        /// Where (score, member) is or would be; never in an empty block.
        Place lower_bound(double score, std::string_view member) const;
        std::uint32_t rank_of(Place place) const;
        void step(Place& place, bool down) const;
        /// A member that is not there.
        void add(double score, std::string_view member);
        void insert(const Node& node);
        void remove(Place place);
        /// Erases up to `count` members from `place` on, but only within its block, and returns how
        /// many.
        std::uint32_t erase_from(Place place, std::uint32_t count);
        /// Drops a block that has become empty, joins one that has become small with the next.
        void settle(std::size_t index);
    };

    std::uint32_t count_before(double score, bool with_equal) const;
    std::uint32_t small_find(std::string_view member) const;
    void small_insert(double score, ByteString member);
    void make_large();

    std::vector<Item, MeteredAllocator<Item>> small_;
    Owned<Large> large_;
};

}  // namespace ff::keyspace
