#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>

#include "flowfabric/task.h"
#include "flowfabric/worker.h"
#include "sdk/capacity.h"
#include "sdk/door.h"
#include "sdk/hot_path.h"

namespace ff::sdk {

class LeaseKeeper;

/// What a Task, the renewing thread and a runtime share about one piece of work.
struct TaskState {
    std::shared_ptr<Door> door{};
    std::shared_ptr<LeaseKeeper> keeper{};
    flowfabric::OnAbandon on_abandon = flowfabric::OnAbandon::Expire;
    flowfabric::TaskInfo info{};
    flowfabric::Bytes payload{};
    bool payload_omitted = false;
    /// What is recorded; read when the handler first asks for a step.
    std::optional<std::map<std::string, flowfabric::Bytes>> steps{};
    std::uint64_t frames_sent = 0;
    std::stop_source stop{};

    std::mutex mutex{};
    // Under the mutex:
    std::optional<Capacity::Permit> permit{};
    bool ended = false;
    bool lost = false;
    int renewal_failures = 0;
    std::function<void(const flowfabric::Error&)> on_lost{};
    std::optional<flowfabric::Error> lost_with{};

    /// Valid as long as this is.
    HeldLease lease() const;
    bool has_ended();
    /// Gives the permit back and ends renewal. Once.
    void end();
    /// The holder has let go of it: ends it with a warning unless it has ended.
    void abandon();
    /// Releases what no handler has begun: the next worker is told what this one was.
    void give_back();
    void renewed();
    /// Counts; for good when the lease is gone.
    void renewal_failed(const flowfabric::Error& error);

  private:
    void release(bool unbegun);
};

}  // namespace ff::sdk
