#include "integration/http_world.h"

namespace ff::http {
namespace {

using namespace std::chrono_literals;

TEST_F(HttpServer, AnswersSeveralRequestsOnOneConnection) {
    start();
    HttpConnection connection = connect();
    for (int i = 0; i < 3; ++i) {
        const std::string body = "body " + std::to_string(i);
        const HttpReply reply = connection.request("PUT", "/echo?x=1", {}, body);
        EXPECT_EQ(reply.status, 200);
        EXPECT_EQ(reply.body, body);
        EXPECT_EQ(reply.header("X-Method"), "PUT");
        EXPECT_EQ(reply.header("X-Target"), "/echo?x=1");
        EXPECT_EQ(reply.header("Content-Type"), "text/plain");
        EXPECT_FALSE(reply.header("Date").empty());
    }
    EXPECT_EQ(connections(), 1U);
}

TEST_F(HttpServer, AnswersRequestsSentAheadInTheirOrder) {
    start();
    HttpConnection connection = connect();
    std::string ahead;
    for (int i = 0; i < 50; ++i)
        ahead += HttpConnection::encode("POST", "/echo", {}, std::to_string(i));
    ASSERT_TRUE(connection.send_raw(ahead).has_value());
    for (int i = 0; i < 50; ++i) {
        const auto reply = connection.read_reply();
        ASSERT_TRUE(reply.has_value()) << reply.error().text();
        EXPECT_EQ(reply->body, std::to_string(i));
    }
}

TEST_F(HttpServer, TakesARequestThatArrivesByteByByte) {
    start();
    HttpConnection connection = connect();
    for (const char byte : HttpConnection::encode("POST", "/echo", {}, "slow"))
        ASSERT_TRUE(connection.send_raw({&byte, 1}).has_value());
    EXPECT_EQ(connection.read_reply()->body, "slow");
}

TEST_F(HttpServer, ClosesWhenAskedToAndForHttpOneDotZero) {
    start();
    HttpConnection polite = connect();
    const HttpReply reply = polite.request("GET", "/echo", {{"Connection", "close"}});
    EXPECT_EQ(reply.header("Connection"), "close");
    EXPECT_TRUE(polite.closed_by_server());
    HttpConnection old = connect();
    ASSERT_TRUE(old.send_raw("GET /echo HTTP/1.0\r\n\r\n").has_value());
    EXPECT_EQ(old.read_reply()->status, 200);
    EXPECT_TRUE(old.closed_by_server());
}

TEST_F(HttpServer, NamesEveryRequest) {
    start();
    HttpConnection connection = connect();
    EXPECT_EQ(
        connection.request("GET", "/echo", {{"X-Request-Id", "mine-1"}}).header("x-request-id"),
        "mine-1");
    const std::string first = connection.get("/echo").header("X-Request-Id");
    const std::string second = connection.get("/echo").header("X-Request-Id");
    EXPECT_FALSE(first.empty());
    EXPECT_NE(first, second);
    const std::string unfit(200, 'x');
    EXPECT_NE(connection.request("GET", "/echo", {{"X-Request-Id", unfit}}).header("X-Request-Id"),
              unfit);
}

TEST_F(HttpServer, SendsNoBodyForHeadAndNoContent) {
    start();
    HttpConnection connection = connect();
    const HttpReply head = connection.request("HEAD", "/big");
    EXPECT_EQ(head.header("Content-Length"), std::to_string(1 << 20));
    const HttpReply empty = connection.get("/empty");
    EXPECT_EQ(empty.status, 204);
    EXPECT_EQ(empty.header("Content-Length"), "");
    EXPECT_EQ(empty.header("Content-Type"), "");
    EXPECT_EQ(connection.get("/big").body.size(), std::size_t{1} << 20);
}

TEST_F(HttpServer, RefusesABodyOverTheLimitAnnouncedOrNot) {
    start();
    HttpConnection announced = connect();
    const HttpReply refused =
        announced.request("POST", "/echo", {}, std::string(kBodyMax + 1, 'x'));
    EXPECT_EQ(refused.status, 413);
    EXPECT_EQ(
        refused.body,
        R"({"error":"The body is larger than the 1000 bytes that /echo takes. Send less, or in )"
        R"(parts.","message":"The body is larger than the 1000 bytes that /echo takes. Send )"
        R"(less, or in parts.","code":"payload_too_large","class":"terminal",)"
        R"("kind":"payload_too_large","retryable":false,"detail":["1000","/echo"],)"
        R"("limit_bytes":1000,"route":"/echo",)"
        R"("fields":{"limit_bytes":1000,"route":"/echo"}})");
    EXPECT_TRUE(announced.closed_by_server());
    HttpConnection chunked = connect();
    std::string bytes = "POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n";
    for (int i = 0; i < 11; ++i) bytes += "64\r\n" + std::string(100, 'x') + "\r\n";
    ASSERT_TRUE(chunked.send_raw(bytes).has_value());
    EXPECT_EQ(chunked.read_reply()->status, 413);
    HttpConnection exact = connect();
    EXPECT_EQ(exact.request("POST", "/echo", {}, std::string(kBodyMax, 'x')).status, 200);
}

