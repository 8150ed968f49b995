#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "api/dispatcher.h"
#include "api/pool.h"
#include "app/routes.h"
#include "app/services.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/random.h"
#include "http/server.h"
#include "store/store.h"
#include "support/http_connection.h"

namespace ff::testing {

class WorldStore;

/// A reply whose body is JSON.
struct JsonReply {
    int status = 0;
    HttpHeaders headers{};
    std::string body{};
    json::Document document;

    json::Value json() const { return document.root(); }
    /// Throw when there is no such member of that type.
    std::string text(std::string_view name) const;
    std::int64_t integer(std::string_view name) const;
    bool flag(std::string_view name) const;
    bool has(std::string_view name) const { return json().find(name).has_value(); }
    /// The member of an error body.
    std::string code() const { return text("code"); }
    std::string header(std::string_view name) const;
};

struct WorldOptions {
    app::ServiceOptions services{};
    api::PoolSizes pools{};
    api::BodyLimits bodies{};
};

/// The services and their HTTP server in this process, on a free port, over a store of one kind:
/// `embedded` (in memory) or `valkey`. The server runs on a thread of its own; the methods are for
/// the test's thread. Throws when it does not come up.
class ServerWorld {
  public:
    explicit ServerWorld(const std::string& store_name, WorldOptions options = {});
    ~ServerWorld();

    std::uint16_t port() const { return port_; }
    HttpConnection connect() const { return HttpConnection::connect(port_); }

    /// One request on a connection of its own. A body is sent as JSON. An answer without a body
    /// has an empty object.
    JsonReply get(std::string_view target) const { return request("GET", target); }
    JsonReply post(std::string_view target, std::string_view body) const {
        return request("POST", target, body);
    }
    JsonReply put(std::string_view target, std::string_view body) const {
        return request("PUT", target, body);
    }
    JsonReply request(std::string_view method, std::string_view target, std::string_view body = {},
                      HttpHeaders headers = {}) const;

    /// Runs on the server's loop while the test waits.
    void on_loop(const std::function<void()>& work);
    /// Runs the coroutine on the server's loop and gives its value; throws its error.
    template <class T>
    T await(boost::asio::awaitable<Result<T>> task);
    /// A plain command that must succeed.
    store::Reply command(std::initializer_list<std::string_view> args);

    store::Store& store();
    app::Services& services() { return *services_; }
    /// Kills and restarts the Valkey process; throws for `embedded`.
    void stop_store_process();
    void start_store_process();

  private:
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, std::optional<T>& out);
    void run_on_loop(boost::asio::awaitable<void> work);
    boost::asio::awaitable<void> start(WorldOptions options, std::string& failure);
    boost::asio::awaitable<void> stop();

    struct PassAll;
    struct NoAudit;

    boost::asio::io_context loop_{1};
    boost::asio::executor_work_guard<boost::asio::io_context::executor_type> busy_;
    SystemClock clock_{};
    SecureRandom random_{};
    std::unique_ptr<WorldStore> store_;
    std::unique_ptr<app::Services> services_;
    std::unique_ptr<api::Pools> pools_;
    api::Routes routes_{};
    std::unique_ptr<PassAll> gate_;
    std::unique_ptr<NoAudit> auditor_;
    std::unique_ptr<api::Dispatcher> dispatcher_;
    std::unique_ptr<http::Server> http_;
    std::uint16_t port_ = 0;
    std::thread thread_;
};

template <class T>
boost::asio::awaitable<void> ServerWorld::keep(boost::asio::awaitable<T> work,
                                               std::optional<T>& out) {
    T value = co_await std::move(work);
    out.emplace(std::move(value));
}

template <class T>
T ServerWorld::await(boost::asio::awaitable<Result<T>> task) {
    std::optional<Result<T>> result;
    run_on_loop(keep(std::move(task), result));
    if (!result->has_value()) throw std::runtime_error(result->error().text());
    return **std::move(result);
}

/// Started once for all tests of the program, for tests that keep apart by names of their own.
ServerWorld& server_world_of(const std::string& store_name);

/// `a%2Fb` for paths.
std::string encode(std::string_view id);

}  // namespace ff::testing
