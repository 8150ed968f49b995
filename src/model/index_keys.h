#pragma once

#include <string>
#include <string_view>

#include "model/ids.h"
#include "model/key_text.h"
#include "model/partition.h"

namespace ff::model {

/// Names of the indexes of one lane in one partition.
class LaneKeys {
  public:
    LaneKeys(const PartitionKey& partition, const LaneId& lane);

    std::string eligible() const;
    std::string delayed() const;
    std::string active() const;
    std::string terminal() const;
    std::string blocked_dependencies() const;
    std::string blocked_budget() const;
    std::string blocked_quota() const;
    std::string blocked_route() const;
    /// Also holds what a lane's state blocks.
    std::string blocked_operator() const;
    std::string suspended() const;
    std::string eligible_ns() const;
    std::string route_sets() const;
    /// The queue of one set of required capabilities; `sha1_hex` is that of its CSV.
    std::string route(std::string_view sha1_hex) const;
    /// The sets with a kind behind LF; their queues are `route` of the SHA-1 of both.
    std::string route_kinds() const;
    /// The members of `eligible` that are of this kind, once claims have asked for kinds.
    std::string kind(std::string_view execution_kind) const;

  private:
    std::string prefix_;
};

/// Names of what one `{fp:N}` partition keeps beside its executions and flows.
class IndexKeys {
  public:
    explicit IndexKeys(const PartitionKey& partition);
    explicit IndexKeys(std::uint16_t flow_partition)
        : IndexKeys(PartitionKey::flow(flow_partition)) {}

    /// `{fp:N}`.
    const std::string& tag() const { return tag_; }
    LaneKeys lane(const LaneId& lane) const { return {partition_, lane}; }

    std::string lease_expiry() const;
    std::string worker_leases(const WorkerInstanceId& worker) const;
    std::string suspension_timeout() const;
    std::string pending_waitpoint_expiry() const;
    /// Executions at which a person is asked, by the time until which an answer is due.
    std::string approvals() const;
    std::string attempt_timeout() const;
    std::string execution_deadline() const;
    std::string all_executions() const;
    std::string retention_due() const;
    std::string cascade_pending() const;
    std::string quota_release() const;

    /// Lanes for which somebody waits; not to be confused with the channel of a lane.
    std::string wake() const;
    std::string waitpoint_hmac() const;
    std::string rotate_lock() const;
    std::string signal_delivery() const;
    std::string events() const;
    std::string feed_seq() const;

    /// What a repeated batch claim is answered from.
    std::string claim_request(const WorkerInstanceId& worker, std::string_view request_id) const;
    /// The waitpoint itself, for those who know its id and not yet its execution.
    std::string waitpoint(const WaitpointId& id) const;
    std::string noop() const { return noop_key(tag_); }

  private:
    std::string of_index(std::string_view name) const;

    PartitionKey partition_;
    std::string tag_;
};

}  // namespace ff::model
