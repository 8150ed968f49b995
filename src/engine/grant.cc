#include "engine/grant.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kClaimGrant = "ff_issue_claim_grant";
constexpr std::string_view kReclaimGrant = "ff_issue_reclaim_grant";
constexpr std::string_view kTakeOver = "ff_issue_grant_and_claim";

void write_request(CallWriter& to, const GrantRequest& request) {
    to.arg("execution_id", request.execution_id.to_string());
    to.arg("worker_id", request.worker_id.text());
    to.arg("worker_instance_id", request.worker_instance_id.text());
    to.arg("lane_id", request.lane.text());
    to.arg("capability_hash", request.capability_hash);
    to.arg("grant_ttl_ms", request.grant_ttl);
    to.arg("route_snapshot_json", request.route_snapshot_json);
    to.arg("admission_summary", request.admission_summary);
    to.arg("worker_capabilities_csv", request.worker_capabilities_csv);
    to.arg("admitted_quota_ids", request.admitted_quota_ids_csv);
}

Result<Grant> read_grant(std::string_view function, const store::Reply& reply) {
    FF_TRY(const ReplyReader reader, ReplyReader::open(function, reply));
    FF_TRY(const Timestamp expires, reader.time(4, "grant_expires_at"));
    FF_TRY(const std::string_view text, reader.text(5, "kind"));
    const auto kind = parse_grant_kind(text);
    if (!kind) return reader.fault("kind");
    return Grant{.expires_at = expires, .kind = *kind};
}

}  // namespace

std::string_view to_string(GrantKind kind) {
    switch (kind) {
        case GrantKind::Claim:
            return "claim";
        case GrantKind::Resume:
            return "resume";
        case GrantKind::Reclaim:
            return "reclaim";
    }
    return {};
}

std::optional<GrantKind> parse_grant_kind(std::string_view text) {
    for (const GrantKind kind : {GrantKind::Claim, GrantKind::Resume, GrantKind::Reclaim}) {
        if (to_string(kind) == text) return kind;
    }
    return std::nullopt;
}

void IssueClaimGrant::write(CallWriter& to) const {
    const model::ExecKeys keys(request.execution_id);
    to.begin(kClaimGrant, 1);
    to.key("exec_core", keys.core());
    write_request(to, request);
    to.arg("admission_epoch", admission_epoch);
}

Result<Grant> IssueClaimGrant::read(const store::Reply& reply) const {
    return read_grant(kClaimGrant, reply);
}

void IssueReclaimGrant::write(CallWriter& to) const {
    const model::ExecKeys keys(request.execution_id);
    to.begin(kReclaimGrant, 1);
    to.key("exec_core", keys.core());
    write_request(to, request);
    to.arg("default_max_reclaim_count", default_reclaims_max);
}

Result<Grant> IssueReclaimGrant::read(const store::Reply& reply) const {
    return read_grant(kReclaimGrant, reply);
}

void IssueGrantAndClaim::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kTakeOver, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("worker_id", claimant.worker_id.text());
    to.arg("worker_instance_id", claimant.worker_instance_id.text());
    to.arg("lane", claimant.lane.text());
    to.arg("capability_hash", capability_hash);
    to.arg("lease_id", claimant.lease_id.to_string());
    to.arg("lease_ttl_ms", claimant.lease_ttl);
    to.arg("attempt_id", claimant.attempt_id.to_string());
    to.arg("attempt_policy_json", attempt_policy_json);
    to.arg("attempt_timeout_ms", attempt_timeout);
    to.arg("execution_deadline_at",
           execution_deadline ? execution_deadline->to_string() : std::string());
}

Result<TakenLease> IssueGrantAndClaim::read(const store::Reply& reply) const {
    // The order of the values differs from a plain claim.
    FF_TRY(const ReplyReader reader, ReplyReader::open(kTakeOver, reply));
    FF_TRY(const model::LeaseId lease, reader.parsed<model::LeaseId>(3, "lease_id"));
    FF_TRY(const model::LeaseEpoch epoch, reader.parsed<model::LeaseEpoch>(4, "lease_epoch"));
    FF_TRY(const model::AttemptIndex index, reader.parsed<model::AttemptIndex>(5, "attempt_index"));
    FF_TRY(const Timestamp expires, reader.time(6, "expires_at"));
    FF_TRY(const model::AttemptId attempt, reader.parsed<model::AttemptId>(7, "attempt_id"));
    FF_TRY(const std::string_view type, reader.text(8, "attempt_type"));
    return TakenLease{
        .duplicate = reader.word() == "DUPLICATE",
        .fence = Fence{.lease_id = lease, .lease_epoch = epoch, .attempt_id = attempt},
        .lease_expires_at = expires,
        .attempt_index = index,
        .attempt_type = std::string(type)};
}

}  // namespace ff::engine
