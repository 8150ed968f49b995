#pragma once

#include <csignal>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "flowfabric/flowfabric.h"
#include "sdk/door.h"
#include "support/process.h"
#include "support/temp_dir.h"
#include "support/valkey_server.h"

namespace ff::testing {

/// A `flowfabric server` process on a free port; in memory unless told otherwise.
class ServerProcess {
  public:
    using Environment = std::vector<std::pair<std::string, std::string>>;
    explicit ServerProcess(Environment environment);

    const std::string& url() const { return url_; }
    void terminate() { process_->signal(SIGTERM); }
    void kill() { process_->kill(); }
    /// On the same port, with the same settings.
    void restart();
    std::string log() const { return process_->err(); }

  private:
    void launch(const std::string& listen);

    Environment environment_;
    std::string url_{};
    std::optional<Process> process_{};
};

/// One way into FlowFabric: `http` (a server process), `direct` (workers on a Valkey that a server
/// process uses too) or `inprocess` (an engine in this program).
class DoorWorld {
  public:
    explicit DoorWorld(std::string door);

    const std::string& door() const { return door_; }
    bool has_store_access() const { return door_ != "http"; }
    const flowfabric::AdminClient& client() const { return *client_; }
    /// Of the http door only: where its server writes backups.
    std::string backups() const { return folder_->file("backups"); }
    /// Of the direct door only.
    std::uint16_t valkey_port() const { return valkey_->port(); }

    /// A name that no other test uses.
    static std::string unique(const std::string& name);
    /// For a worker of that lane, with an instance id of its own.
    flowfabric::WorkerConfig config(const std::string& lane) const;
    flowfabric::Worker worker(const std::string& lane, std::size_t tasks = 1) const;
    /// Throws unless it is created; its id.
    std::string submit(const std::string& lane, const std::string& payload = "{}",
                       const std::string& kind = "work", const std::string& policy = {}) const;
    std::string state(const std::string& id) const { return client().get_state(id).value(); }
    /// Waits for its end; the public state.
    std::string ending(const std::string& id) const;

    /// Cuts everybody off for as long as `meanwhile` takes; only where there is a process to kill.
    void cut_off(const std::function<void()>& meanwhile);

  private:
    std::string door_;
    std::unique_ptr<ValkeyServer> valkey_{};
    std::unique_ptr<ServerProcess> server_{};
    std::unique_ptr<TempDir> folder_{};
    std::shared_ptr<flowfabric::Engine> engine_{};
    std::optional<flowfabric::AdminClient> client_{};
};

/// Started once for all tests of the program.
DoorWorld& door_world(const std::string& door);

/// A door that loses the next call of one operation: its reply, or the call itself.
class LossyDoor final : public sdk::Door {
  public:
    explicit LossyDoor(std::shared_ptr<sdk::Door> inner) : inner_(std::move(inner)) {}

    /// The call is made all the same.
    void lose_next(std::string operation) { set(losing_, std::move(operation)); }
    /// The call never arrives.
    void drop_next(std::string operation) { set(dropping_, std::move(operation)); }
    flowfabric::Result<sdk::DoorReply> send(const sdk::DoorRequest& request) override;
    bool loses_replies() const override { return true; }

  private:
    void set(std::string& which, std::string operation) {
        const std::lock_guard lock(mutex_);
        which = std::move(operation);
    }
    /// True once, for the operation that was set.
    bool is_next(std::string& which, std::string_view operation);

    std::shared_ptr<sdk::Door> inner_;
    // The thread that renews leases uses the door too.
    std::mutex mutex_{};
    std::string losing_{};
    std::string dropping_{};
};

}  // namespace ff::testing
