#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <thread>

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "api/description.h"
#include "app/instance.h"
#include "app/settings.h"
#include "base/json.h"
#include "store/store.h"
#include "support/http_connection.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"

namespace ff::testing {

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
    /// Where to listen and which store to use is the world's own business.
    app::Settings settings{};
    /// Keeps the embedded store in a folder, for tests that restart it.
    bool in_folder = false;
};

/// A whole server in this process, on a free port, over a store of one kind: `embedded`,
/// `valkey` or `cluster`. It runs on a thread of its own; the methods are for the test's thread.
/// Throws when it does not come up.
class ServerWorld {
  public:
    explicit ServerWorld(const std::string& store_name, WorldOptions options = {});
    ~ServerWorld();

    std::uint16_t port() const { return port_; }
    HttpConnection connect() const { return HttpConnection::connect(port_); }

    /// One request on a connection of its own. A body is sent as JSON. An answer without a body
    /// has an empty object. What is not as /openapi.json describes it fails the test.
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

    store::Store& store() { return instance_->store(); }
    app::Services& services() { return instance_->services(); }
    app::Instance& instance() { return *instance_; }
    /// Of the world `valkey`, and of the world `cluster`.
    ValkeyServer& valkey() { return *valkey_; }
    ValkeyCluster& cluster() { return *cluster_; }
    /// Every node of a Valkey ends the connections of this server; inside this process there are
    /// none.
    void cut_store_connections();
    /// Stops the server and starts it anew on the same data.
    void restart();
    /// The same with other settings. What it fails with, then nothing runs until the next one;
    /// empty when it came up.
    std::string restart_with(const std::function<void(app::Settings&)>& change);

  private:
    template <class T>
    static boost::asio::awaitable<void> keep(boost::asio::awaitable<T> work, std::optional<T>& out);
    void run_on_loop(boost::asio::awaitable<void> work);
    void check(const Exchange& exchange) const;
    void start();
    /// Does nothing when it is not running.
    void stop();
    boost::asio::awaitable<void> start_instance(std::string& failure);
    boost::asio::awaitable<void> stop_instance();

    app::Settings settings_;
    TempDir folder_{};
    std::unique_ptr<ValkeyServer> valkey_{};
    /// Also kept for the next world.
    std::shared_ptr<ValkeyCluster> cluster_{};
    std::unique_ptr<boost::asio::io_context> loop_{};
    std::unique_ptr<app::Instance> instance_{};
    std::unique_ptr<Description> description_{};
    std::uint16_t port_ = 0;
    std::thread thread_{};
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
