#pragma once

#include <atomic>
#include <future>
#include <thread>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "http/server.h"
#include "support/http_connection.h"
#include "support/wait.h"

namespace ff::http {

namespace asio = boost::asio;
using testing::HttpConnection;
using testing::HttpReply;
using testing::wait_until;

inline constexpr std::size_t kBodyMax = 1000;
inline constexpr std::size_t kHugeBytes = std::size_t{32} << 20;

/// Answers /echo with what it got, /hold when released or when the client is gone, /stream in
/// pieces, /pile as /hold but with a megabyte in hand, /empty with 204, /big with a megabyte and
/// /huge with more than a kernel buffers.
class TestHandler final : public Handler {
  public:
    explicit TestHandler(asio::io_context& loop) : gate_(loop) {
        gate_.expires_at(asio::steady_timer::time_point::max());
    }

    Admission admit(const Request& head, Peer& /*peer*/) override {
        Admission admission{.body_bytes_max = kBodyMax, .route = std::string(head.path())};
        if (head.path() == "/closed") admission.refusal = Response{.status = 401};
        return admission;
    }

    asio::awaitable<Response> handle(Request request, Peer& peer) override {
        if (request.path() == "/hold") {
            Response response = co_await hold(peer);
            co_return response;
        }
        if (request.path() == "/pile") {
            Response response = co_await pile(peer);
            co_return response;
        }
        if (request.path() == "/empty") co_return Response{.status = 204};
        if (request.path() == "/big") co_return Response{.body = std::string(1 << 20, 'b')};
        if (request.path() == "/huge") co_return Response{.body = std::string(kHugeBytes, 'h')};
        if (request.path() == "/stream") {
            Response response{.content_type = "text/event-stream"};
            response.stream = [this](BodyWriter& body) { return stream(body); };
            co_return response;
        }
        co_return Response{.content_type = "text/plain",
                           .headers = {{"X-Method", request.method}, {"X-Target", request.target}},
                           .body = request.body};
    }

    void release() { gate_.cancel(); }

    std::atomic<int> held = 0;
    std::atomic<int> left = 0;
    std::atomic<int> streams_broken = 0;

  private:
    asio::awaitable<void> await_gate() {
        boost::system::error_code woken;
        co_await gate_.async_wait(asio::redirect_error(asio::use_awaitable, woken));
    }

    asio::awaitable<Response> hold(Peer& peer) {
        using asio::experimental::awaitable_operators::operator||;
        ++held;
        auto either = await_gate() || peer.gone();
        const auto first = co_await std::move(either);
        ++left;
        co_return Response{.body = first.index() == 0 ? "released" : "gone"};
    }

    /// Holds a megabyte in pieces that the allocator does not map one by one.
    asio::awaitable<Response> pile(Peer& peer) {
        std::vector<std::string> pieces;
        for (int i = 0; i < 16; ++i) pieces.emplace_back(std::size_t{64} << 10, 'p');
        Response response = co_await hold(peer);
        co_return response;
    }

    asio::awaitable<void> stream(BodyWriter& body) {
        const Result<Done> one = co_await body.write("one\n");
        const Result<Done> none = co_await body.write("");
        ++held;
        co_await await_gate();
        Result<Done> more = co_await body.write("two\n");
        if (!one.has_value() || !none.has_value() || !more.has_value()) ++streams_broken;
    }

    asio::steady_timer gate_;
};

class HttpServer : public ::testing::Test {
  protected:
    void start(ServerOptions options = {}) {
        auto listening = Server::listen(loop_.get_executor(), std::move(options), handler_);
        ASSERT_TRUE(listening.has_value()) << listening.error().text();
        server_ = *std::move(listening);
        thread_ = std::thread([this] { loop_.run(); });
    }

    /// Waits until the server has stopped.
    void stop(std::chrono::milliseconds grace = std::chrono::seconds(10)) {
        begin_stop(grace).get();
    }

    std::future<void> begin_stop(std::chrono::milliseconds grace) {
        return asio::co_spawn(loop_, server_->stop(Deadline::after(grace)), asio::use_future);
    }

    void on_loop(std::function<void()> work) {
        asio::post(loop_, asio::use_future(std::move(work))).get();
    }

    std::size_t connections() {
        std::size_t count = 0;
        on_loop([&] { count = server_->connections(); });
        return count;
    }

    void TearDown() override {
        if (server_ == nullptr) return;
        on_loop([this] { handler_.release(); });
        stop(std::chrono::seconds(1));
        loop_.stop();
        thread_.join();
    }

    HttpConnection connect() const { return HttpConnection::connect(server_->port()); }
    bool await_held(int count) const {
        return wait_until([&] { return handler_.held == count; });
    }

    asio::io_context loop_{1};
    asio::executor_work_guard<asio::io_context::executor_type> keep_running_{loop_.get_executor()};
    TestHandler handler_{loop_};
    std::unique_ptr<Server> server_{};
    std::thread thread_{};
};

}  // namespace ff::http
