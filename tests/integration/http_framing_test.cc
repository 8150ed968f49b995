#include "integration/http_world.h"

namespace ff::http {
namespace {

using namespace std::chrono_literals;

const std::string kChunkedHead =
    "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";

/// Sends until the server has had enough or `most` bytes are gone.
std::size_t send_until_refused(HttpConnection& connection, const std::string& piece,
                               std::size_t most) {
    std::size_t sent = 0;
    while (sent < most && connection.send_raw(piece).has_value()) sent += piece.size();
    return sent;
}

class HttpFraming : public HttpServer {
  protected:
    int status_of(const std::string& bytes) {
        HttpConnection connection = connect();
        if (!connection.send_raw(bytes).has_value()) return -1;
        const auto reply = connection.read_reply();
        return reply.has_value() ? reply->status : 0;
    }
};

/// Each was read into memory without an end, by whoever could connect.
TEST_F(HttpFraming, Repair_24_BoundsChunkExtensionsTrailersAndLeadingZeros) {
    start();
    const std::string piece(std::size_t{64} << 10, 'x');
    const std::string zeros(std::size_t{64} << 10, '0');
    std::string short_trailers;
    while (short_trailers.size() < piece.size()) short_trailers += "a: b\r\n";
    const std::vector<std::pair<std::string, std::string>> endless = {
        {"1;", piece}, {"0\r\nX: ", piece}, {"0\r\n", short_trailers}, {"0", zeros}, {"", zeros}};
    constexpr std::size_t kMost = std::size_t{64} << 20;
    for (const auto& [begun, more] : endless) {
        HttpConnection connection = connect();
        ASSERT_TRUE(connection.send_raw(kChunkedHead + begun).has_value());
        EXPECT_LT(send_until_refused(connection, more, kMost), kMost) << begun;
        EXPECT_EQ(connect().get("/echo").status, 200);
    }
    EXPECT_EQ(status_of(kChunkedHead + "1;" + std::string(1000, 'x')), 400);
    EXPECT_EQ(status_of(kChunkedHead + "0\r\nX: " + std::string(20'000, 'x')), 431);
    EXPECT_EQ(status_of(kChunkedHead + std::string(1000, '0')), 400);
    EXPECT_EQ(status_of(kChunkedHead + "2;a=b\r\nok\r\n0\r\nX-Sum: 1\r\n\r\n"), 200);
}

/// The body of such a request was run as the next request.
TEST_F(HttpFraming, Repair_25_RefusesEveryTransferEncodingButChunked) {
    start();
    const std::string hidden = "GET /hidden HTTP/1.1\r\nHost: t\r\n\r\n";
    const std::string length = "Content-Length: " + std::to_string(hidden.size()) + "\r\n";
    const auto encoded = [](const std::string& value) {
        return "Transfer-Encoding: " + value + "\r\n";
    };
    for (const std::string& headers : {encoded("identity"),
                                       encoded("xchunked"),
                                       encoded("\"chunked\""),
                                       encoded("gzip, chunked"),
                                       encoded("chunked, identity"),
                                       encoded("chunked, chunked"),
                                       encoded("chunked") + encoded("chunked"),
                                       encoded("identity") + encoded("chunked"),
                                       encoded("chunked;q=1"),
                                       encoded(""),
                                       encoded("identity") + length,
                                       encoded("chunked") + length,
                                       length + length,
                                       length + "Content-Length: 1\r\n",
                                       std::string("Content-Length: +5\r\n"),
                                       std::string("Content-Length: 5, 5\r\n"),
                                       std::string("Content-Length: 0x5\r\n"),
                                       std::string("Content-Length: -1\r\n"),
                                       std::string("Content-Length:\r\n"),
                                       std::string("Content-Length: 99999999999999999999\r\n"),
                                       std::string("Transfer-Encoding : chunked\r\n")}) {
        HttpConnection connection = connect();
        ASSERT_TRUE(
            connection.send_raw("POST /echo HTTP/1.1\r\nHost: t\r\n" + headers + "\r\n" + hidden)
                .has_value());
        const auto reply = connection.read_reply();
        ASSERT_TRUE(reply.has_value()) << headers;
        EXPECT_EQ(reply->status, 400) << headers;
        EXPECT_TRUE(connection.closed_by_server()) << headers;
    }
    EXPECT_EQ(status_of("POST /echo HTTP/1.0\r\n" + encoded("chunked") + "\r\n0\r\n\r\n"), 400);
    EXPECT_EQ(status_of("POST /echo HTTP/1.1\r\nHost: t\r\n" + encoded("Chunked") +
                        "\r\n2\r\nok\r\n0\r\n\r\n"),
              200);
}

TEST_F(HttpFraming, Repair_27_CountsAHeadThatComesInOneWriteAndRequiresOneHost) {
    start();
    const auto with = [](const std::string& headers) {
        return "GET /echo HTTP/1.1\r\n" + headers + "\r\n";
    };
    const auto long_head = [&with](std::size_t block) {
        const std::string host = "Host: t\r\nX: ";
        return with(host + std::string(block - host.size() - 4, 'x') + "\r\n");
    };
    EXPECT_EQ(status_of(long_head(std::size_t{16} << 10)), 200);
    EXPECT_EQ(status_of(long_head((std::size_t{16} << 10) + 1)), 431);
    EXPECT_EQ(status_of(long_head(std::size_t{20} << 10)), 431);
    EXPECT_EQ(status_of(long_head(std::size_t{31} << 10)), 431);
    std::string many = "Host: t\r\n";
    while (many.size() < std::size_t{20} << 10) many += "X-Short: 1\r\n";
    EXPECT_EQ(status_of(with(many)), 431);
    EXPECT_EQ(status_of(with("")), 400);
    EXPECT_EQ(status_of(with("Host:\r\n")), 400);
    EXPECT_EQ(status_of(with("Host: a\r\nHost: a\r\n")), 400);
    EXPECT_EQ(status_of(with("Host: a\r\nhost: b\r\n")), 400);
    EXPECT_EQ(status_of(with("Host: a/b\r\n")), 400);
    EXPECT_EQ(status_of(with("Host: user@a\r\n")), 400);
    for (const std::string host : {"a:80x", "a:b:80", "[::1", "[::1]80", "::1", ":80", "[]:80"})
        EXPECT_EQ(status_of(with("Host: " + host + "\r\n")), 400) << host;
    EXPECT_EQ(status_of(with("Host: a:\r\n")), 200);
    EXPECT_EQ(status_of(with("Host: [::1]:80\r\n")), 200);
    EXPECT_EQ(status_of("GET /echo HTTP/1.0\r\n\r\n"), 200);
}

}  // namespace
}  // namespace ff::http
