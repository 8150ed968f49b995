#include "journal/direct_memory.h"

#include <algorithm>
#include <cstdint>

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

TEST(DirectMemory, IsThereBeforeItIsNeeded) {
    DirectMemory memory;
    memory.prepare();
    const DirectMemory::Piece prepared = memory.take();
    memory.prepare();
    memory.prepare();
    memory.prepare();
    EXPECT_NE(memory.take(), nullptr);
    EXPECT_NE(prepared, nullptr);
}

}  // namespace
}  // namespace ff::journal
