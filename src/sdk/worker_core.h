#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/worker.h"
#include "sdk/capacity.h"
#include "sdk/door.h"
#include "sdk/hot_path.h"
#include "sdk/lease_keeper.h"
#include "sdk/task_state.h"

namespace ff::sdk {

/// A worker behind any door.
class WorkerCore {
  public:
    /// `config` has been checked.
    WorkerCore(std::shared_ptr<Door> door, flowfabric::WorkerConfig config);
    /// Ends renewal and the registration.
    ~WorkerCore();

    /// `config` naming the instance when another process uses it.
    flowfabric::Result<flowfabric::Done> register_instance();
    flowfabric::Result<flowfabric::Done> disconnect();
    bool is_registered() const { return registered_; }

    const flowfabric::WorkerConfig& config() const { return config_; }
    Door& door() { return *door_; }
    const std::shared_ptr<Door>& shared_door() const { return door_; }
    Capacity& capacity() { return *capacity_; }
    /// A runtime's limit replaces the configured one. Before the first claim.
    void set_capacity(std::size_t most) { capacity_ = std::make_unique<Capacity>(most); }
    /// Claims ask for these kinds only. Before the first claim.
    void set_kinds(std::vector<std::string> kinds) { config_.kinds = std::move(kinds); }

    /// Completes, then claims up to one task for each permit. Permits that are not used stay.
    struct Turn {
        std::vector<std::shared_ptr<TaskState>> tasks{};
        std::vector<std::optional<flowfabric::Error>> completions{};
    };
    flowfabric::Result<Turn> take_turn(std::vector<Capacity::Permit>& permits,
                                       flowfabric::Millis wait,
                                       std::vector<HotCompletion> completions,
                                       std::stop_token stop = {});
    /// Asks once more for what claims without a reply may have got, and gives it back: a worker
    /// that leaves would keep it from others until its leases end.
    void give_back_unanswered();
    std::shared_ptr<TaskState> hold(HotTask task, std::optional<Capacity::Permit> permit);
    flowfabric::Result<flowfabric::Done> may_claim() const;
    /// Logs a refusal for want of capabilities, with those that there are.
    void note_refusal(const flowfabric::Error& error) const;

  private:
    void heartbeat();
    /// The same at the beginning and whenever it has run out.
    DoorRequest registration() const;
    std::string instance_path(std::string_view rest = {}) const;
    HotClaim new_claim(std::size_t tasks_max) const;
    /// The id of a claim whose reply did not arrive, to be asked again; a new one otherwise.
    void set_claim_id(HotClaim& request);

    std::shared_ptr<Door> door_;
    flowfabric::WorkerConfig config_;
    std::string boot_id_;
    std::unique_ptr<Capacity> capacity_;
    std::shared_ptr<LeaseKeeper> keeper_;
    std::atomic<bool> registered_ = false;
    std::atomic<bool> disconnected_ = false;
    std::mutex mutex_{};
    std::vector<std::string> unanswered_{};
};

/// `config` or the code of the refusal, naming the field.
flowfabric::Result<flowfabric::Done> check_config(const flowfabric::WorkerConfig& config);

}  // namespace ff::sdk
