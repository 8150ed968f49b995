#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "engine/call_writer.h"
#include "engine/fence.h"
#include "engine/reply_reader.h"
#include "engine/steps.h"
#include "model/due_time.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "model/waitpoint_token.h"

namespace ff::engine {

/// A waitpoint to suspend on. Without a key it is a pending one that is to be activated.
struct WaitpointBinding {
    model::WaitpointId id;
    std::optional<model::WaitpointKey> key{};
};

/// A waitpoint as its worker needs it.
struct BoundWaitpoint {
    model::WaitpointId id;
    std::string key{};
    model::WaitpointToken token;
};

/// What a person needs to answer at a waitpoint (chapter 03 section 3.7); what is empty is not
/// told.
struct ApprovalRequest {
    std::string prompt{};
    /// JSON list of texts.
    std::string assignees_json{};
    /// JSON schema of the answer.
    std::string form_json{};
    Bytes context{};
    std::string context_type{};
    std::optional<model::DueTime> due_at{};

    void write(CallWriter& to) const;
};

/// `ff_suspend_execution`: pauses on waitpoints, unless buffered signals satisfy the condition.
struct SuspendExecution {
    struct Outcome {
        /// The condition was satisfied already: the lease is still held.
        bool already_satisfied = false;
        /// The answer to an earlier call of the same lease.
        bool replayed = false;
        std::string suspension_id{};
        BoundWaitpoint waitpoint;
        std::vector<BoundWaitpoint> additional{};
    };

    model::ExecutionId execution_id;
    model::AttemptIndex attempt_index{};
    Fence fence;
    model::SuspensionId suspension_id;
    WaitpointBinding waitpoint;
    std::vector<WaitpointBinding> additional{};
    std::string reason_code{};
    std::string requested_by{};
    std::optional<model::DueTime> timeout_at{};
    std::string timeout_behavior{};
    std::string resume_condition_json{};
    std::string resume_policy_json{};
    Bytes continuation{};
    /// Recalls the answer even for a caller that has a new lease id for the same attempt; without
    /// it the lease does.
    std::optional<model::IdempotencyKey> idempotency_key{};
    std::optional<Millis> dedup_ttl{};
    /// At the primary waitpoint.
    std::optional<ApprovalRequest> approval{};
    /// Recorded in the same call.
    std::vector<Step> steps{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

enum class ResumeTrigger : std::uint8_t { Signal, Operator, AutoResume };
std::string_view to_string(ResumeTrigger trigger);

/// `ff_resume_execution`: ends a suspension without a signal.
struct ResumeExecution {
    struct Outcome {
        std::string public_state{};
    };

    model::ExecutionId execution_id;
    ResumeTrigger trigger = ResumeTrigger::Operator;
    Millis resume_delay{0};
    std::optional<model::SuspensionId> expected_suspension_id{};
    std::string actor{};

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return false; }
};

/// `ff_expire_suspension`: a suspension's time is up.
struct ExpireSuspension {
    struct Outcome {
        /// What was done, or why nothing was: auto_resume, escalate, fail, ..., not_yet_due, ...
        std::string result{};
    };

    model::ExecutionId execution_id;

    void write(CallWriter& to) const;
    Result<Outcome> read(const store::Reply& reply) const;
    bool resend_safe() const { return true; }
};

}  // namespace ff::engine
