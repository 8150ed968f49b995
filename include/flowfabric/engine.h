#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "flowfabric/client.h"

namespace flowfabric {

enum class Fsync : std::uint8_t { Always, Interval, Off };

/// The settings of docs/configuration.md that matter without a server.
struct EngineOptions {
    /// Empty: in memory only. Another process that has it open is `config`.
    std::string data_dir{};
    Fsync fsync = Fsync::Always;
    Millis fsync_interval{100};

    /// Given: a Valkey instead of the embedded store.
    std::string valkey_host{};
    std::uint16_t valkey_port = 6379;
    bool tls = false;
    bool cluster = false;
    std::string user{};
    std::string password{};

    std::vector<std::string> lanes{"default"};
    /// Required with a Valkey, made up and kept otherwise.
    std::string waitpoint_secret_hex{};
    /// Timers, retention and repairs; off for a process that only works on a shared Valkey.
    bool scanners = true;
    /// Further settings by the name of their environment variable.
    std::map<std::string, std::string> settings{};
    Layers layers{};
};

/// FlowFabric in this process: no server, no socket. Thread-safe.
class Engine {
  public:
    static Result<std::shared_ptr<Engine>> open(EngineOptions options);
    /// As shutdown().
    virtual ~Engine() = default;

    /// All operations.
    virtual const AdminClient& client() const = 0;
    const AdminClient* operator->() const { return &client(); }

    /// Ends waits, lets calls under way finish, flushes and closes. Calls that follow are
    /// `shutting_down`.
    virtual void shutdown() = 0;
};

/// Gives every partition of a Valkey a new waitpoint secret, without a server. `store` names the
/// Valkey as for Engine::open.
Result<Rotation> rotate_all_partitions(EngineOptions store, const std::string& kid,
                                       const std::string& secret_hex);

}  // namespace flowfabric
