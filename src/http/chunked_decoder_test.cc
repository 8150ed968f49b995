#include "http/chunked_decoder.h"

#include <gtest/gtest.h>

namespace ff::http {
namespace {

using State = ChunkedDecoder::State;

struct Decoded {
    State state = State::More;
    std::string body{};
    std::size_t taken = 0;
};

Decoded decode(std::string_view bytes, std::size_t data_max = 1000, std::size_t piece = 1) {
    ChunkedDecoder decoder({.data_bytes_max = data_max, .trailer_bytes_max = 100});
    Decoded out;
    while (out.taken < bytes.size() && decoder.state() == State::More)
        out.taken += decoder.feed(bytes.substr(out.taken, piece), out.body);
    out.state = decoder.state();
    return out;
}

TEST(ChunkedDecoder, TakesABodyInPiecesOfAnySizeAndLeavesWhatFollows) {
    const std::string body = "4;name=value\r\nWiki\r\n0005\r\npedia\r\n0\r\nX-Sum: 1\r\n\r\n";
    for (const std::size_t piece : {1U, 2U, 3U, 7U, 1000U}) {
        const Decoded out = decode(body + "GET / HTTP/1.1", 1000, piece);
        EXPECT_EQ(out.state, State::Done);
        EXPECT_EQ(out.body, "Wikipedia");
        EXPECT_EQ(out.taken, body.size()) << piece;
    }
}

TEST(ChunkedDecoder, RefusesWhatAnotherReaderCouldReadOtherwise) {
    for (const std::string_view bytes :
         {"\r\n", ";x\r\n", " 4\r\nWiki\r\n", "4 \r\nWiki\r\n", "+4\r\n", "-1\r\n", "0x4\r\n",
          "4\n", "4\rWiki", "4;a\nWiki", "4\r\nWiki4\r\n", "4\r\nWiki\n", "4\r\nWiki\rX", "g\r\n",
          "0\r\n\rX", "0\r\nX: 1\n\r\n", "00000000000000004\r\n", "10000000000000000\r\n"}) {
        EXPECT_EQ(decode(bytes).state, State::Malformed) << bytes;
    }
}

TEST(ChunkedDecoder, BoundsEverythingThatIsNoData) {
    EXPECT_EQ(decode("1;" + std::string(256, 'x') + "\r\na\r\n").state, State::More);
    EXPECT_EQ(decode("1;" + std::string(257, 'x')).state, State::Malformed);
    std::string many;
    for (int i = 0; i < 65; ++i) many += "1;" + std::string(255, 'x') + "\r\na\r\n";
    EXPECT_EQ(decode(many).state, State::Malformed);
    EXPECT_EQ(decode("0\r\nX: " + std::string(80, 'x') + "\r\n\r\n").state, State::Done);
    EXPECT_EQ(decode("0\r\nX: " + std::string(100, 'x')).state, State::TrailersTooLarge);
    std::string lines = "0\r\n";
    for (int i = 0; i < 30; ++i) lines += "a:\r\n";
    EXPECT_EQ(decode(lines).state, State::TrailersTooLarge);
}

TEST(ChunkedDecoder, RefusesDataOverTheLimitAtTheSizeOfItsChunk) {
    const Decoded announced = decode("3e9\r\nx");
    EXPECT_EQ(announced.state, State::DataTooLarge);
    EXPECT_EQ(announced.body, "");
    EXPECT_EQ(decode("5\r\nxxxxx\r\n6\r\n", 10).state, State::DataTooLarge);
    EXPECT_EQ(decode("5\r\nxxxxx\r\n5\r\nxxxxx\r\n0\r\n\r\n", 10).state, State::Done);
    EXPECT_EQ(decode("ffffffffffffffff\r\n", 10).state, State::DataTooLarge);
}

}  // namespace
}  // namespace ff::http
