#include "valkey/blocking_read.h"

#include <gtest/gtest.h>

#include "store/call.h"

namespace ff::valkey {
namespace {

using std::chrono::milliseconds;

TEST(BlockingRead, ChangesOnlyTheTimeToWait) {
    const store::Call call =
        store::plain({"XREAD", "COUNT", "5", "block", "30000", "STREAMS", "k", "0-1"});
    const BlockingRead read(call.command);
    EXPECT_TRUE(read.blocks());
    EXPECT_EQ(read.slice(milliseconds(100)),
              store::plain({"XREAD", "COUNT", "5", "block", "100", "STREAMS", "k", "0-1"}).command);
    EXPECT_EQ(read.slice(milliseconds(0)).argv(4), "1") << "0 would wait for ever";
    EXPECT_LE(read.end().remaining(), milliseconds(30'000));
    EXPECT_GT(read.end().remaining(), milliseconds(20'000));
}

TEST(BlockingRead, KnowsWhatDoesNotBlock) {
    const store::Call plain = store::plain({"XREAD", "STREAMS", "BLOCK", "5"});
    EXPECT_FALSE(BlockingRead(plain.command).blocks()) << "a stream of that name";
    EXPECT_EQ(BlockingRead(plain.command).slice(milliseconds(7)), plain.command);
    const store::Call forever = store::plain({"XREAD", "BLOCK", "0", "STREAMS", "k", "$"});
    EXPECT_TRUE(BlockingRead(forever.command).blocks());
    EXPECT_TRUE(BlockingRead(forever.command).end().is_never());
    const store::Call wrong = store::plain({"XREAD", "BLOCK", "x", "STREAMS", "k", "$"});
    EXPECT_FALSE(BlockingRead(wrong.command).blocks());
}

}  // namespace
}  // namespace ff::valkey
