#include "keyspace/sorted_set.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>

#include "base/assert.h"

namespace ff::keyspace {
namespace {

bool comes_before(double a_score, std::string_view a, double b_score, std::string_view b) {
    if (a_score != b_score) return a_score < b_score;
    return a < b;
}

std::ptrdiff_t signed_of(std::size_t n) {
    return static_cast<std::ptrdiff_t>(n);
}

}  // namespace

SortedSet::NodeOwner::NodeOwner(double score, std::string_view member) {
    FF_ASSERT(member.size() <= std::numeric_limits<std::uint32_t>::max());
    const Node head{.score = score, .bytes = static_cast<std::uint32_t>(member.size())};
    void* at = MeteredAllocator<std::uint64_t>().allocate(head.words());
    node.reset(std::construct_at(static_cast<Node*>(at), head));
    if (!member.empty()) std::memcpy(node.get() + 1, member.data(), member.size());
}

void SortedSet::NodeDelete::operator()(Node* node) const {
    void* at = node;
    MeteredAllocator<std::uint64_t>().deallocate(static_cast<std::uint64_t*>(at), node->words());
}

std::uint32_t SortedSet::size() const {
    return large_ ? large_->members.size() : static_cast<std::uint32_t>(small_.size());
}

SortedSet::Place SortedSet::Large::place_of(std::uint32_t rank) const {
    std::size_t block = 0;
    std::size_t left = rank;
    while (left >= blocks[block].size()) left -= blocks[block++].size();
    return {.block = block, .offset = blocks[block].begin + left};
}

std::uint32_t SortedSet::Large::rank_of(Place place) const {
    std::size_t rank = 0;
    for (std::size_t i = 0; i < place.block; ++i) rank += blocks[i].size();
    if (place.block < blocks.size()) rank += place.offset - blocks[place.block].begin;
    return static_cast<std::uint32_t>(rank);
}

void SortedSet::Large::step(Place& place, bool down) const {
    if (!down) {
        if (++place.offset < blocks[place.block].refs.size()) return;
        if (++place.block < blocks.size()) place.offset = blocks[place.block].begin;
        return;
    }
    if (place.offset > blocks[place.block].begin) {
        --place.offset;
    } else if (place.block > 0) {
        place.offset = blocks[--place.block].refs.size() - 1;
    }
}

SortedSet::Place SortedSet::Large::lower_bound(double score, std::string_view member) const {
    const auto before = [&](const Ref& ref) {
        return comes_before(ref.score, ref.node->member(), score, member);
    };
    const auto block =
        std::partition_point(blocks.begin(), blocks.end(),
                             [&](const Block& candidate) { return before(candidate.refs.back()); });
    if (block == blocks.end()) return {.block = blocks.size(), .offset = 0};
    const auto ref = std::partition_point(block->refs.begin() + signed_of(block->begin),
                                          block->refs.end(), before);
    return {.block = static_cast<std::size_t>(block - blocks.begin()),
            .offset = static_cast<std::size_t>(ref - block->refs.begin())};
}

void SortedSet::Large::add(double score, std::string_view member) {
    NodeOwner owner(score, member);
    insert(*owner.node);
    members.append(std::move(owner));
}

void SortedSet::Large::insert(const Node& node) {
    const Ref ref{.score = node.score, .node = &node};
    if (blocks.empty()) {
        blocks.emplace_back().refs.push_back(ref);
        return;
    }
    Place place = lower_bound(node.score, node.member());
    if (place.block == blocks.size()) {
        place = {.block = blocks.size() - 1, .offset = blocks.back().refs.size()};
    }
    Block* block = &blocks[place.block];
    if (block->begin > 0 && place.offset == block->begin) {
        block->refs[--block->begin] = ref;
        return;
    }
    if (block->size() >= kBlockMax) {
        // A set that grows at its end leaves full blocks behind; any other block is halved.
        const bool at_end = place.block + 1 == blocks.size() && place.offset == block->refs.size();
        const std::size_t cut = at_end ? block->refs.size() : block->begin + block->size() / 2;
        Block upper;
        upper.refs.reserve(kBlockMax / 2);
        upper.refs.assign(block->refs.begin() + signed_of(cut), block->refs.end());
        block->refs.resize(cut);
        blocks.insert(blocks.begin() + signed_of(place.block) + 1, std::move(upper));
        if (at_end || place.offset > cut) {
            ++place.block;
            place.offset -= cut;
        }
        block = &blocks[place.block];
    }
    block->refs.insert(block->refs.begin() + signed_of(place.offset), ref);
    if (block->begin > kBlockMax) {
        block->refs.erase(block->refs.begin(), block->refs.begin() + signed_of(block->begin));
        block->begin = 0;
    }
}

void SortedSet::Large::remove(Place place) {
    Block& block = blocks[place.block];
    if (place.offset == block.begin) {
        ++block.begin;
    } else {
        block.refs.erase(block.refs.begin() + signed_of(place.offset));
    }
    settle(place.block);
}

void SortedSet::Large::settle(std::size_t index) {
    Block& block = blocks[index];
    if (block.size() == 0) {
        blocks.erase(blocks.begin() + signed_of(index));
        return;
    }
    if (index + 1 == blocks.size()) return;
    Block& next = blocks[index + 1];
    if (block.size() + next.size() > kBlockMax / 2) return;
    block.refs.insert(block.refs.end(), next.refs.begin() + signed_of(next.begin), next.refs.end());
    blocks.erase(blocks.begin() + signed_of(index) + 1);
}

std::uint32_t SortedSet::Large::erase_from(Place place, std::uint32_t count) {
    Block& block = blocks[place.block];
    const std::size_t end = std::min(block.refs.size(), place.offset + count);
    for (std::size_t i = place.offset; i < end; ++i) {
        members.erase(members.find(block.refs[i].node->member()));
    }
    const auto erased = static_cast<std::uint32_t>(end - place.offset);
    if (place.offset == block.begin) {
        block.begin = end;
    } else {
        block.refs.erase(block.refs.begin() + signed_of(place.offset),
                         block.refs.begin() + signed_of(end));
    }
    settle(place.block);
    return erased;
}

std::uint32_t SortedSet::small_find(std::string_view member) const {
    std::uint32_t at = 0;
    while (at < small_.size() && small_[at].member.view() != member) ++at;
    return at;
}

void SortedSet::small_insert(double score, ByteString member) {
    const auto at = std::partition_point(small_.begin(), small_.end(), [&](const Item& item) {
        return comes_before(item.score, item.member.view(), score, member.view());
    });
    small_.insert(at, Item{.score = score, .member = std::move(member)});
}

void SortedSet::make_large() {
    auto large = make_owned<Large>();
    for (const Item& item : small_) {
        large->add(item.score, item.member.view());
    }
    small_ = decltype(small_)();
    large_ = std::move(large);
}

std::optional<double> SortedSet::score(std::string_view member) const {
    if (large_ != nullptr) {
        const std::uint32_t at = large_->members.find(member);
        if (at == DenseIndex<NodeOwner>::kNowhere) return std::nullopt;
        return large_->members.at(at).node->score;
    }
    const std::uint32_t at = small_find(member);
    if (at == small_.size()) return std::nullopt;
    return small_[at].score;
}

SortedSet::Put SortedSet::put(double score, std::string_view member, double* before) {
    if (large_ == nullptr) {
        const std::uint32_t at = small_find(member);
        if (at < small_.size()) {
            if (before != nullptr) *before = small_[at].score;
            if (small_[at].score == score) return Put::Same;
            ByteString kept = std::move(small_[at].member);
            small_.erase(small_.begin() + at);
            small_insert(score, std::move(kept));
            return Put::Moved;
        }
        if (small_.size() < kSmallMax) {
            small_insert(score, ByteString(member));
            return Put::Added;
        }
        make_large();
    }
    const std::uint32_t at = large_->members.find(member);
    if (at == DenseIndex<NodeOwner>::kNowhere) {
        large_->add(score, member);
        return Put::Added;
    }
    Node& node = *large_->members.at(at).node;
    if (before != nullptr) *before = node.score;
    if (node.score == score) return Put::Same;
    large_->remove(large_->lower_bound(node.score, member));
    node.score = score;
    large_->insert(node);
    return Put::Moved;
}

bool SortedSet::erase(std::string_view member, double* before) {
    if (large_ == nullptr) {
        const std::uint32_t at = small_find(member);
        if (at == small_.size()) return false;
        if (before != nullptr) *before = small_[at].score;
        small_.erase(small_.begin() + at);
        return true;
    }
    const std::uint32_t at = large_->members.find(member);
    if (at == DenseIndex<NodeOwner>::kNowhere) return false;
    const double score = large_->members.at(at).node->score;
    if (before != nullptr) *before = score;
    large_->remove(large_->lower_bound(score, member));
    large_->members.erase(at);
    return true;
}

void SortedSet::erase_ranks(std::uint32_t first, std::uint32_t count) {
    if (large_ == nullptr) {
        small_.erase(small_.begin() + first, small_.begin() + first + count);
        return;
    }
    while (count > 0) count -= large_->erase_from(large_->place_of(first), count);
}

std::uint32_t SortedSet::count_before(double score, bool with_equal) const {
    const auto before = [&](const auto& item) {
        return with_equal ? item.score <= score : item.score < score;
    };
    if (large_ == nullptr) {
        return static_cast<std::uint32_t>(
            std::partition_point(small_.begin(), small_.end(), before) - small_.begin());
    }
    const auto& blocks = large_->blocks;
    const auto block =
        std::partition_point(blocks.begin(), blocks.end(),
                             [&](const Block& candidate) { return before(candidate.refs.back()); });
    Place place{.block = static_cast<std::size_t>(block - blocks.begin()), .offset = 0};
    if (block != blocks.end()) {
        place.offset = static_cast<std::size_t>(
            std::partition_point(block->refs.begin() + signed_of(block->begin), block->refs.end(),
                                 before) -
            block->refs.begin());
    }
    return large_->rank_of(place);
}

std::uint32_t SortedSet::rank_from(ScoreBound min) const {
    return count_before(min.score, min.exclusive);
}

std::uint32_t SortedSet::rank_to(ScoreBound max) const {
    return count_before(max.score, !max.exclusive);
}

SortedSet SortedSet::clone() const {
    SortedSet copy;
    if (large_ != nullptr) copy.large_ = make_owned<Large>();
    copy.small_.reserve(small_.size());
    for_ranks(0, size(), false, [&copy](std::string_view member, double score) {
        if (copy.large_ == nullptr) {
            copy.small_.push_back(Item{.score = score, .member = ByteString(member)});
            return;
        }
        copy.large_->add(score, member);
    });
    return copy;
}

}  // namespace ff::keyspace
