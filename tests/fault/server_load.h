#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "base/json.h"
#include "support/http_connection.h"

namespace ff::fault {

/// What the clients of a server were told, and by that may rely on.
struct History {
    /// By idempotency key: the id that a create was answered with.
    std::map<std::string, std::string> created{};
    /// How often a completion was acknowledged as new.
    std::map<std::string, int> completed{};
    std::set<std::string> suspended{};
    std::set<std::string> signalled{};
    /// Cancels that were granted.
    std::set<std::string> cancelled{};
    /// By id: the attempt whose stream has got kFrames frames.
    std::map<std::string, std::string> streamed{};
    std::set<std::string> flows{};
    /// What must never happen, in words.
    std::vector<std::string> violations{};
};

/// Clients that create, work, stream, fail and try again, suspend, signal, cancel and submit flows
/// against a server that may vanish at any moment: what was not answered is asked again.
class ServerLoad {
  public:
    explicit ServerLoad(std::uint64_t seed);
    ~ServerLoad();

    /// Where the server is now; 0 while it is not there.
    void set_port(std::uint16_t port);
    /// Acknowledged operations so far.
    std::size_t acknowledged() const { return acknowledged_; }
    /// No further executions; what is there is worked off.
    void stop_creating();
    /// Ends and joins all clients.
    void stop();

    History history();
    /// One request that must be answered in the end; nothing once the load has stopped.
    struct Answer {
        int status = 0;
        std::string body{};
    };
    std::optional<Answer> insist(const std::string& method, const std::string& target,
                                 const std::string& body = {});

    static constexpr const char* kLane = "load";
    static constexpr std::size_t kFrames = 3;

  private:
    struct Task {
        std::string id{};
        std::string token{};
        std::string kind{};
        std::string payload{};
        std::string attempt_type{};
        std::string attempt_index{};
    };
    struct Signal {
        std::string id{};
        std::string waitpoint{};
        std::string token{};
    };

    void create_loop(int number);
    void flow_loop();
    void work_loop(int number);
    void signal_loop();
    void work_on(const Task& task);
    void complete(const Task& task);
    void suspend(const Task& task);
    void fail(const Task& task);
    void stream(const Task& task);
    void cancel(const std::string& id);
    std::optional<Answer> once(const std::string& method, const std::string& target,
                               const std::string& body);
    std::uint16_t wait_for_port();
    void violate(std::string what);
    void acknowledge() { ++acknowledged_; }

    std::uint64_t seed_;
    std::mutex mutex_{};
    std::condition_variable changed_{};
    std::uint16_t port_ = 0;
    bool creating_ = true;
    bool stopped_ = false;
    History history_{};
    std::vector<Signal> signals_{};
    std::atomic<std::size_t> acknowledged_ = 0;
    std::vector<std::thread> threads_{};
};

}  // namespace ff::fault
