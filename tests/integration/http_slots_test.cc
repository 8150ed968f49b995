#include <fstream>

#include <unistd.h>

#include "integration/http_world.h"

#ifndef __has_feature
#define __has_feature(name) 0
#endif

namespace ff::http {
namespace {

using namespace std::chrono_literals;

class HttpSlots : public HttpServer {
  protected:
    /// Connections that have begun a request and stay there.
    std::vector<HttpConnection> begin_requests(int count, const std::string& begun) {
        std::vector<HttpConnection> out;
        for (int i = 0; i < count; ++i) {
            out.push_back(connect());
            EXPECT_TRUE(out.back().send_raw(begun).has_value());
        }
        return out;
    }
};

const std::string kHalfHead = "GET /echo HTTP/1.1\r\nHost: t\r\nX-Slow: ";
const std::string kHalfBody = "POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 900\r\n\r\nabc";

/// The body used to be read, and asked for, before anybody looked at the token.
TEST_F(HttpSlots, Repair_26_RefusesByTheHeadWithoutReadingTheBody) {
    start();
    HttpConnection announced = connect();
    ASSERT_TRUE(
        announced.send_raw("POST /closed HTTP/1.1\r\nHost: t\r\nContent-Length: 900\r\n\r\n")
            .has_value());
    EXPECT_EQ(announced.read_reply()->status, 401);
    HttpConnection asking = connect();
    ASSERT_TRUE(asking
                    .send_raw("POST /closed HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n"
                              "Transfer-Encoding: chunked\r\n\r\n")
                    .has_value());
    const auto reply = asking.read_reply();
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->status, 401);
    EXPECT_EQ(reply->header("Connection"), "close");
}

TEST_F(HttpSlots, Repair_28_GivesAHeadItsOwnDeadline) {
    start({.head_max = 200ms});
    HttpConnection slow = connect();
    ASSERT_TRUE(slow.send_raw(kHalfHead).has_value());
    EXPECT_TRUE(slow.closed_by_server());
    HttpConnection idle = connect();
    EXPECT_EQ(idle.get("/echo").status, 200) << "a connection may idle for longer";
}

/// A byte now and then does not keep a body going; a steady stream does, however long it takes.
TEST_F(HttpSlots, Repair_28_AsksABodyForAMinimalRate) {
    start({.body_grace = 300ms, .body_bytes_per_second_min = 200});
    const std::string chunked =
        "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n1";
    for (const std::string& begun : {kHalfBody, chunked}) {
        HttpConnection slow = connect();
        slow.set_timeout(Millis(50));
        ASSERT_TRUE(slow.send_raw(begun).has_value());
        const auto before = std::chrono::steady_clock::now();
        bool cut = false;
        while (!cut && std::chrono::steady_clock::now() - before < testing::kPatience) {
            // The read is the pause between two bytes.
            cut = !slow.send_raw("0").has_value() || slow.closed_by_server();
        }
        EXPECT_TRUE(cut) << begun;
    }
    HttpConnection steady = connect();
    steady.set_timeout(Millis(20));
    ASSERT_TRUE(steady.send_raw("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 900\r\n\r\n")
                    .has_value());
    for (int i = 0; i < 30; ++i) {
        ASSERT_TRUE(steady.send_raw(std::string(30, 'x')).has_value());
        if (i < 29) EXPECT_FALSE(steady.closed_by_server());
    }
    steady.set_timeout(testing::kPatience);
    EXPECT_EQ(steady.read_reply()->status, 200);
}

/// Sixty slow senders locked everybody else out of fifty places for a minute.
TEST_F(HttpSlots, Repair_28_KeepsRoomForNewClientsWhileOthersSendSlowly) {
    start({.connections_max = 50});
    std::vector<HttpConnection> slow = begin_requests(30, kHalfHead);
    for (HttpConnection& one : begin_requests(30, kHalfBody)) slow.push_back(std::move(one));
    for (int i = 0; i < 5; ++i) EXPECT_EQ(connect().get("/echo").status, 200);
    EXPECT_LE(connections(), 50U);
}

TEST_F(HttpSlots, Repair_28_ClientsThatDoNotReadMakeRoomToo) {
    start({.connections_max = 2});
    std::vector<HttpConnection> deaf = begin_requests(2, HttpConnection::encode("GET", "/huge"));
    EXPECT_EQ(connect().get("/echo").status, 200);
}

/// Whoever waits for an answer is not slow.
TEST_F(HttpSlots, Repair_28_CutsNoRequestThatIsBeingAnswered) {
    start({.connections_max = 2});
    HttpConnection busy = connect();
    ASSERT_TRUE(busy.send_raw(HttpConnection::encode("GET", "/hold")).has_value());
    ASSERT_TRUE(await_held(1));
    HttpConnection slow = connect();
    ASSERT_TRUE(slow.send_raw(kHalfHead).has_value());
    for (int i = 0; i < 3; ++i) EXPECT_EQ(connect().get("/echo").status, 200);
    on_loop([this] { handler_.release(); });
    EXPECT_EQ(busy.read_reply()->body, "released");
}

// A sanitizer brings an allocator of its own.
#if !__has_feature(address_sanitizer) && !__has_feature(thread_sanitizer)
/// What this process has resident now.
std::int64_t resident_mib() {
    std::ifstream pages("/proc/self/statm");
    std::int64_t all = 0;
    std::int64_t resident = 0;
    pages >> all >> resident;
    return resident * ::sysconf(_SC_PAGESIZE) / (1 << 20);
}

/// The allocator keeps freed memory below whatever was allocated last and still lives.
TEST_F(HttpSlots, Repair_31_GivesTheMemoryOfClientsThatAreGoneBack) {
    start();
    EXPECT_EQ(connect().get("/echo").status, 200);
    const std::int64_t before = resident_mib();
    std::vector<HttpConnection> many = begin_requests(200, HttpConnection::encode("GET", "/pile"));
    ASSERT_TRUE(await_held(200));
    const std::vector<HttpConnection> last =
        begin_requests(3, HttpConnection::encode("GET", "/hold"));
    ASSERT_TRUE(await_held(203));
    EXPECT_GT(resident_mib(), before + 180);
    many.clear();
    EXPECT_TRUE(wait_until([&] { return resident_mib() < before + 60; })) << resident_mib();
}
#endif

}  // namespace
}  // namespace ff::http
