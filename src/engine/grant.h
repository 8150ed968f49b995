#pragma once

#include <optional>
#include <string>

#include "engine/call_writer.h"
#include "engine/claim_execution.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"

namespace ff::engine {

/// Whom a grant is for, and for how long.
struct GrantRequest {
    model::ExecutionId execution_id;
    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    model::LaneId lane;
    std::string capability_hash{};
    Millis grant_ttl{5'000};
    std::string route_snapshot_json{};
    std::string admission_summary{};
    /// Sorted and joined, as `capabilities` in `model` makes it.
    std::string worker_capabilities_csv{};
    std::string admitted_quota_ids_csv{};
};

enum class GrantKind : std::uint8_t { Claim, Resume, Reclaim };
std::string_view to_string(GrantKind kind);
std::optional<GrantKind> parse_grant_kind(std::string_view text);

struct Grant {
    Timestamp expires_at{};
    GrantKind kind = GrantKind::Claim;
};

/// `ff_issue_claim_grant`: for eligible work.
struct IssueClaimGrant {
    using Outcome = Grant;
    GrantRequest request;
    /// Under which the quotas were asked.
    std::optional<std::int64_t> admission_epoch{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_issue_reclaim_grant`: for work whose lease was lost.
struct IssueReclaimGrant {
    using Outcome = Grant;
    /// For callers that serve workers who pull (spec 02 section 8.8).
    static constexpr std::int64_t kInteractiveReclaimsMax = 1'000;

    GrantRequest request;
    /// How often work may be reclaimed whose policy does not say.
    std::optional<std::int64_t> default_reclaims_max{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_issue_grant_and_claim`: an operator takes one execution over, past all admission.
struct IssueGrantAndClaim {
    using Outcome = TakenLease;

    model::ExecutionId execution_id;
    Claimant claimant;
    std::string capability_hash{};
    std::string attempt_policy_json{};
    std::optional<Millis> attempt_timeout{};
    std::optional<model::DueTime> execution_deadline{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
