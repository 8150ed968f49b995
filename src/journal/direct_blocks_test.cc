#include "journal/direct_blocks.h"

#include <string>

#include <gtest/gtest.h>

namespace ff::journal {
namespace {

constexpr std::size_t kBlock = DirectBlocks::kBlock;

/// The file as it is after a write of whole blocks.
void write(std::string& file, std::uint64_t offset, std::string_view blocks) {
    ASSERT_EQ(blocks.size() % kBlock, 0U);
    ASSERT_EQ(reinterpret_cast<std::uintptr_t>(blocks.data()) % kBlock, 0U);
    const std::uint64_t at = DirectBlocks::block_of(offset);
    file.resize(std::max<std::size_t>(file.size(), at + blocks.size()));
    file.replace(at, blocks.size(), blocks);
}

TEST(DirectBlocks, PutOneWriteBehindTheOther) {
    DirectBlocks blocks(std::make_shared<DirectMemory>());
    std::string file;
    std::string expected;
    for (std::size_t i = 0; i < 200; ++i) {
        // Some end with a block, some fit into one, some are several.
        const std::size_t size = i % 5 == 4 ? kBlock - expected.size() % kBlock : i * 97 % 9000 + 1;
        const std::string data(size, static_cast<char>('a' + i % 26));
        ASSERT_TRUE(blocks.knows(expected.size()));
        write(file, expected.size(), blocks.lay_out(expected.size(), data));
        expected += data;
        ASSERT_EQ(file.substr(0, expected.size()), expected) << i;
        ASSERT_EQ(file.find_first_not_of('\0', expected.size()), std::string::npos) << i;
        ASSERT_LT(file.size() - expected.size(), kBlock);
    }
}

TEST(DirectBlocks, GoOnWhereTheyWereToldOf) {
    DirectBlocks blocks(std::make_shared<DirectMemory>());
    std::string file(5000, 'f');
    EXPECT_FALSE(blocks.knows(4500));
    blocks.learn(4500, file.substr(kBlock, 4500 - kBlock));
    EXPECT_TRUE(blocks.knows(4500));
    write(file, 4500, blocks.lay_out(4500, "new"));
    EXPECT_EQ(file.substr(0, 4503), std::string(4500, 'f') + "new");
    EXPECT_EQ(file.substr(4503), std::string(2 * kBlock - 4503, '\0'));
}

TEST(DirectBlocks, KnowNothingOfABlockThatSomebodyElseChanged) {
    DirectBlocks blocks(std::make_shared<DirectMemory>());
    blocks.lay_out(0, "abc");
    EXPECT_TRUE(blocks.knows(3));
    EXPECT_FALSE(blocks.knows(2));
    blocks.forget();
    EXPECT_FALSE(blocks.knows(3));
    EXPECT_TRUE(blocks.knows(0));
    EXPECT_TRUE(blocks.knows(kBlock));
}

TEST(DirectBlocks, HaveZerosWhateverWasLaidOut) {
    DirectBlocks blocks(std::make_shared<DirectMemory>());
    for (const std::size_t size : {std::size_t{1}, DirectBlocks::room_at(0), std::size_t{1}}) {
        blocks.lay_out(0, std::string(size, 'x'));
        EXPECT_GE(blocks.zeros().size(), 64U << 10);
        EXPECT_EQ(blocks.zeros().size() % kBlock, 0U);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.zeros().data()) % kBlock, 0U);
        EXPECT_EQ(blocks.zeros().find_first_not_of('\0'), std::string_view::npos);
    }
}

TEST(DirectBlocks, HaveRoomUpToTheEndOfABlock) {
    DirectBlocks blocks(std::make_shared<DirectMemory>());
    const std::string most(DirectBlocks::room_at(0), 'm');
    EXPECT_EQ(blocks.lay_out(0, most), most);
    blocks.learn(10, "0123456789");
    const std::string rest(DirectBlocks::room_at(10), 'r');
    EXPECT_EQ(blocks.lay_out(10, rest), "0123456789" + rest);
}

}  // namespace
}  // namespace ff::journal
