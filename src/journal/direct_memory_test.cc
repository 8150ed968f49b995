#include "journal/direct_memory.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>

#include "journal/direct_blocks.h"

namespace ff::journal {
namespace {

TEST(DirectMemory, IsZeroAndAligned) {
    DirectMemory memory;
    const DirectMemory::Piece piece = memory.take();
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece.get()) % DirectBlocks::kBlock, 0U);
    EXPECT_TRUE(std::all_of(piece.get(), piece.get() + DirectMemory::kBytes,
                            [](char byte) { return byte == 0; }));
}

TEST(DirectMemory, ServesOneFileAfterTheOther) {
    const auto memory = std::make_shared<DirectMemory>();
    const std::string large(DirectBlocks::kBytesMost, 'x');
    const char* first = nullptr;
    {
        DirectBlocks blocks(memory);
        first = blocks.lay_out(0, large).data();
    }
    DirectBlocks blocks(memory);
    EXPECT_EQ(blocks.lay_out(0, large).data(), first);
    EXPECT_EQ(blocks.zeros().find_first_not_of('\0'), std::string_view::npos);
    DirectBlocks other(memory);
    EXPECT_NE(other.lay_out(0, large).data(), first) << "while both are open";
}

/// How many of three pieces that are given back come again.
int kept_of_three(DirectMemory& memory) {
    std::vector<DirectMemory::Piece> pieces;
    for (int i = 0; i < 3; ++i) {
        pieces.push_back(memory.take());
        *pieces.back() = 'm';
    }
    for (DirectMemory::Piece& piece : pieces) memory.give(std::move(piece));
    int kept = 0;
    for (DirectMemory::Piece& piece : pieces) {
        piece = memory.take();
        if (*piece == 'm') ++kept;
    }
    return kept;
}

TEST(DirectMemory, KeepsOneForEveryWriterAndOneMore) {
    DirectMemory nobody;
    EXPECT_EQ(kept_of_three(nobody), 1);
    DirectMemory one;
    one.prepare();
    EXPECT_EQ(kept_of_three(one), 2);
    DirectMemory two;
    two.prepare();
    two.prepare();
    EXPECT_EQ(kept_of_three(two), 3);
}

TEST(DirectMemory, IsThereBeforeItIsNeeded) {
    DirectMemory memory;
    memory.prepare();
    // Only one more fits beside what was prepared.
    for (int i = 0; i < 2; ++i) {
        DirectMemory other;
        DirectMemory::Piece marked = other.take();
        *marked = 'm';
        memory.give(std::move(marked));
    }
    EXPECT_EQ(*memory.take(), 'm');
    EXPECT_EQ(*memory.take(), '\0') << "the prepared one";
}

}  // namespace
}  // namespace ff::journal
