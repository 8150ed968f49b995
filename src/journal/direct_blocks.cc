#include "journal/direct_blocks.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/assert.h"

namespace ff::journal {

namespace {

constexpr std::size_t kSmallBytes = 64U << 10;
static_assert(DirectMemory::kBytes > DirectBlocks::kBytesMost);

/// Never written; not constant, so that the program's file does not hold them.
alignas(DirectBlocks::kBlock) std::array<char, 256U << 10> few_zeros;

}  // namespace

DirectBlocks::~DirectBlocks() {
    if (large_) memory_->give(std::move(large_));
}

char* DirectBlocks::memory_for(std::size_t bytes) {
    if (bytes <= kSmallBytes) {
        if (!small_) small_.reset(static_cast<char*>(std::aligned_alloc(kBlock, kSmallBytes)));
        if (!small_) throw std::bad_alloc();
        return small_.get();
    }
    if (!large_) large_ = memory_->take();
    return large_.get();
}

std::string_view DirectBlocks::zeros() const {
    // Nothing is laid out so far behind.
    if (large_) return {large_.get() + kBytesMost, DirectMemory::kBytes - kBytesMost};
    return {few_zeros.data(), few_zeros.size()};
}

void DirectBlocks::learn(std::uint64_t offset, std::string_view before) {
    FF_ASSERT(before.size() == offset % kBlock);
    std::ranges::copy(before, last_.begin());
    end_ = offset;
}

std::string_view DirectBlocks::lay_out(std::uint64_t offset, std::string_view data) {
    FF_ASSERT(knows(offset));
    FF_ASSERT(data.size() <= room_at(offset));
    const auto before = static_cast<std::size_t>(offset % kBlock);
    const std::size_t used = before + data.size();
    const std::size_t size = (used + kBlock - 1) / kBlock * kBlock;
    char* const begin = memory_for(size);
    std::copy_n(last_.data(), before, begin);
    std::ranges::copy(data, begin + before);
    std::fill(begin + used, begin + size, '\0');
    const std::size_t into_last = used % kBlock;
    std::copy_n(begin + used - into_last, into_last, last_.data());
    end_ = offset + data.size();
    return {begin, size};
}

}  // namespace ff::journal
