#include "model/index_keys.h"

namespace ff::model {

LaneKeys::LaneKeys(const PartitionKey& partition, const LaneId& lane)
    : prefix_(concat({"ff:idx:", partition.tag(), ":lane:", lane.text(), ":"})) {}

std::string LaneKeys::eligible() const {
    return concat({prefix_, "eligible"});
}
std::string LaneKeys::delayed() const {
    return concat({prefix_, "delayed"});
}
std::string LaneKeys::active() const {
    return concat({prefix_, "active"});
}
std::string LaneKeys::terminal() const {
    return concat({prefix_, "terminal"});
}
std::string LaneKeys::blocked_dependencies() const {
    return concat({prefix_, "blocked:dependencies"});
}
std::string LaneKeys::blocked_budget() const {
    return concat({prefix_, "blocked:budget"});
}
std::string LaneKeys::blocked_quota() const {
    return concat({prefix_, "blocked:quota"});
}
std::string LaneKeys::blocked_route() const {
    return concat({prefix_, "blocked:route"});
}
std::string LaneKeys::blocked_operator() const {
    return concat({prefix_, "blocked:operator"});
}
std::string LaneKeys::suspended() const {
    return concat({prefix_, "suspended"});
}
std::string LaneKeys::eligible_ns() const {
    return concat({prefix_, "eligible_ns"});
}
std::string LaneKeys::route_sets() const {
    return concat({prefix_, "route_sets"});
}
std::string LaneKeys::route(std::string_view sha1_hex) const {
    return concat({prefix_, "route:", sha1_hex});
}
std::string LaneKeys::route_kinds() const {
    return concat({prefix_, "route_kinds"});
}
std::string LaneKeys::kind(std::string_view execution_kind) const {
    return concat({prefix_, "kind:", execution_kind});
}

IndexKeys::IndexKeys(const PartitionKey& partition)
    : partition_(partition), tag_(partition.tag()) {}

std::string IndexKeys::of_index(std::string_view name) const {
    return concat({"ff:idx:", tag_, ":", name});
}

std::string IndexKeys::lease_expiry() const {
    return of_index("lease_expiry");
}
std::string IndexKeys::worker_leases(const WorkerInstanceId& worker) const {
    return concat({"ff:idx:", tag_, ":worker:", worker.text(), ":leases"});
}
std::string IndexKeys::suspension_timeout() const {
    return of_index("suspension_timeout");
}
std::string IndexKeys::approvals() const {
    return of_index("approvals");
}
std::string IndexKeys::pending_waitpoint_expiry() const {
    return of_index("pending_waitpoint_expiry");
}
std::string IndexKeys::attempt_timeout() const {
    return of_index("attempt_timeout");
}
std::string IndexKeys::execution_deadline() const {
    return of_index("execution_deadline");
}
std::string IndexKeys::all_executions() const {
    return of_index("all_executions");
}
std::string IndexKeys::retention_due() const {
    return of_index("retention_due");
}
std::string IndexKeys::cascade_pending() const {
    return of_index("cascade_pending");
}
std::string IndexKeys::quota_release() const {
    return of_index("quota_release");
}

std::string IndexKeys::wake() const {
    return concat({"ff:wake:", tag_});
}
std::string IndexKeys::waitpoint_hmac() const {
    return concat({"ff:sec:", tag_, ":waitpoint_hmac"});
}
std::string IndexKeys::rotate_lock() const {
    return concat({"ff:sec:", tag_, ":rotate_lock"});
}
std::string IndexKeys::signal_delivery() const {
    return concat({"ff:part:", tag_, ":signal_delivery"});
}
std::string IndexKeys::events() const {
    return concat({"ff:part:", tag_, ":events"});
}
std::string IndexKeys::feed_seq() const {
    return concat({"ff:part:", tag_, ":feed_seq"});
}

std::string IndexKeys::claim_request(const WorkerInstanceId& worker,
                                     std::string_view request_id) const {
    return concat({"ff:claimreq:", tag_, ":", worker.text(), ":", request_id});
}

std::string IndexKeys::waitpoint(const WaitpointId& id) const {
    return concat({"ff:wp:", tag_, ":", id.to_string()});
}

}  // namespace ff::model
