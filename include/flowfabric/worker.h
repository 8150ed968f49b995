#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "flowfabric/client.h"
#include "flowfabric/task.h"

namespace ff::sdk {
class WorkerCore;
}

namespace flowfabric {

class Engine;

/// What becomes of a task that is dropped without an end.
enum class OnAbandon : std::uint8_t {
    Expire,   // the lease runs out, then the work is reclaimed
    Release,  // the work is given back at once, if the engine can be reached
};

/// Exactly one of `server_url`, `engine` and `host` says where the work comes from.
struct WorkerConfig {
    /// Over HTTP: the worker needs no access to the store.
    std::string server_url{};
    std::optional<std::string> api_token{};
    TlsOptions server_tls{};
    /// In this process.
    std::shared_ptr<Engine> engine{};
    /// The store itself, a Valkey.
    std::string host{};
    std::uint16_t port = 6379;
    bool tls = false;
    bool cluster = false;
    std::string user{};
    std::string password{};
    /// As its servers have them, by the names of the environment: FF_LANE_SPREAD and the like. The
    /// counts of partitions are read from the store.
    std::map<std::string, std::string> store_settings{};

    std::string worker_id{};
    std::string worker_instance_id{};
    std::string ns = "default";
    std::vector<std::string> lanes{};
    std::vector<std::string> capabilities{};
    /// Claims only executions of these kinds, at most 64; empty: any.
    std::vector<std::string> kinds{};
    Millis lease_ttl{30'000};
    /// The pause of a caller of claim_next that found nothing.
    Millis claim_poll_interval{1000};
    /// 0 counts as 1.
    std::size_t max_concurrent_tasks = 1;
    /// Allows claim_next.
    bool direct_claim = false;
    OnAbandon on_abandon = OnAbandon::Expire;
    /// The first is the outermost.
    Layers layers{};

    Millis renewal_interval() const { return lease_ttl / 3; }

    /// The short form of a worker on a Valkey, with one lane; the rest can be set afterwards.
    static WorkerConfig on_store(std::string host, std::uint16_t port, std::string worker_id,
                                 std::string worker_instance_id, std::string ns, std::string lane);
};

/// How many partitions a store has, of each kind.
struct PartitionConfig {
    std::int64_t flow = 0;
    std::int64_t budget = 0;
    std::int64_t quota = 0;
};

/// Compares a token that somebody presented with the stored one, then signals.
struct Verified {
    enum class Kind : std::uint8_t { Delivered, UnknownWaitpoint, TokenMismatch };
    Kind kind = Kind::Delivered;
    SignalReceipt receipt{};
};

/// Claims work and renews the leases of what it holds, over HTTP, on a store or in this process:
/// the same behind all three doors. Thread-safe.
class Worker {
  public:
    /// Checks the configuration before anything is written, then registers the instance.
    /// `duplicate_worker_instance` when another live process uses the same instance id.
    static Result<Worker> connect(WorkerConfig config);
    /// Behind a door that is there already.
    static Result<Worker> connect(const AdminClient& client, WorkerConfig config);

    explicit Worker(std::shared_ptr<ff::sdk::WorkerCore> core);
    Worker(Worker&&) noexcept;
    Worker& operator=(Worker&&) noexcept;
    /// Disconnects, without waiting for running tasks.
    ~Worker();

    /// Up to `max` tasks, at most as many as there are free permits; waits up to `wait` for the
    /// first. Empty when there is no permit or no work.
    Result<std::vector<Task>> claim_tasks(std::size_t max, Millis wait);
    /// Work that needs no admission by budgets and quotas; needs `direct_claim`.
    Result<std::optional<Task>> claim_next();
    /// `worker_at_capacity` leaves the grant as it was.
    Result<Task> claim_from_grant(const Grant& grant);
    Result<Task> claim_from_reclaim_grant(const Grant& grant) { return claim_from_grant(grant); }
    /// Asks for a grant, then claims it.
    Result<std::optional<Task>> claim_via_server(const AdminClient& client, const std::string& lane,
                                                 Millis grant_ttl = Millis(5000));

    Result<SignalReceipt> deliver_signal(const std::string& id, const NewSignal& signal);
    Result<Verified> verify_and_deliver(const std::string& id, const std::string& waitpoint_id,
                                        const std::string& presented_token, NewSignal signal);

    /// For everything else, behind the same door. It may outlive the worker.
    AdminClient client() const;
    /// That of the store behind the door, as its servers know it.
    Result<PartitionConfig> partition_config() const;

    /// False once another process has taken over the instance id, or after disconnect.
    bool is_registered() const;
    std::size_t free_permits() const;
    const WorkerConfig& config() const;
    /// Ends claiming and the registration. Tasks in hand stay, and their leases are renewed while
    /// the Worker lives.
    Result<Done> disconnect();

    const std::shared_ptr<ff::sdk::WorkerCore>& core() const { return core_; }

  private:
    std::shared_ptr<ff::sdk::WorkerCore> core_;
};

}  // namespace flowfabric
