#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string_view>
#include <utility>

#include "journal/direct_memory.h"

namespace ff::journal {

/// Turns writes at the end of a file into writes of whole blocks from aligned memory, as writing
/// past the page cache wants them: the last block is written again with what comes behind it.
/// Decides nothing about the file; whoever changes it in another way says `forget`.
class DirectBlocks {
  public:
    /// What every disk and file system takes: a multiple of their sectors and of their blocks.
    static constexpr std::size_t kBlock = 4096;
    /// Laid out at a time.
    static constexpr std::size_t kBytesMost = 3U << 19;

    explicit DirectBlocks(std::shared_ptr<DirectMemory> memory) : memory_(std::move(memory)) {}
    ~DirectBlocks();
    DirectBlocks(const DirectBlocks&) = delete;
    DirectBlocks& operator=(const DirectBlocks&) = delete;

    static std::uint64_t block_of(std::uint64_t offset) { return offset / kBlock * kBlock; }
    /// How much data may be laid out for a write at `offset`; a block ends there.
    static std::size_t room_at(std::uint64_t offset) {
        return kBytesMost - static_cast<std::size_t>(offset % kBlock);
    }

    /// Whether the bytes between the begin of the block of `offset` and `offset` are known.
    bool knows(std::uint64_t offset) const { return offset == end_ || offset % kBlock == 0; }
    /// `before` are those bytes.
    void learn(std::uint64_t offset, std::string_view before);
    void forget() { end_ = 0; }

    /// What to write at `block_of(offset)`, which is known, so that `data` is at `offset` and zeros
    /// from there to the end of its last block. Valid until the next call.
    std::string_view lay_out(std::uint64_t offset, std::string_view data);
    /// Some zeros, whole blocks of them.
    std::string_view zeros() const;

  private:
    char* memory_for(std::size_t bytes);

    std::shared_ptr<DirectMemory> memory_;
    /// Whoever writes little never has the other one.
    DirectMemory::Piece small_{};
    DirectMemory::Piece large_{};
    /// Where what is known ends; 0 knows nothing, and needs to know nothing.
    std::uint64_t end_ = 0;
    /// The block of `end_`.
    std::array<char, kBlock> last_{};
};

}  // namespace ff::journal
