#pragma once

#include <optional>
#include <string>
#include <vector>

#include "engine/call_writer.h"
#include "engine/reply_reader.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/partition.h"

namespace ff::engine {

/// A quota policy and where it lives.
struct QuotaAddress {
    model::QuotaPolicyId id;
    model::PartitionConfig partitions{};
};

/// `ff_create_quota_policy`. A limit of 0 is none.
struct CreateQuotaPolicy {
    struct Outcome {
        bool already_satisfied = false;
    };

    QuotaAddress quota;
    std::int64_t window_seconds = 0;
    std::int64_t requests_per_window_max = 0;
    std::int64_t concurrent_max = 0;
    std::int64_t jitter_ms = 0;
    std::string scope_type{};
    std::string scope_id{};
    std::string name{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_update_quota_policy`: an operator's override. What is absent stays.
struct UpdateQuotaPolicy {
    struct Outcome {
        std::int64_t revision = 0;
    };

    QuotaAddress quota;
    std::string actor{};
    std::string reason{};
    std::optional<std::int64_t> window_seconds{};
    std::optional<std::int64_t> requests_per_window_max{};
    std::optional<std::int64_t> concurrent_max{};
    std::optional<std::int64_t> jitter_ms{};
    std::string name{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_attach_quota_policy`: a policy without a scope takes this one; another than its own is
/// `quota_attach_conflict`. The outcome says whether it had none before.
struct AttachQuotaPolicy {
    using Outcome = bool;

    QuotaAddress quota;
    std::string scope_type{};
    std::string scope_id{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

struct AdmissionVerdict {
    enum class Kind : std::uint8_t {
        Admitted,
        AlreadyAdmitted,
        RateExceeded,
        ConcurrencyExceeded,
    };
    Kind kind = Kind::Admitted;
    Millis retry_after{0};   // of RateExceeded
    std::int64_t used = 0;   // of a refusal, where told
    std::int64_t limit = 0;  // of a refusal, where told

    bool admitted() const { return kind == Kind::Admitted || kind == Kind::AlreadyAdmitted; }
};

/// `ff_check_admission_and_record` with limits the caller has read.
struct CheckAdmission {
    using Outcome = AdmissionVerdict;

    QuotaAddress quota;
    model::ExecutionId execution_id;
    std::int64_t window_seconds = 0;
    std::int64_t rate_limit = 0;
    std::int64_t concurrency_cap = 0;
    std::int64_t jitter_ms = 0;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// An execution and the admission epoch that a decision or a release is about (spec 06
/// section 4.4).
struct EpochOf {
    std::string execution_id{};
    /// 0: none, the caller does not know of epochs.
    std::int64_t epoch = 0;
};

/// `ff_admit_batch` by the stored limits; a verdict for each execution, in order.
struct AdmitBatch {
    using Outcome = std::vector<AdmissionVerdict>;

    QuotaAddress quota;
    std::vector<EpochOf> executions{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

enum class ReleaseMode : std::uint8_t {
    Done,      // the run is over; it keeps its place in the rate window
    Rollback,  // the run never started
};

/// `ff_release_admission_batch`; the outcome counts the slots that came free.
struct ReleaseAdmissionBatch {
    using Outcome = std::int64_t;

    QuotaAddress quota;
    ReleaseMode mode = ReleaseMode::Done;
    std::vector<EpochOf> executions{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

/// `ff_release_admission`; the outcome says whether a slot came free.
struct ReleaseAdmission {
    using Outcome = bool;

    QuotaAddress quota;
    model::ExecutionId execution_id;
    ReleaseMode mode = ReleaseMode::Done;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_void_admission`: what was admitted under that epoch and has not been used can no longer be
/// used. The outcome says whether its slots may be given back.
struct VoidAdmission {
    using Outcome = bool;

    model::ExecutionId execution_id;
    std::int64_t epoch = 1;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_reconcile_quota`: sets the counter right, without the executions that are known to be over
/// and whose admissions are void.
struct ReconcileQuota {
    struct Outcome {
        std::int64_t before = 0;
        std::int64_t after = 0;
    };

    QuotaAddress quota;
    std::vector<EpochOf> dead_executions{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
