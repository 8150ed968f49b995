#include "engine/claim_resumed.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kFunction = "ff_claim_resumed_execution";

}  // namespace

void ClaimResumedExecution::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kFunction, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
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
