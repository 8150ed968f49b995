#pragma once

#include <string>

#include "engine/end_execution.h"

namespace ff::service {

/// What became of a task that was failed.
struct FailedTask {
    engine::FailExecution::Outcome outcome{};
    /// The policy that decided; empty for none.
    std::string policy_json{};
    /// Of an end: why no retry follows, for people.
    std::string message{};
};

/// For `FailedTask::message`. `asked_for_retry` is false for a caller who wanted none.
std::string why_final(const engine::FailExecution::Outcome& outcome, bool asked_for_retry);
/// What will follow a failure under a stored policy, for people.
std::string retries_in_words(const std::string& policy_json, std::int64_t used);

}  // namespace ff::service