// Closing at once would reset the connection, and a client that is still sending would find an
// error in place of its refusal.
TEST_F(HttpServer, ReadsOnWhileARefusedBodyIsStillBeingSent) {
    start();
    HttpConnection connection = connect();
    ASSERT_TRUE(
        connection.send_raw("POST /echo HTTP/1.1\r\nHost: t\r\nContent-Length: 2097152\r\n\r\n")
            .has_value());
    EXPECT_EQ(connection.read_reply()->status, 413);
    for (int i = 0; i < 32; ++i)
        ASSERT_TRUE(connection.send_raw(std::string(std::size_t{64} << 10, 'x')).has_value());
    connection.shutdown_send();
    EXPECT_TRUE(connection.closed_by_server());
}

TEST_F(HttpServer, ReadsAChunkedBody) {
    start();
    HttpConnection connection = connect();
    ASSERT_TRUE(connection
                    .send_raw("POST /echo HTTP/1.1\r\nHost: t\r\nTransfer-Encoding: chunked\r\n\r\n"
                              "4\r\nWiki\r\n5\r\npedia\r\n0\r\n\r\n")
                    .has_value());
    EXPECT_EQ(connection.read_reply()->body, "Wikipedia");
}

TEST_F(HttpServer, TellsAClientThatAsksToSendItsBody) {
    start();
    HttpConnection connection = connect();
    ASSERT_TRUE(connection
                    .send_raw("POST /echo HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n"
                              "Content-Length: 2\r\n\r\n")
                    .has_value());
    EXPECT_EQ(connection.read_reply()->status, 100);
    ASSERT_TRUE(connection.send_raw("ok").has_value());
    EXPECT_EQ(connection.read_reply()->body, "ok");
    ASSERT_TRUE(connection
                    .send_raw("POST /echo HTTP/1.1\r\nHost: t\r\nExpect: 100-continue\r\n"
                              "Content-Length: 2000\r\n\r\n")
                    .has_value());
    EXPECT_EQ(connection.read_reply()->status, 413);
}

