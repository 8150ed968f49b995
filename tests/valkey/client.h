#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/random.h"
#include "base/task_group.h"
#include "support/run.h"
#include "valkey/valkey_store.h"

namespace ff::testing {

using std::chrono::milliseconds;

/// Counts what the client tells.
struct CountingProbe final : valkey::Probe {
    void round_trip(std::chrono::steady_clock::duration) override { ++round_trips; }
    void in_flight(std::size_t sent, std::size_t waiting) override {
        sent_most = std::max(sent_most, sent);
        waiting_most = std::max(waiting_most, waiting);
    }
    void connected() override { ++connections; }
    void connection_lost() override { ++losses; }
    void redirected(model::TransportKind kind) override {
        redirections.push_back(std::string(model::to_string(kind)));
    }
    void topology_refreshed() override { ++refreshes; }
    void library_loaded() override { ++loads; }

    std::size_t round_trips = 0;
    std::size_t sent_most = 0;
    std::size_t waiting_most = 0;
    int connections = 0;
    int losses = 0;
    int refreshes = 0;
    int loads = 0;
    std::vector<std::string> redirections{};
};

inline net::Address local(std::uint16_t port) {
    return {.host = "127.0.0.1", .port = port};
}

inline store::Call words(const std::vector<std::string>& args,
                         milliseconds patience = milliseconds(5'000), bool resend_safe = false) {
    store::Call call;
    for (const std::string& arg : args) call.command.arg(arg);
    call.deadline = Deadline::after(patience);
    call.resend_safe = resend_safe;
    return call;
}

/// The value or the kind of the failure.
inline std::string shown(const Result<store::Reply>& reply) {
    if (!reply.has_value())
        return reply.error().kind.empty() ? reply.error().code : reply.error().kind;
    if (reply->type() == resp::Type::SimpleString) return std::string(*reply->text());
    return reply->to_debug_text();
}

/// The options most tests want: quick to give up and to come back.
inline valkey::Options quick(std::vector<net::Address> addresses) {
    valkey::Options options{.addresses = std::move(addresses)};
    options.session.connect_timeout = milliseconds(5'000);
    options.reconnect = {.first = milliseconds(5), .most = milliseconds(100)};
    return options;
}

/// A store of the client under test on a loop of its own, stopped with this object.
class Client {
  public:
    /// Throws when it does not open.
    explicit Client(valkey::Options options) {
        auto opened = try_open(std::move(options));
        if (!opened.has_value()) throw std::runtime_error(opened.error().text());
        store_ = *std::move(opened);
    }
    Client(const Client&) = delete;
    Client& operator=(const Client&) = delete;
    ~Client() {
        if (store_) run(loop_, store_->stop());
    }

    valkey::ValkeyStore& store() { return *store_; }
    boost::asio::io_context& loop() { return loop_; }
    CountingProbe& probe() { return probe_; }

    std::string call(const std::vector<std::string>& args,
                     milliseconds patience = milliseconds(5'000), bool resend_safe = false) {
        return shown(run(loop_, store_->call(words(args, patience, resend_safe))));
    }

    /// Lets the loop turn until the condition holds; false when it did not in time.
    template <class Condition>
    bool turn_until(Condition condition, milliseconds patience = milliseconds(10'000)) {
        const auto end = std::chrono::steady_clock::now() + patience;
        loop_.restart();
        while (!condition() && std::chrono::steady_clock::now() < end)
            loop_.run_one_for(milliseconds(5));
        return condition();
    }

    static Error open_error(valkey::Options options) {
        boost::asio::io_context loop(1);
        SecureRandom random;
        CountingProbe probe;
        auto opened = run(loop, valkey::ValkeyStore::open(loop.get_executor(), random, probe,
                                                          std::move(options)));
        if (!opened.has_value()) return opened.error();
        run(loop, (*opened)->stop());
        return Error{.code = "none"};
    }

  private:
    Result<std::unique_ptr<valkey::ValkeyStore>> try_open(valkey::Options options) {
        return run(loop_, valkey::ValkeyStore::open(loop_.get_executor(), random_, probe_,
                                                    std::move(options)));
    }

    boost::asio::io_context loop_{1};
    SecureRandom random_{};
    CountingProbe probe_{};
    std::unique_ptr<valkey::ValkeyStore> store_{};
};

/// Calls that run beside the test, and what came of them.
class Background {
  public:
    explicit Background(Client& client)
        : client_(client), group_(client.loop().get_executor(), "background calls") {}

    /// Its answer is at this index of `answers()`.
    std::size_t start(store::Call call, bool blocking = false) {
        answers_.emplace_back();
        group_.spawn(perform(client_.store(), std::move(call), blocking, answers_.size() - 1));
        return answers_.size() - 1;
    }
    void cancel() { group_.cancel(); }
    void join() { run(client_.loop(), group_.join()); }
    const std::vector<std::optional<std::string>>& answers() const { return answers_; }
    std::size_t count(const std::string& answer) const {
        return static_cast<std::size_t>(
            std::count(answers_.begin(), answers_.end(), std::optional(answer)));
    }
    std::size_t finished() const {
        return answers_.size() -
               static_cast<std::size_t>(std::count(answers_.begin(), answers_.end(), std::nullopt));
    }

  private:
    boost::asio::awaitable<void> perform(store::Store& store, store::Call call, bool blocking,
                                         std::size_t index);

    Client& client_;
    TaskGroup group_;
    std::vector<std::optional<std::string>> answers_{};
};

}  // namespace ff::testing
