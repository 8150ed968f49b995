#include "base/byte_buffer.h"

#include <string>

#include <gtest/gtest.h>

namespace ff {
namespace {

TEST(ByteBuffer, KeepsWhatWasWrittenWhileItGrows) {
    ByteBuffer buffer;
    EXPECT_TRUE(buffer.empty());
    EXPECT_EQ(buffer.view(), "");
    std::string wanted;
    for (std::size_t i = 0; i < 500; ++i) {
        const std::string piece(i % 70, static_cast<char>('a' + i % 26));
        buffer.append(piece);
        buffer.append(i % 3, '\0');
        char* to = buffer.room(10);
        *to = '!';
        buffer.end_at(to + 1);
        wanted += piece + std::string(i % 3, '\0') + "!";
    }
    EXPECT_EQ(buffer.view(), wanted);
    EXPECT_EQ(buffer.size(), wanted.size());
    EXPECT_GE(buffer.capacity(), buffer.size());
    buffer.cut(100);
    EXPECT_EQ(buffer.view(), wanted.substr(0, 100));
}

TEST(ByteBuffer, KeepsItsMemoryWhenItIsCleared) {
    ByteBuffer buffer;
    buffer.reserve(100'000);
    const char* block = buffer.data();
    buffer.append(100'000, 'x');
    EXPECT_EQ(buffer.data(), block);
    buffer.clear();
    EXPECT_TRUE(buffer.empty());
    EXPECT_GE(buffer.capacity(), 100'000U);
    buffer.append("y");
    EXPECT_EQ(buffer.data(), block);
    EXPECT_EQ(buffer.view(), "y");
}

TEST(ByteBuffer, IsEmptyWhenMovedFrom) {
    ByteBuffer buffer;
    buffer.append("bytes");
    ByteBuffer other;
    other.append("gone");
    other = std::move(buffer);
    EXPECT_EQ(other.view(), "bytes");
    EXPECT_TRUE(buffer.empty());  // NOLINT(bugprone-use-after-move): promised
    EXPECT_EQ(buffer.capacity(), 0U);
    buffer.append("again");
    EXPECT_EQ(buffer.view(), "again");
    EXPECT_EQ(ByteBuffer(std::move(other)).view(), "bytes");
}

}  // namespace
}  // namespace ff
