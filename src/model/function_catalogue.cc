#include "model/function_catalogue.h"

#include <algorithm>
#include <iterator>

namespace ff::model {
namespace {

using enum Resend;

constexpr FunctionInfo kFunctions[] = {
    {"ff_version", "0", "0", Yes, "", true},
    {"ff_library_info", "0", "0", Yes, "", true},
    {"ff_create_execution", "8", "13+3", Yes, "", false},
    {"ff_claim_execution", "14", "12", Yes, "same ids", false},
    {"ff_complete_execution", "12", "5+2", Conditional, "fenced", false},
    {"ff_fail_execution", "12", "7+3", Conditional, "fenced", false},
    {"ff_cancel_execution", "21", "3+3", Conditional, "fenced", false},
    {"ff_delay_execution", "9", "5+2", Conditional, "fenced", false},
    {"ff_move_to_waiting_children", "9", "4+2", Conditional, "fenced", false},
    {"ff_reclaim_execution", "14", "8+2", Yes, "same ids", false},
    {"ff_expire_execution", "14", "1+2", Conditional, "if_due", false},
    {"ff_set_execution_tags", "2", "pairs", No, "", false},
    {"ff_renew_lease", "4", "7+1", Yes, "", false},
    {"ff_mark_lease_expired_if_due", "4", "1", Yes, "", false},
    {"ff_revoke_lease", "5", "1+2", No, "", false},
    {"ff_update_progress", "1", "3+6", Conditional, "usage_seq or usage_dedup_id", false},
    {"ff_change_priority", "2", "2", No, "", false},
    {"ff_promote_delayed", "3", "2", Yes, "", false},
    {"ff_replay_execution", "4+(3+N)", "2+(N+2)", No, "", false},
    {"ff_reconcile_execution_index", "2", "1+1", Yes, "", false},
    {"ff_purge_execution", "3", "2+1", Yes, "", false},
    {"ff_suspend_execution", "16+2+3k", "17+3+2k", Yes, "", false},
    {"ff_resume_execution", "8", "3+2", No, "", false},
    {"ff_create_pending_waitpoint", "4", "5+3", No, "", false},
    {"ff_expire_suspension", "12", "1", Yes, "", false},
    {"ff_close_waitpoint", "3", "2", Yes, "", false},
    {"ff_deliver_signal", "14+1", "18+3", Yes, "same signal id", false},
    {"ff_buffer_signal_for_pending_waitpoint", "9+1", "18+3", Yes, "same signal id", false},
    {"ff_claim_resumed_execution", "11", "8", Yes, "same lease id", false},
    {"ff_init_waitpoint_hmac_secret", "1", "2", Yes, "", false},
    {"ff_rotate_waitpoint_hmac_secret", "1+1", "3+1", Yes, "", false},
    {"ff_list_waitpoint_hmac_kids", "1", "0", Yes, "", true},
    {"ff_remint_waitpoint_token", "2", "2", Yes, "", false},
    {"ff_append_frame", "3+2", "13+8", Conditional, "seq", false},
    {"ff_append_frames", "3+2", "15+6n", Conditional, "seq", false},
    {"ff_append_system_frame", "4", "10", No, "", false},
    {"ff_open_stream", "4", "2", Yes, "", false},
    {"ff_read_attempt_stream", "2+2", "3+3", Yes, "", true},
    {"ff_read_summary", "1+1", "0", Yes, "", true},
    {"ff_create_flow", "3+1", "3+4", Yes, "", false},
    {"ff_add_execution_to_flow", "3+1", "3+2", No, "", false},
    {"ff_stage_dependency_edge", "6", "8+1", No, "", false},
    {"ff_set_edge_group_policy", "2", "4+1", No, "", false},
    {"ff_apply_dependency_to_child", "7+1", "7", No, "", false},
    {"ff_set_flow_tags", "2", "pairs", No, "", false},
    {"ff_seal_flow", "1", "1+1", Yes, "", false},
    {"ff_submit_flow", "6", "5+n", Yes, "", false},
    {"ff_resolve_dependency", "11+3", "3+3", Yes, "", false},
    {"ff_cascade_completion", "3", "2+2", Yes, "", false},
    {"ff_reconcile_dependencies", "1", "1+1", Yes, "", false},
    {"ff_evaluate_flow_eligibility", "2", "0", Yes, "", true},
    {"ff_promote_blocked_to_eligible", "5", "2", No, "", false},
    {"ff_drain_sibling_cancel_group", "2", "2+1", Yes, "", false},
    {"ff_reconcile_sibling_cancel_group", "2", "2", Yes, "", false},
    {"ff_cancel_flow", "3+2", "4+1", No, "", false},
    {"ff_ack_cancel_member", "2", "2", Yes, "", false},
    {"ff_cancel_flow_members", "3", "1+2", Yes, "", false},
    {"ff_replay_subgraph", "2", "2+1", No, "", false},
    {"ff_project_flow_summary", "4", "1+1", Yes, "", false},
    {"ff_purge_flow", "4", "2+1", Yes, "", false},
    {"ff_create_budget", "5", "9+3N, +1", Yes, "", false},
    {"ff_report_usage_and_check", "3", "2+2N, +1", Conditional, "dedup key", false},
    {"ff_record_spend", "5", "4+2N, +2", Conditional, "dedup key", false},
    {"ff_release_budget", "3+1", "2", No, "", false},
    {"ff_reset_budget", "3", "2+1", Conditional, "expected score", false},
    {"ff_update_budget", "3", "5+3N, +3", No, "", false},
    {"ff_get_budget", "3", "0", Yes, "", true},
    {"ff_create_quota_policy", "5", "5+4", Yes, "", false},
    {"ff_update_quota_policy", "1", "8+1", No, "", false},
    {"ff_attach_quota_policy", "1", "3", Yes, "", false},
    {"ff_check_admission_and_record", "5", "6", No, "", false},
    {"ff_release_admission", "3+1", "1+1", No, "", false},
    {"ff_admit_batch", "4", "2+n", No, "", false},
    {"ff_release_admission_batch", "4", "2+n", Yes, "", false},
    {"ff_reconcile_quota", "4", "2+n", Yes, "", false},
    {"ff_block_execution_for_admission", "3", "4+1", No, "", false},
    {"ff_unblock_execution", "3", "3+1", Yes, "", false},
    {"ff_unblock_batch", "2", "5", Yes, "", false},
    {"ff_issue_claim_grant", "3", "8+2", No, "", false},
    {"ff_issue_reclaim_grant", "3", "8+3", No, "", false},
    {"ff_issue_grant_and_claim", "11", "11", Yes, "same lease id", false},
    {"ff_claim_batch", "8", "19+2M+2N", Conditional, "request_id", false},
    {"ff_complete_and_claim", "8", "1+6C, +claim", Conditional, "request_id", false},
    {"ff_create_batch", "3", "2+n*stride", Yes, "", false},
    {"ff_register_worker", "3", "6+3", Yes, "same boot id", false},
    {"ff_heartbeat_worker", "2", "1+1", Yes, "", false},
    {"ff_mark_worker_dead", "3+1", "3+1", No, "", false},
    {"ff_list_workers", "1", "2", Yes, "", false},
    {"ff_set_lane", "1", "1+2n", No, "", false},
    {"ff_delete_lane", "1", "1", Yes, "", false},
};

/// The number a count begins with; a count without one (`pairs`) has no fixed part.
std::size_t leading_number(std::string_view count) {
    std::size_t value = 0;
    for (const char c : count) {
        if (c < '0' || c > '9') break;
        value = value * 10 + static_cast<std::size_t>(c - '0');
    }
    return value;
}

}  // namespace

std::string_view to_string(Resend resend) {
    switch (resend) {
        case No:
            return "no";
        case Conditional:
            return "conditional";
        case Yes:
            return "yes";
    }
    return "no";
}

std::size_t FunctionInfo::base_keys() const {
    return leading_number(keys);
}

std::size_t FunctionInfo::base_argv() const {
    return leading_number(argv);
}

std::span<const FunctionInfo> function_catalogue() {
    return kFunctions;
}

const FunctionInfo* find_function(std::string_view name) {
    const auto* const found =
        std::find_if(std::begin(kFunctions), std::end(kFunctions),
                     [&](const FunctionInfo& function) { return function.name == name; });
    return found == std::end(kFunctions) ? nullptr : found;
}

}  // namespace ff::model
