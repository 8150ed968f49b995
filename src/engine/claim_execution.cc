#include "engine/claim_execution.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kClaim = "ff_claim_execution";
constexpr std::string_view kReclaim = "ff_reclaim_execution";

Result<TakenLease> read_lease(std::string_view function, const store::Reply& reply) {
    FF_TRY(const ReplyReader reader, ReplyReader::open(function, reply));
    return TakenLease::read(reader);
}

}  // namespace

Result<TakenLease> TakenLease::read(const ReplyReader& reader) {
    const bool duplicate = reader.word() == "DUPLICATE";
    if (!duplicate && reader.word() != "OK") return reader.fault("word");
    FF_TRY(const model::LeaseId lease, reader.parsed<model::LeaseId>(3, "lease_id"));
    FF_TRY(const model::LeaseEpoch epoch, reader.parsed<model::LeaseEpoch>(4, "lease_epoch"));
    FF_TRY(const Timestamp expires, reader.time(5, "lease_expires_at"));
    FF_TRY(const model::AttemptId attempt, reader.parsed<model::AttemptId>(6, "attempt_id"));
    FF_TRY(const model::AttemptIndex index, reader.parsed<model::AttemptIndex>(7, "attempt_index"));
    FF_TRY(const std::string_view type, reader.text(8, "attempt_type"));
    return TakenLease{
        .duplicate = duplicate,
        .fence = Fence{.lease_id = lease, .lease_epoch = epoch, .attempt_id = attempt},
        .lease_expires_at = expires,
        .attempt_index = index,
        .attempt_type = std::string(type)};
}

void ClaimExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kClaim, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("worker_id", claimant.worker_id.text());
    to.arg("worker_instance_id", claimant.worker_instance_id.text());
    to.arg("lane", claimant.lane.text());
    to.arg("capability_snapshot_hash", capability_hash);
    to.arg("lease_id", claimant.lease_id.to_string());
    to.arg("lease_ttl_ms", claimant.lease_ttl);
    to.arg("renew_before_ms", renew_before);
    to.arg("attempt_id", claimant.attempt_id.to_string());
    to.arg("attempt_policy_json", attempt_policy_json);
    to.arg("attempt_timeout_ms", attempt_timeout);
    to.arg("execution_deadline_at",
           execution_deadline ? execution_deadline->to_string() : std::string());
}

Result<TakenLease> ClaimExecution::read(const store::Reply& reply) const {
    return read_lease(kClaim, reply);
}

void ReclaimExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kReclaim, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("worker_id", claimant.worker_id.text());
    to.arg("worker_instance_id", claimant.worker_instance_id.text());
    to.arg("lane", claimant.lane.text());
    to.arg("lease_id", claimant.lease_id.to_string());
    to.arg("lease_ttl_ms", claimant.lease_ttl);
    to.arg("attempt_id", claimant.attempt_id.to_string());
    to.arg("attempt_policy_json", attempt_policy_json);
    to.arg("default_max_reclaim_count", default_reclaims_max);
    to.arg("attempt_timeout_ms", attempt_timeout);
}

Result<TakenLease> ReclaimExecution::read(const store::Reply& reply) const {
    return read_lease(kReclaim, reply);
}

}  // namespace ff::engine
