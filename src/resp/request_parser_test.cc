#include "resp/request_parser.h"

#include <memory>
#include <random>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "resp/command.h"

namespace ff::resp {
namespace {

using Requests = std::vector<std::vector<std::string>>;

/// Reads a connection's bytes as they grow, each time in a buffer at another address.
struct Reading {
    Requests requests{};
    std::string error{};
};

Reading read_in_pieces(std::string_view wire, const std::vector<std::size_t>& cuts,
                       RequestLimits limits = {}) {
    RequestParser parser(limits);
    Reading reading;
    std::size_t start = 0;
    for (const std::size_t cut : cuts) {
        const auto moved = std::make_unique<std::string>(wire.substr(0, cut));
        RequestStatus status = parser.parse(*moved, start);
        for (; status == RequestStatus::Complete; status = parser.parse(*moved, start)) {
            if (!parser.argv().empty())
                reading.requests.emplace_back(parser.argv().begin(), parser.argv().end());
            start += parser.consumed();
        }
        if (status == RequestStatus::Error) {
            reading.error = parser.error();
            return reading;
        }
    }
    return reading;
}

TEST(RequestParser, ReadsTheSameHoweverTheBytesArrive) {
    using std::string_literals::operator""s;
    const std::string wire =
        "*2\r\n$3\r\nGET\r\n$3\r\na\0\r\r\n*0\r\n*-1\r\nPING\r\n\r\nset \"a b\\x41\" 'c\\'d'\n"
        "*1\r\n$0\r\n\r\n"s;
    const Requests expected = {{"GET", "a\0\r"s}, {"PING"}, {"set", "a bA", "c'd"}, {""}};
    for (std::size_t first = 0; first <= wire.size(); ++first) {
        for (std::size_t second = first; second <= wire.size(); ++second) {
            const Reading reading = read_in_pieces(wire, {first, second, wire.size()});
            ASSERT_EQ(reading.requests, expected) << first << " " << second;
            ASSERT_EQ(reading.error, "");
        }
    }
}

TEST(RequestParser, ReadsWhatCommandWrites) {
    std::mt19937 random(7);
    std::string wire;
    Requests expected;
    for (int i = 0; i < 200; ++i) {
        Command command("X");
        expected.push_back({"X"});
        for (std::size_t n = random() % 5; n > 0; --n) {
            std::string bytes(random() % 30, '\0');
            for (char& byte : bytes) byte = static_cast<char>(random());
            command.arg(bytes);
            expected.back().push_back(bytes);
        }
        wire += command.wire();
    }
    EXPECT_EQ(read_in_pieces(wire, {wire.size()}).requests, expected);
}

TEST(RequestParser, SaysHowManyBytesAreMissing) {
    RequestParser parser;
    EXPECT_EQ(parser.parse("*1\r\n$10\r\nabc", 0), RequestStatus::NeedMore);
    EXPECT_EQ(parser.need(), 9U);
}

TEST(RequestParser, RefusesBrokenRequestsInValkeysWords) {
    const RequestLimits limits{.args_max = 3, .bulk_bytes_max = 5, .inline_bytes_max = 8};
    const std::vector<std::pair<std::string, std::string>> cases = {
        {"*4\r\n", "ERR Protocol error: invalid multibulk length"},
        {"*x\r\n", "ERR Protocol error: invalid multibulk length"},
        {"*01\r\n", "ERR Protocol error: invalid multibulk length"},
        {"*1\r\n+OK\r\n", "ERR Protocol error: expected '$', got '+'"},
        {"*1\r\n\r\n", "ERR Protocol error: expected '$', got ' '"},
        {"*1\r\n$6\r\n", "ERR Protocol error: invalid bulk length"},
        {"*1\r\n$-1\r\n", "ERR Protocol error: invalid bulk length"},
        {"*1\r\n$1\r\nabc", "ERR Protocol error: expected line end after bulk"},
        {"123456789", "ERR Protocol error: too big inline request"},
        {"a \"b\n", "ERR Protocol error: unbalanced quotes in request"},
        {"\"a\"b\n", "ERR Protocol error: unbalanced quotes in request"},
    };
    for (const auto& [wire, error] : cases) {
        for (std::size_t cut = 0; cut <= wire.size(); ++cut)
            EXPECT_EQ(read_in_pieces(wire, {cut, wire.size()}, limits).error, error) << wire;
    }
}

}  // namespace
}  // namespace ff::resp