TEST_F(HttpServer, RefusesLongHeadsAndTargets) {
    start();
    EXPECT_EQ(connect().request("GET", "/echo", {{"X-Long", std::string(15'000, 'x')}}).status,
              200);
    EXPECT_EQ(connect().request("GET", "/echo", {{"X-Long", std::string(17'000, 'x')}}).status,
              431);
    EXPECT_EQ(connect().get("/" + std::string(8'000, 't')).status, 200);
    const HttpReply within = connect().get("/" + std::string(8'192, 't'));
    EXPECT_EQ(within.status, 414);
    EXPECT_NE(within.body.find(R"("code":"uri_too_long")"), std::string::npos) << within.body;
    EXPECT_EQ(connect().get("/" + std::string(40'000, 't')).status, 414);
}

TEST_F(HttpServer, RefusesWhatIsNoHttp) {
    start();
    HttpConnection connection = connect();
    ASSERT_TRUE(connection.send_raw("*1\r\n$4\r\nPING\r\n\r\n\r\n").has_value());
    const auto reply = connection.read_reply();
    ASSERT_TRUE(reply.has_value());
    EXPECT_EQ(reply->status, 400);
    EXPECT_FALSE(reply->header("X-Request-Id").empty());
    EXPECT_TRUE(connection.closed_by_server());
    EXPECT_EQ(connect().get("/echo").status, 200);
}

TEST_F(HttpServer, ClosesAConnectionThatSaysNothing) {
    start({.idle_max = 100ms, .head_max = 100ms});
    HttpConnection silent = connect();
    HttpConnection halfway = connect();
    ASSERT_TRUE(halfway.send_raw("GET /echo HTTP/1.1\r\nHost").has_value());
    EXPECT_TRUE(silent.closed_by_server());
    EXPECT_TRUE(halfway.closed_by_server());
    EXPECT_TRUE(wait_until([this] { return connections() == 0; }));
}

/// A byte now and then buys no time: a head and a body each have theirs as a whole.
TEST_F(HttpServer, CutsClientsThatDripTheirRequests) {
    start({.head_max = 300ms, .body_grace = 300ms});
    const std::string body_head =
        "POST /echo HTTP/1.1\r\nHost: x\r\nContent-Type: text/plain\r\nContent-Length: 900\r\n\r\n";
    for (const std::string& begun : {std::string("GET /echo HTTP/1.1\r\nX-Slow: "), body_head}) {
        HttpConnection slow = connect();
        slow.set_timeout(Millis(20));
        ASSERT_TRUE(slow.send_raw(begun).has_value());
        const auto before = std::chrono::steady_clock::now();
        bool cut = false;
        while (!cut && std::chrono::steady_clock::now() - before < testing::kPatience) {
            // The read is the pause between two bytes.
            cut = !slow.send_raw("x").has_value() || slow.closed_by_server();
        }
        EXPECT_TRUE(cut) << begun;
        EXPECT_GE(std::chrono::steady_clock::now() - before, Millis(250));
    }
    EXPECT_TRUE(wait_until([this] { return connections() == 0; }));
    EXPECT_EQ(connect().get("/echo").status, 200);
}

TEST_F(HttpServer, DoesNotCountTheHandlersTimeAsIdle) {
    start({.idle_max = 100ms});
    HttpConnection waiting = connect();
    ASSERT_TRUE(waiting.send_raw(HttpConnection::encode("GET", "/hold")).has_value());
    ASSERT_TRUE(await_held(1));
    HttpConnection silent = connect();
    EXPECT_TRUE(silent.closed_by_server());  // so 100 ms have passed
    on_loop([this] { handler_.release(); });
    EXPECT_EQ(waiting.read_reply()->body, "released");
}

TEST_F(HttpServer, TellsAWaitingHandlerThatItsClientIsGone) {
    start();
    HttpConnection closing = connect();
    ASSERT_TRUE(closing.send_raw(HttpConnection::encode("GET", "/hold")).has_value());
    HttpConnection resetting = connect();
    ASSERT_TRUE(resetting.send_raw(HttpConnection::encode("GET", "/hold")).has_value());
    ASSERT_TRUE(await_held(2));
    closing.shutdown_send();
    EXPECT_EQ(closing.read_reply()->body, "gone");
    resetting.reset();
    EXPECT_TRUE(wait_until([this] { return handler_.left == 2; }));
}

TEST_F(HttpServer, StreamsABodyPieceByPiece) {
    start();
    HttpConnection connection = connect();
    ASSERT_TRUE(connection.send_raw(HttpConnection::encode("GET", "/stream")).has_value());
    ASSERT_TRUE(connection.read_until("one\n\r\n").has_value());
    ASSERT_TRUE(await_held(1));
    on_loop([this] { handler_.release(); });
    EXPECT_EQ(*connection.read_until("\r\n0\r\n\r\n"), "4\r\ntwo\n\r\n0\r\n\r\n");
    EXPECT_EQ(connection.get("/echo").status, 200);
    HttpConnection old = connect();
    ASSERT_TRUE(old.send_raw("GET /stream HTTP/1.0\r\n\r\n").has_value());
    ASSERT_TRUE(await_held(2));
    on_loop([this] { handler_.release(); });
    EXPECT_EQ(old.read_reply()->body, "one\ntwo\n");
}

TEST_F(HttpServer, ClosesTheLongestIdleConnectionForANewOne) {
    start({.connections_max = 2});
    HttpConnection older = connect();
    EXPECT_EQ(older.get("/echo").status, 200);
    HttpConnection newer = connect();
    EXPECT_EQ(newer.get("/echo").status, 200);
    EXPECT_EQ(connections(), 2U);
    HttpConnection third = connect();
    EXPECT_EQ(third.get("/echo").status, 200);
    EXPECT_TRUE(older.closed_by_server());
    EXPECT_EQ(newer.get("/echo").status, 200);
}

TEST_F(HttpServer, LetsNewConnectionsWaitWhileAllAreBusy) {
    start({.connections_max = 1});
    HttpConnection busy = connect();
    ASSERT_TRUE(busy.send_raw(HttpConnection::encode("GET", "/hold")).has_value());
    ASSERT_TRUE(await_held(1));
    HttpConnection next = connect();
    ASSERT_TRUE(next.send_raw(HttpConnection::encode("GET", "/echo")).has_value());
    next.set_timeout(50ms);
    EXPECT_FALSE(next.read_reply().has_value());
    on_loop([this] { handler_.release(); });
    const auto reply = busy.read_reply();
    EXPECT_EQ(reply->body, "released");
    EXPECT_EQ(reply->header("Connection"), "close");
    next.set_timeout(testing::kPatience);
    EXPECT_EQ(next.read_reply()->status, 200);
}

TEST_F(HttpServer, FinishesRequestsInFlightWhenStoppedAndClosesIdleConnections) {
    start();
    HttpConnection idle = connect();
    EXPECT_EQ(idle.get("/echo").status, 200);
    HttpConnection busy = connect();
    ASSERT_TRUE(busy.send_raw(HttpConnection::encode("GET", "/hold")).has_value());
    ASSERT_TRUE(await_held(1));
    std::future<void> stopped = begin_stop(10s);
    EXPECT_TRUE(idle.closed_by_server());
    EXPECT_FALSE(HttpConnection::try_connect(server_->port()).has_value());
    on_loop([this] { handler_.release(); });
    const auto reply = busy.read_reply();
    ASSERT_TRUE(reply.has_value()) << reply.error().text();
    EXPECT_EQ(reply->body, "released");
    EXPECT_EQ(reply->header("Connection"), "close");
    EXPECT_TRUE(busy.closed_by_server());
    EXPECT_EQ(stopped.wait_for(10s), std::future_status::ready);
    EXPECT_EQ(connections(), 0U);
}

TEST_F(HttpServer, CutsWhatIsStillRunningAtTheDeadline) {
    start();
    HttpConnection busy = connect();
    ASSERT_TRUE(busy.send_raw(HttpConnection::encode("GET", "/hold")).has_value());
    ASSERT_TRUE(await_held(1));
    HttpConnection streaming = connect();
    ASSERT_TRUE(streaming.send_raw(HttpConnection::encode("GET", "/stream")).has_value());
    ASSERT_TRUE(await_held(2));
    stop(50ms);
    EXPECT_FALSE(busy.read_reply().has_value());
    EXPECT_EQ(connections(), 0U);
    EXPECT_EQ(handler_.streams_broken, 1);
}

TEST_F(HttpServer, RefusesAnAddressItCannotHave) {
    start();
    const auto taken = Server::listen(loop_.get_executor(), {.port = server_->port()}, handler_);
    ASSERT_FALSE(taken.has_value());
    EXPECT_EQ(taken.error().code, "config");
    EXPECT_EQ(taken.error().detail.at(0), "127.0.0.1:" + std::to_string(server_->port()));
    EXPECT_FALSE(
        Server::listen(loop_.get_executor(), {.host = "no.such.host"}, handler_).has_value());
}

TEST_F(HttpServer, ServesManyConnectionsAtOnce) {
    start();
    std::vector<HttpConnection> all;
    all.reserve(200);
    for (int i = 0; i < 200; ++i) all.push_back(connect());
    for (HttpConnection& one : all)
        ASSERT_TRUE(one.send_raw(HttpConnection::encode("POST", "/echo", {}, "x")).has_value());
    for (HttpConnection& one : all) EXPECT_EQ(one.read_reply()->body, "x");
    EXPECT_EQ(connections(), 200U);
}

}  // namespace
}  // namespace ff::http
