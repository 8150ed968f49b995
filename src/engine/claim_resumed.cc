#include "engine/claim_resumed.h"

#include "engine/execution_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kFunction = "ff_claim_resumed_execution";

}  // namespace

void ClaimResumedExecution::write(CallWriter& to) const {
    const ExecutionKeys keys(execution_id);
    to.begin(kFunction, 11);
    to.key("exec_core", keys.exec.core());
    to.key("claim_grant", keys.exec.claim_grant());
    to.key("eligible", keys.derived);
    to.key("lease_expiry", keys.index.lease_expiry());
    to.key("worker_leases", keys.derived);
    to.key("attempt_hash", keys.derived);
    to.key("lease_current", keys.exec.lease_current());
    to.key("lease_history", keys.exec.lease_history());
    to.key("active", keys.derived);
    to.key("attempt_timeout", keys.index.attempt_timeout());
    to.key("execution_deadline", keys.index.execution_deadline());
    to.arg("execution_id", keys.exec.id());
    to.arg("worker_id", claimant.worker_id.text());
    to.arg("worker_instance_id", claimant.worker_instance_id.text());
    to.arg("lane", claimant.lane.text());
    to.arg("capability_snapshot_hash", capability_hash);
    to.arg("lease_id", claimant.lease_id.to_string());
    to.arg("lease_ttl_ms", claimant.lease_ttl);
    to.arg("remaining_attempt_timeout_ms", remaining_attempt_timeout);
}

Result<ClaimResumedExecution::Outcome> ClaimResumedExecution::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kFunction, reply));
    FF_TRY(TakenLease lease, TakenLease::read(reader));
    return Outcome{.lease = std::move(lease),
                   .suspension_id = std::string(reader.text_or_empty(9)),
                   .close_reason = std::string(reader.text_or_empty(10)),
                   .continuation = Bytes(reader.text_or_empty(11))};
}

}  // namespace ff::engine
