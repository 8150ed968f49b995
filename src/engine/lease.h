#pragma once

#include <optional>
#include <string>

#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"

namespace ff::engine {

/// `ff_renew_lease`: extends a lease from now.
struct RenewLease {
    struct Outcome {
        Timestamp lease_expires_at{};
    };

    model::ExecutionId execution_id;
    model::AttemptIndex attempt_index{};
    Fence fence;
    Millis lease_ttl{30'000};
    /// How long the record of a lease that was not renewed again stays readable.
    Millis history_grace{60'000};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_mark_lease_expired_if_due`: what the expiry scanner calls.
struct MarkLeaseExpiredIfDue {
    struct Outcome {
        bool marked = false;
        std::string why_not{};
    };

    model::ExecutionId execution_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_revoke_lease`: an operator takes a lease away; the work awaits reclaim.
struct RevokeLease {
    struct Outcome {
        /// `already_revoked` or `already_expired`; then there is no lease below.
        std::string already{};
        std::string lease_id{};
        model::LeaseEpoch lease_epoch{};
    };

    model::ExecutionId execution_id;
    std::optional<model::LeaseId> expected_lease_id{};
    std::string reason{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

}  // namespace ff::engine
