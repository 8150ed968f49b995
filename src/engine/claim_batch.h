#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/calls.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "engine/steps.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/kind_set.h"
#include "model/partition.h"

namespace ff::engine {

/// A task as a worker gets it: everything it needs in one reply.
struct ClaimedTask {
    model::ExecutionId execution_id;
    Fence fence;
    Timestamp lease_expires_at{};
    model::AttemptIndex attempt_index{};
    /// initial, retry, replay, fallback, resumed or reclaim.
    std::string attempt_type{};
    std::string execution_kind{};
    std::string ns{};
    std::string flow_id{};
    std::int64_t priority = 0;
    Timestamp created_at{};
    enum class PayloadState : std::uint8_t { Inline, None, Omitted };
    PayloadState payload_state = PayloadState::None;
    Bytes payload{};
    std::vector<std::pair<std::string, std::string>> tags{};
    std::string payload_encoding{};
    // Of a task resumed from a suspension:
    std::string suspension_id{};
    std::string close_reason{};
    Bytes continuation{};
    /// What earlier attempts recorded.
    PayloadState steps_state = PayloadState::None;
    std::vector<Step> steps{};
    /// What it called, and how that ended.
    PayloadState children_state = PayloadState::None;
    std::vector<CalledChild> children{};
};

/// Work that needs an answer from a budget or quota before it may be claimed.
struct DeferredTask {
    model::ExecutionId execution_id;
    std::string ns{};
    std::string flow_id{};
    std::string budget_ids_csv{};
    std::string quota_policy_id{};
    std::int64_t priority = 0;
    /// The admission epoch under which quotas are asked for its next run.
    std::int64_t admission_epoch = 1;
};

struct ClaimedBatch {
    /// The tasks of an earlier call with the same request id.
    bool duplicate = false;
    std::vector<ClaimedTask> claimed{};
    std::vector<DeferredTask> deferred{};
    /// Admitted executions that could not be claimed, with the code why.
    std::vector<std::pair<std::string, std::string>> not_claimed{};
    std::int64_t examined = 0;
    std::int64_t moved_to_route = 0;
    std::int64_t eligible_left = 0;
    /// The lane is armed: the next work that enters it publishes a wake-up.
    bool armed = false;
    std::vector<std::string> waiting_namespaces{};
    /// Kinds were asked for, and the lane's work is not all sorted by kind yet: the same call again
    /// goes on sorting.
    bool unsorted = false;
};

/// `ff_claim_batch`: up to 256 tasks of one lane in one partition.
struct ClaimBatch {
    using Outcome = ClaimedBatch;
    struct Admitted {
        model::ExecutionId execution_id;
        std::string quota_ids_csv{};
        std::int64_t admission_epoch = 1;
    };
    struct NewLease {
        model::LeaseId lease_id;
        model::AttemptId attempt_id;
    };

    model::PartitionKey partition;
    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    model::LaneId lane;
    std::string capabilities_csv{};
    Millis lease_ttl{30'000};
    std::optional<Millis> renew_before{};
    /// Makes the call repeatable while the leases last.
    std::string request_id{};
    std::optional<std::int64_t> scan_depth{};
    std::optional<std::int64_t> payload_bytes_max{};
    bool bypass_admission = false;
    /// Namespaces under attached budgets or quotas; `*` for all.
    std::vector<std::string> gated_namespaces{};
    bool gate_flows = false;
    std::vector<std::string> over_share_namespaces{};
    std::optional<std::int64_t> fair_priority_floor{};
    std::optional<model::Namespace> only_namespace{};
    Millis arm_wake{0};
    bool reclaim_first = true;
    std::vector<Admitted> admitted{};
    model::KindSet kinds{};
    /// One for each task that may be taken.
    std::vector<NewLease> leases{};

    void write(CallWriter& to) const;
    void write_keys(CallWriter& to) const;
    void write_arguments(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const { return read(store::Reply(reply)); }
    /// Takes the payloads out of it.
    Result<Outcome> read(store::Reply&& reply) const;
    bool resend_safe() const { return !request_id.empty(); }
};

/// `ff_index_kinds`: sorts more of what a lane had before anybody asked for kinds.
struct IndexKinds {
    enum class Outcome : std::uint8_t { Building, Complete };

    model::PartitionKey partition;
    model::LaneId lane;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
