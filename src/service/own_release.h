#pragma once

#include <optional>
#include <string>

#include "base/task.h"
#include "engine/end_execution.h"
#include "engine/fence.h"
#include "engine/pause_execution.h"
#include "model/execution_id.h"
#include "store/store.h"

namespace ff::service {

/// How the caller's own lease ended, as `exec_core` remembers it.
struct OwnRelease {
    /// `last_release_op`.
    std::string op{};
    /// What the call answered beyond "done": a time, a reason or a word. Empty if nothing, and in
    /// records that older libraries wrote.
    std::string answer{};
};

/// Nothing if the last lease that was given up is not the one of `fence`.
Task<std::optional<OwnRelease>> own_release(store::Store& store, model::ExecutionId id,
                                            std::optional<engine::Fence> fence);

/// Whether a refused call may still be the caller's own earlier success: the execution is leased
/// again since, so the refusal speaks of the lease that came after.
bool may_be_repeated(const Error& refusal);

// The first answer to a repeated call; nothing if another call ended the lease.
std::optional<engine::CompleteExecution::Outcome> as_completed(const OwnRelease& release);
std::optional<engine::FailExecution::Outcome> as_failed(const OwnRelease& release);
std::optional<engine::DelayExecution::Outcome> as_delayed(const OwnRelease& release);
std::optional<engine::DelayExecution::Outcome> as_returned(const OwnRelease& release);
std::optional<engine::MoveToWaitingChildren::Outcome> as_waiting(const OwnRelease& release);

}  // namespace ff::service
