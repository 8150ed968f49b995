#include "engine/lease.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kRenew = "ff_renew_lease";
constexpr std::string_view kMarkExpired = "ff_mark_lease_expired_if_due";
constexpr std::string_view kRevoke = "ff_revoke_lease";

}  // namespace

void RenewLease::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kRenew, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("attempt_index", attempt_index.to_string());
    to.arg("attempt_id", fence.attempt_id.to_string());
    to.arg("lease_id", fence.lease_id.to_string());
    to.arg("lease_epoch", fence.lease_epoch.to_string());
    to.arg("lease_ttl_ms", lease_ttl);
    to.arg("lease_history_grace_ms", history_grace);
}

Result<RenewLease::Outcome> RenewLease::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRenew, reply));
    FF_TRY(const Timestamp expires, reader.time(3, "new_expires_at"));
    return Outcome{.lease_expires_at = expires};
}

void MarkLeaseExpiredIfDue::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kMarkExpired, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
}

Result<MarkLeaseExpiredIfDue::Outcome> MarkLeaseExpiredIfDue::read(
    const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kMarkExpired, reply));
    FF_TRY(const std::string_view what, reader.text(3, "result"));
    if (reader.word() == "OK") return Outcome{.marked = true};
    return Outcome{.why_not = std::string(what)};
}

void RevokeLease::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kRevoke, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("expected_lease_id", expected_lease_id ? expected_lease_id->to_string() : std::string());
    to.arg("revoke_reason", reason);
}

Result<RevokeLease::Outcome> RevokeLease::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRevoke, reply));
    if (reader.word() == "ALREADY_SATISFIED") {
        FF_TRY(const std::string_view why, reader.text(3, "why"));
        return Outcome{.already = std::string(why)};
    }
    FF_TRY(const std::string_view lease, reader.text(4, "lease_id"));
    FF_TRY(const model::LeaseEpoch epoch, reader.parsed<model::LeaseEpoch>(5, "lease_epoch"));
    return Outcome{.lease_id = std::string(lease), .lease_epoch = epoch};
}

}  // namespace ff::engine
