#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/claim_batch.h"
#include "model/capability_set.h"
#include "model/ids.h"
#include "model/kind_set.h"

namespace ff::sched {

/// Lets whoever asked for a claim end its wait when nobody is there to take the tasks. The claim
/// answers with what it has by then.
class Abandonment {
  public:
    void abandon() {
        abandoned_ = true;
        if (wake_) wake_();
    }
    bool abandoned() const { return abandoned_; }
    /// What ends the wait under way; empty while there is none.
    void on_abandon(std::function<void()> wake) { wake_ = std::move(wake); }

  private:
    bool abandoned_ = false;
    std::function<void()> wake_{};
};

/// What a worker asks for.
struct ClaimRequest {
    static constexpr std::size_t kTasksMost = 256;
    static constexpr Millis kWaitMost{30'000};

    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    /// At least one.
    std::vector<model::LaneId> lanes{};
    model::CapabilitySet capabilities{};
    /// Only executions of these kinds.
    model::KindSet kinds{};
    std::optional<model::Namespace> only_namespace{};
    /// 1 to kTasksMost.
    std::size_t tasks_max = 1;
    /// How long to wait for work if there is none; 0 to kWaitMost.
    Millis wait{0};
    Millis lease_ttl{30'000};
    std::optional<std::int64_t> payload_bytes_max{};
    /// The same id while its leases last gives the same tasks, and claims nothing new.
    std::string claim_id{};
    /// Nobody has sent the id before: there is nothing of it to look for.
    bool first_try = false;
    bool may_repeat() const { return !claim_id.empty() && !first_try; }
    /// Shared with whoever watches the asker.
    std::shared_ptr<Abandonment> abandonment{};

    bool abandoned() const { return abandonment && abandonment->abandoned(); }
};

/// A task and the lane it came from.
struct LaneTask {
    model::LaneId lane;
    engine::ClaimedTask task;
};

}  // namespace ff::sched
