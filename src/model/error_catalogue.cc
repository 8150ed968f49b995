#include "model/error_catalogue.h"

#include <algorithm>
#include <array>
#include <utility>

namespace ff::model {
namespace {

using enum ErrorClass;

constexpr ErrorInfo kCatalogue[] = {
    {"execution_not_found", Terminal, 404},
    {"flow_not_found", Terminal, 404},
    {"attempt_not_found", Terminal, 404},
    {"budget_not_found", Terminal, 404},
    {"quota_policy_not_found", Terminal, 404},
    {"schedule_not_found", Terminal, 404},
    {"stream_not_found", Expected, 404},
    {"waitpoint_not_found", Retryable, 404},
    {"link_not_found", Terminal, 404},
    {"no_active_lease", Informational, 404},
    {"invalid_input", Terminal, 400},
    {"invalid_args", Terminal, 400},
    {"invalid_capabilities", Terminal, 400},
    {"invalid_policy_json", Terminal, 400},
    {"invalid_tag_key", Terminal, 400},
    {"invalid_kid", Terminal, 400},
    {"invalid_secret_hex", Terminal, 400},
    {"invalid_grace_ms", Terminal, 400},
    {"invalid_blocking_reason", Terminal, 400},
    {"invalid_budget_scope", Terminal, 400},
    {"invalid_quota_spec", Terminal, 400},
    {"invalid_schedule", Terminal, 400},
    {"invalid_dependency", Terminal, 400},
    {"invalid_waitpoint_for_execution", Terminal, 400},
    {"invalid_resume_condition", Terminal, 400},
    {"ambiguous_target", Terminal, 400},
    {"invalid_cursor", Terminal, 400},
    {"additional_waitpoint_binding_malformed", Terminal, 400},
    {"use_pending_with_extras_unsupported", Terminal, 400},
    {"partition_mismatch", Terminal, 400},
    {"execution_not_in_flow", Terminal, 400},
    {"duplicate_node", Terminal, 400},
    {"data_passing_conflict", Terminal, 400},
    {"graph_too_large", Terminal, 400},
    {"self_referencing_edge", Terminal, 400},
    {"cycle_detected", Terminal, 400},
    {"invalid_token", Terminal, 403},
    {"missing_token", Terminal, 403},
    {"token_expired", Terminal, 403},
    {"invalid_waitpoint_key", Terminal, 400},
    {"waitpoint_not_token_bound", Terminal, 400},
    {"fence_required", Terminal, 400},
    {"partial_fence_triple", Terminal, 400},
    {"invalid_frame_type", SoftError, 400},
    {"invalid_offset", Retryable, 400},
    {"payload_too_large", Terminal, 413},
    {"retention_limit_exceeded", Terminal, 413},
    {"flow_too_large", Terminal, 413},
    {"unauthorized", Terminal, 401},
    {"foreign_host", Terminal, 403},
    {"foreign_origin", Terminal, 403},
    {"budget_override_not_allowed", Terminal, 403},
    {"stale_lease", Terminal, 409},
    {"lease_expired", Terminal, 409},
    {"lease_revoked", Terminal, 409},
    {"execution_not_active", Terminal, 409},
    {"stale_owner_cannot_append", Terminal, 409},
    {"stream_closed", Terminal, 409},
    {"invalid_lease_for_suspend", Terminal, 409},
    {"target_not_signalable", Terminal, 409},
    {"signal_limit_exceeded", Terminal, 409},
    {"link_not_open", Terminal, 409},
    {"link_limit_exceeded", Terminal, 409},
    {"resume_condition_not_met", Terminal, 409},
    {"step_limit_exceeded", Terminal, 409},
    {"call_limit_exceeded", Terminal, 409},
    {"execution_not_terminal", Terminal, 409},
    {"max_replays_exhausted", Terminal, 409},
    {"replay_not_allowed", Terminal, 409},
    {"max_retries_exhausted", Terminal, 409},
    {"not_runnable", Terminal, 409},
    {"terminal", Terminal, 409},
    {"attempt_not_started", Terminal, 409},
    {"execution_not_eligible_for_attempt", Terminal, 409},
    {"execution_already_in_flow", Terminal, 409},
    {"already_member_of_different_flow", Terminal, 409},
    {"namespace_mismatch", Terminal, 409},
    {"execution_already_exists", Terminal, 409},
    {"dependency_already_exists", Terminal, 409},
    {"flow_already_terminal", Terminal, 409},
    {"flow_already_exists", Terminal, 409},
    {"flow_sealed", Terminal, 409},
    {"flow_not_cancelled", Terminal, 409},
    {"group_already_terminal", Terminal, 409},
    {"mutation_conflict", Terminal, 409},
    {"downstream_terminal", Terminal, 409},
    {"deps_still_impossible", Terminal, 409},
    {"budget_attach_conflict", Terminal, 409},
    {"quota_attach_conflict", Terminal, 409},
    {"rotation_conflict", Terminal, 409},
    {"rotation_timeout", Retryable, 504},
    {"schedule_already_exists", Terminal, 409},
    {"stale_schedule_revision", Retryable, 409},
    {"lane_not_accepting", Terminal, 409},
    {"lane_in_use", Terminal, 409},
    {"duplicate_worker_instance", Terminal, 409},
    {"use_claim_resumed_execution", Retryable, 409},
    {"not_a_resumed_execution", Retryable, 409},
    {"execution_not_leaseable", Retryable, 409},
    {"lease_conflict", Retryable, 409},
    {"invalid_claim_grant", Retryable, 409},
    {"claim_grant_expired", Retryable, 409},
    {"no_eligible_execution", Retryable, 409},
    {"waitpoint_pending_use_buffer_script", Retryable, 409},
    {"waitpoint_active_use_deliver_script", Retryable, 409},
    {"stale_graph_revision", Retryable, 409},
    {"capability_mismatch", Retryable, 409},
    {"worker_at_capacity", Retryable, 409},
    {"rate_limit_exceeded", Retryable, 429},
    {"concurrency_limit_exceeded", Retryable, 429},
    {"hmac_secret_not_initialized", Retryable, 503},
    {"budget_exceeded", Cooperative, 409},
    {"budget_soft_exceeded", Informational, 409},
    {"execution_not_suspended", Informational, 409},
    {"already_suspended", Informational, 409},
    {"already_satisfied", Informational, 409},
    {"waitpoint_closed", Informational, 409},
    {"duplicate_signal", Informational, 409},
    {"execution_not_eligible", Informational, 409},
    {"execution_not_in_eligible_set", Informational, 409},
    {"grant_already_exists", Informational, 409},
    {"execution_not_reclaimable", Informational, 409},
    {"ok_already_applied", Informational, 409},
    {"attempt_already_terminal", Informational, 409},
    {"stream_already_closed", Informational, 409},
    {"waitpoint_already_exists", Informational, 409},
    {"waitpoint_not_open", Informational, 409},
    {"waitpoint_not_pending", Informational, 409},
    {"pending_waitpoint_expired", Informational, 409},
    {"not_blocked_by_deps", Informational, 409},
    {"deps_not_satisfied", Informational, 409},
    {"invalid_secret", Terminal, 500},
    {"invalid_keys_missing_hmac", Terminal, 500},
    {"active_attempt_exists", Bug, 500},
    {"attempt_not_in_created_state", Bug, 500},
    {"invariant_violation", Bug, 500},
    {"corruption", Bug, 500},
    // Failures of the server, the boot and the client libraries rather than of a function. The
    // class of the storage failures is that of their transport kind, which whoever makes them
    // knows; here stands the cautious one.
    {"not_found", Terminal, 404},
    {"method_not_allowed", Terminal, 405},
    {"unsupported_media_type", Terminal, 415},
    {"uri_too_long", Terminal, 414},
    {"headers_too_large", Terminal, 431},
    {"too_many_requests", Retryable, 429},
    {"shutting_down", Retryable, 503},
    {"store_full", Retryable, 503},
    {"storage_error", Terminal, 500},
    {"library_load", Terminal, 500},
    {"library_version_mismatch", Terminal, 500},
    {"store_version_too_low", Terminal, 500},
    {"parse_error", Terminal, 500},
    {"internal", Terminal, 500},
    {"config", Terminal, 500},
    {"http", Terminal, 500},
    {"api", Terminal, 500},
};

constexpr int kServiceUnavailable = 503;
constexpr std::string_view kStepLimit = "step_limit_exceeded";
constexpr std::string_view kCallLimit = "call_limit_exceeded";

/// Details: the limit, its value, the step that passes it.
std::string step_limit_sentence(const std::vector<std::string>& detail) {
    if (detail.size() < 3) return {};
    const std::string step = "step \"" + detail[2] + "\"";
    if (detail[0] == "bytes_per_step") {
        return step + " holds more than the " + detail[1] +
               " bytes of one step: keep the value elsewhere and record where it is";
    }
    if (detail[0] == "steps_per_execution") {
        return step + " would be one more than the " + detail[1] +
               " steps that an execution may have: record fewer, or begin another execution";
    }
    return "with " + step + " the steps of this execution would hold more than " + detail[1] +
           " bytes: record less, or create it with a larger max_steps_bytes in its policy";
}

std::string call_limit_sentence(const std::vector<std::string>& detail) {
    if (detail.size() < 2) return {};
    if (detail[0] == "live_children") {
        return "more than " + detail[1] +
               " called children would be under way below one execution: call fewer at a time";
    }
    return "an execution may call " + detail[1] +
           " children: put several pieces of work into one child, or begin another execution";
}

std::string sentence_of(std::string_view code, const std::vector<std::string>& detail) {
    if (code == kStepLimit) return step_limit_sentence(detail);
    if (code == kCallLimit) return call_limit_sentence(detail);
    return {};
}

/// The catalogue ordered by code, computed when this file is compiled.
constexpr auto kByCode = [] {
    std::array<ErrorInfo, std::size(kCatalogue)> sorted{};
    std::copy(std::begin(kCatalogue), std::end(kCatalogue), sorted.begin());
    std::sort(sorted.begin(), sorted.end(),
              [](const ErrorInfo& a, const ErrorInfo& b) { return a.code < b.code; });
    return sorted;
}();

}  // namespace

std::span<const ErrorInfo> error_catalogue() {
    return kCatalogue;
}

ErrorInfo lookup_error(std::string_view code) {
    const std::string_view stem = code.substr(0, code.find(':'));
    const auto* const found =
        std::lower_bound(kByCode.begin(), kByCode.end(), stem,
                         [](const ErrorInfo& row, std::string_view key) { return row.code < key; });
    if (found == kByCode.end() || found->code != stem) return ErrorInfo{};
    return *found;
}

Error make_error(std::string_view code, std::vector<std::string> detail) {
    std::string message = sentence_of(code, detail);
    return Error{.code = std::string(code),
                 .cls = lookup_error(code).cls,
                 .detail = std::move(detail),
                 .message = std::move(message)};
}

int http_status_of(const Error& error) {
    const bool by_transport = error.code == "storage_error" || error.code == "library_load";
    if (by_transport && error.cls == ErrorClass::Retryable) return kServiceUnavailable;
    return lookup_error(error.code).http_status;
}

}  // namespace ff::model
