#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/task.h"
#include "engine/fence.h"
#include "engine/worker_registry.h"
#include "model/capability_set.h"
#include "service/context.h"
#include "service/indexes.h"

namespace ff::service {

struct WorkerRegistration {
    model::Namespace ns;
    model::WorkerId worker_id;
    model::WorkerInstanceId instance_id;
    std::vector<model::LaneId> lanes{};
    model::CapabilitySet capabilities{};
    Millis ttl{60'000};
    std::string boot_id{};
    bool takeover = false;
    std::optional<std::int64_t> tasks_max{};
};

struct RegisteredWorker {
    /// False: it was alive already.
    bool registered = false;
    Timestamp expires_at{};
};

struct WorkerPage {
    std::vector<engine::WorkerInfo> workers{};
    std::string next_cursor{};
};

/// A lease that a worker instance holds, as much of it as is needed to go on with the task.
struct HeldLease {
    model::ExecutionId execution_id;
    engine::Fence fence;
    model::AttemptIndex attempt_index{};
    Timestamp lease_expires_at{};
    std::string token{};
};

/// The registry of live workers (spec 07, section 4.4), and what they hold. Lives on the context's
/// loop.
class Workers {
  public:
    static constexpr std::size_t kRememberedMax = 65'536;

    Workers(const Context& context, Indexes& indexes) : context_(context), indexes_(indexes) {}

    Task<RegisteredWorker> enter(WorkerRegistration registration);
    Task<engine::HeartbeatWorker::Outcome> heartbeat(model::Namespace ns,
                                                     model::WorkerInstanceId instance_id,
                                                     std::string boot_id);
    /// For a worker that renews leases: refreshes it where this server knows it to be registered,
    /// or in that namespace. A failure is no concern of the renewal.
    Task<Done> seen(model::WorkerInstanceId instance_id, std::optional<model::Namespace> ns);
    Task<Done> leave(model::Namespace ns, model::WorkerId worker_id,
                     model::WorkerInstanceId instance_id, std::string reason, bool revoke_leases);
    /// Of all namespaces if none is given.
    Task<WorkerPage> list(std::optional<model::Namespace> ns, std::string cursor,
                          std::size_t limit);
    /// All leases that the instance holds now.
    Task<std::vector<HeldLease>> leases(model::WorkerId worker_id,
                                        model::WorkerInstanceId instance_id);

  private:
    Task<WorkerPage> list_all(std::string cursor, std::size_t limit);

    const Context& context_;
    Indexes& indexes_;
    /// By instance: the namespace it last registered in here.
    std::map<std::string, model::Namespace> namespace_of_{};
};

}  // namespace ff::service
