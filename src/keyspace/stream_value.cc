#include "keyspace/stream_value.h"

#include <algorithm>
#include <charconv>

#include "base/assert.h"

namespace ff::keyspace {
namespace {

std::ptrdiff_t signed_of(std::size_t n) {
    return static_cast<std::ptrdiff_t>(n);
}

}  // namespace

bool StreamId::step_up() {
    if (*this == max()) return false;
    if (++seq == 0) ++ms;
    return true;
}

bool StreamId::step_down() {
    if (*this == StreamId{}) return false;
    if (seq-- == 0) --ms;
    return true;
}

std::string StreamId::text() const {
    char buffer[48];
    char* at = std::to_chars(buffer, buffer + 20, ms).ptr;
    *at++ = '-';
    at = std::to_chars(at, at + 20, seq).ptr;
    return {buffer, at};
}

void StreamValue::set_last_id(StreamId id) {
    FF_ASSERT(id >= last_id_);
    last_id_ = id;
}

void StreamValue::append(StreamId id, std::string_view fields, std::uint32_t block_entries) {
    FF_ASSERT(id > last_id_);
    if (first_ == blocks_.size() || blocks_.back().entries.size() >= block_entries) {
        if (first_ > blocks_.size() / 2) {
            blocks_.erase(blocks_.begin(), blocks_.begin() + signed_of(first_));
            first_ = 0;
        }
        blocks_.emplace_back();
    }
    blocks_.back().entries.push_back(Entry{.id = id, .fields = ByteString(fields)});
    last_id_ = id;
    ++size_;
}

std::size_t StreamValue::excess(std::uint64_t keep, bool whole_blocks) const {
    if (size_ <= keep) return 0;
    const std::size_t over = size_ - static_cast<std::size_t>(keep);
    if (!whole_blocks) return over;
    std::size_t count = 0;
    for (std::size_t i = first_; i < blocks_.size(); ++i) {
        if (count + blocks_[i].size() > over) break;
        count += blocks_[i].size();
    }
    return count;
}

void StreamValue::drop_front(std::size_t count) {
    FF_ASSERT(count <= size_);
    size_ -= count;
    while (count > 0) {
        Block& block = blocks_[first_];
        if (count >= block.size()) {
            count -= block.size();
            block = Block{};
            ++first_;
            continue;
        }
        for (; count > 0; --count) block.entries[block.begin++].fields = ByteString();
    }
    if (first_ == blocks_.size()) {
        blocks_.clear();
        first_ = 0;
    }
}

void StreamValue::drop_back(StreamId before) {
    FF_ASSERT(size_ > 0);
    Block& last = blocks_.back();
    last.entries.pop_back();
    if (last.size() == 0) blocks_.pop_back();
    if (first_ == blocks_.size()) {
        blocks_.clear();
        first_ = 0;
    }
    last_id_ = before;
    --size_;
}

void StreamValue::prepend(StreamId id, std::string_view fields, std::uint32_t block_entries) {
    if (first_ == blocks_.size() || blocks_[first_].begin == 0) {
        // A block in which all places but the last are those of dropped entries.
        Block block;
        block.entries.resize(block_entries);
        block.begin = block_entries;
        if (first_ > 0)
            blocks_[--first_] = std::move(block);
        else
            blocks_.insert(blocks_.begin(), std::move(block));
    }
    Block& block = blocks_[first_];
    block.entries[--block.begin] = Entry{.id = id, .fields = ByteString(fields)};
    ++size_;
}

StreamValue::Place StreamValue::lower_bound(StreamId id) const {
    const auto block = std::partition_point(
        blocks_.begin() + signed_of(first_), blocks_.end(),
        [&](const Block& candidate) { return candidate.entries.back().id < id; });
    if (block == blocks_.end()) return {.block = blocks_.size(), .offset = 0};
    const auto entry =
        std::partition_point(block->entries.begin() + signed_of(block->begin), block->entries.end(),
                             [&](const Entry& e) { return e.id < id; });
    return {.block = static_cast<std::size_t>(block - blocks_.begin()),
            .offset = static_cast<std::size_t>(entry - block->entries.begin())};
}

StreamValue::Place StreamValue::upper_bound(StreamId id) const {
    StreamId next = id;
    if (!next.step_up()) return {.block = blocks_.size(), .offset = 0};
    return lower_bound(next);
}

void StreamValue::step_up(Place& place) const {
    if (++place.offset < blocks_[place.block].entries.size()) return;
    ++place.block;
    place.offset = place.block < blocks_.size() ? blocks_[place.block].begin : 0;
}

bool StreamValue::step_down(Place& place) const {
    if (place.block < blocks_.size() && place.offset > blocks_[place.block].begin) {
        --place.offset;
        return true;
    }
    if (place.block == first_) return false;
    --place.block;
    place.offset = blocks_[place.block].entries.size() - 1;
    return true;
}

std::size_t StreamValue::count_range(StreamId from, StreamId to, std::size_t limit) const {
    if (from > to) return 0;
    const Place first = lower_bound(from);
    const Place end = upper_bound(to);
    std::size_t count = 0;
    for (std::size_t i = first.block; i <= end.block && i < blocks_.size() && count < limit; ++i) {
        const std::size_t low = i == first.block ? first.offset : blocks_[i].begin;
        const std::size_t high = i == end.block ? end.offset : blocks_[i].entries.size();
        count += high - low;
    }
    return std::min(count, limit);
}

StreamValue StreamValue::clone() const {
    StreamValue copy;
    copy.blocks_.reserve(blocks_.size() - first_);
    for (std::size_t i = first_; i < blocks_.size(); ++i) {
        Block block;
        block.begin = blocks_[i].begin;
        block.entries.reserve(blocks_[i].entries.size());
        for (const Entry& entry : blocks_[i].entries) {
            block.entries.push_back(Entry{.id = entry.id, .fields = entry.fields.clone()});
        }
        copy.blocks_.push_back(std::move(block));
    }
    copy.size_ = size_;
    copy.last_id_ = last_id_;
    return copy;
}

}  // namespace ff::keyspace
