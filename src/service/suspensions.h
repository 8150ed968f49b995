#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bytes.h"
#include "base/task.h"
#include "base/time.h"
#include "engine/fence.h"
#include "engine/suspend_execution.h"
#include "engine/waitpoint.h"
#include "model/due_time.h"
#include "model/execution_id.h"
#include "model/ids.h"
#include "service/condition_view.h"
#include "service/context.h"
#include "service/records.h"

namespace ff::service {

/// The work a worker holds, as it proves it.
struct HeldAttempt {
    model::ExecutionId execution_id;
    model::AttemptIndex attempt_index{};
    engine::Fence fence;
};

/// A waitpoint to suspend on: a new one, or one that was created before and waits.
struct WantedWaitpoint {
    /// Minted if absent; of a pending one it must be there.
    std::optional<model::WaitpointId> id{};
    /// `wpk:<id>` if absent.
    std::optional<model::WaitpointKey> key{};
    bool pending = false;
};

struct NewSuspension {
    HeldAttempt attempt;
    std::string reason_code{};
    /// Names of signals, any or all of which resume; empty for any signal at all. Only without a
    /// condition.
    std::vector<std::string> signals{};
    bool match_all = false;
    /// As chapter 03, section 4 says.
    std::string resume_condition_json{};
    std::string resume_policy_json{};
    std::optional<model::DueTime> timeout_at{};
    std::string timeout_behavior{};
    WantedWaitpoint waitpoint{};
    std::vector<WantedWaitpoint> additional{};
    Bytes continuation{};
    std::optional<model::SuspensionId> suspension_id{};
    /// The given suspension id if absent; without both a repeat is not protected.
    std::optional<model::IdempotencyKey> idempotency_key{};
    /// What a person needs to answer at the waitpoint.
    std::optional<engine::ApprovalRequest> approval{};
    /// Recorded in the same call.
    std::vector<engine::Step> steps{};
};

struct NewPendingWaitpoint {
    HeldAttempt attempt;
    std::optional<model::WaitpointKey> key{};
    Millis expires_in{0};
    std::optional<engine::ApprovalRequest> approval{};
};

struct PendingWaitpoint {
    engine::BoundWaitpoint waitpoint;
    std::optional<Timestamp> expires_at{};
};

struct WaitpointClosing {
    HeldAttempt attempt;
    model::WaitpointId waitpoint_id;
    std::string reason{};
};

/// A signal that a resumed attempt reads.
struct ResumeSignal {
    std::string signal_id{};
    std::string name{};
    std::string category{};
    std::string source_type{};
    std::string source_identity{};
    std::string correlation_id{};
    std::optional<Timestamp> accepted_at{};
    std::optional<Bytes> payload{};
};

/// A waitpoint of a suspension, without its token.
struct SuspensionWaitpoint {
    std::string id{};
    RecordFields fields{};
};

struct SuspensionView {
    RecordFields fields{};
    std::vector<SuspensionWaitpoint> waitpoints{};
};

/// What workers do about waiting. Lives on the context's loop.
class Suspensions {
  public:
    explicit Suspensions(const Context& context) : context_(context) {}

    Task<engine::SuspendExecution::Outcome> suspend(NewSuspension request);
    /// An address for signals while the work goes on.
    Task<PendingWaitpoint> create_pending(NewPendingWaitpoint request);
    /// Only for the holder of the lease: the function itself has no fence.
    Task<Done> close_waitpoint(WaitpointClosing request);
    /// The signals that resumed this attempt, in order; empty if it was not signals.
    Task<std::vector<ResumeSignal>> resume_signals(model::ExecutionId execution_id,
                                                   model::AttemptIndex attempt_index);
    /// The current or last suspension; `execution_not_suspended` if there never was one.
    Task<SuspensionView> current(model::ExecutionId execution_id);
    /// What an open suspension still waits for; `execution_not_suspended` without one. Changes
    /// nothing.
    Task<ConditionView> evaluate(model::ExecutionId execution_id);

  private:
    Task<Done> require_lease(const HeldAttempt& attempt);
    Task<std::vector<ResumeSignal>> read_signals(model::ExecutionId execution_id,
                                                 std::vector<model::SignalId> ids);

    Context context_;
};

/// The condition that a list of names stands for.
std::string flat_condition(const std::vector<std::string>& signals, bool match_all);

}  // namespace ff::service
