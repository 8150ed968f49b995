#include "model/function_catalogue.h"

#include <algorithm>
#include <iterator>

namespace ff::model {
namespace {

using enum Resend;
using enum Promise;

constexpr FunctionInfo kFunctions[] = {
    {"ff_version", "0", "0", Yes, "", true, None, ""},
    {"ff_library_info", "0", "0", Yes, "", true, None, ""},
    {"ff_create_execution", "1 or 8", "13+3", Yes, "", false, Created, ""},
    {"ff_claim_execution", "1 or 14", "12", Yes, "same ids", false, Leased, ""},
    {"ff_complete_execution", "1 or 12", "5+3, +3s", Conditional, "fenced", false, AsTold, ""},
    {"ff_fail_execution", "1 or 12", "7+4, +3s", Conditional, "fenced", false, AsTold, ""},
    {"ff_cancel_execution", "1 or 21", "3+3", Conditional, "fenced", false, AsTold, ""},
    {"ff_delay_execution", "1 or 9", "5+3, +3s", Conditional, "fenced", false, Core, ""},
    {"ff_move_to_waiting_children", "1 or 9", "4+3, +3s", Conditional, "fenced", false, Core, ""},
    {"ff_reclaim_execution", "1 or 14", "8+2", Yes, "same ids", false, Leased, ""},
    {"ff_expire_execution", "1 or 14", "1+2", Conditional, "if_due", false, AsTold, ""},
    {"ff_set_execution_tags", "1 or 2", "pairs", No, "", false, Key, ""},
    {"ff_record_steps", "1 or 2", "8+3n", Yes, "", false, Core, ""},
    {"ff_read_steps", "1 or 2", "1+3", Yes, "", true, None, ""},
    {"ff_call_children", "1 or 2", "14+8n, +1+3s", Yes, "", false, Core, ""},
    {"ff_read_children", "1 or 2", "1+3", Yes, "", true, None, ""},
    {"ff_renew_lease", "1 or 4", "7+1", Yes, "", false, Core, ""},
    {"ff_mark_lease_expired_if_due", "1 or 4", "1", Yes, "", false, Core, ""},
    {"ff_revoke_lease", "1 or 5", "1+2", No, "", false, Core, ""},
    {"ff_update_progress", "1", "3+6", Conditional, "usage_seq or usage_dedup_id", false, Core, ""},
    {"ff_change_priority", "1 or 2", "2", No, "", false, Core, ""},
    {"ff_promote_delayed", "1 or 3", "2", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_replay_execution", "1 or 4+(3+N)", "2+(N+3)", No, "", false, Core, ""},
    {"ff_reconcile_execution_index", "1 or 2", "1+1", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_purge_execution", "1 or 3", "2+1", Yes, "", false, None, "removes what it is called for"},
    {"ff_suspend_execution", "1 or 16+2+3k", "17+3+2k+6, +1+3s", Yes, "", false, Suspended, ""},
    {"ff_resume_execution", "1 or 8", "3+2", No, "", false, Core, ""},
    {"ff_create_pending_waitpoint", "1 or 4", "5+9", No, "", false, Key, ""},
    {"ff_expire_suspension", "1 or 12", "1", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_close_waitpoint", "1 or 3", "2", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_deliver_signal", "1 or 14+1", "18+3", Yes, "same signal id", false, Key, ""},
    {"ff_buffer_signal_for_pending_waitpoint", "1 or 9+1", "18+3", Yes, "same signal id", false,
     Key, ""},
    {"ff_claim_resumed_execution", "1 or 11", "8", Yes, "same lease id", false, Leased, ""},
    {"ff_init_waitpoint_hmac_secret", "1", "2", Yes, "", false, Key, ""},
    {"ff_rotate_waitpoint_hmac_secret", "1+1", "3+1", Yes, "", false, Key, ""},
    {"ff_list_waitpoint_hmac_kids", "1", "0", Yes, "", true, None, ""},
    {"ff_remint_waitpoint_token", "1 or 2", "2", Yes, "", false, Key, ""},
    {"ff_create_approval_link", "1", "5+1", Yes, "same digest", false, Key, ""},
    {"ff_revoke_approval_links", "1", "2+1", Yes, "", false, Key, ""},
    {"ff_read_approval_link", "1", "4", Yes, "", true, None, ""},
    {"ff_answer_approval_link", "1", "7+1", Yes, "same signal id", false, Key, ""},
    {"ff_append_frame", "1 or 3+2", "13+8", Conditional, "seq", false, Key, ""},
    {"ff_append_frames", "1 or 3+2", "15+6n", Conditional, "seq", false, Key, ""},
    {"ff_append_system_frame", "1 or 4", "10", No, "", false, Key, ""},
    {"ff_open_stream", "1 or 4", "2", Yes, "", false, Key, ""},
    {"ff_read_attempt_stream", "2+2", "3+3", Yes, "", true, None, ""},
    {"ff_read_summary", "1+1", "0", Yes, "", true, None, ""},
    {"ff_create_flow", "1 or 3+1", "3+4", Yes, "", false, Key, ""},
    {"ff_add_execution_to_flow", "1 or 3+1", "3+2", No, "", false, Key, ""},
    {"ff_stage_dependency_edge", "1 or 6", "8+1", No, "", false, Key, ""},
    {"ff_set_edge_group_policy", "2", "4+1", No, "", false, Key, ""},
    {"ff_apply_dependency_to_child", "1 or 7+1", "7", No, "", false, Key, ""},
    {"ff_set_flow_tags", "1 or 2", "pairs", No, "", false, Key, ""},
    {"ff_seal_flow", "1", "1+1", Yes, "", false, Key, ""},
    {"ff_submit_flow", "1 or 6", "5+n", Yes, "", false, Key, ""},
    {"ff_resolve_dependency", "1 or 11+3", "3+3", Yes, "", false, None,
     "acts on members that its reply only counts"},
    {"ff_cascade_completion", "1 or 3", "2+2", Yes, "", false, None,
     "acts on members that its reply only counts"},
    {"ff_reconcile_dependencies", "1", "1+1", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_evaluate_flow_eligibility", "1 or 2", "0", Yes, "", true, None, ""},
    {"ff_promote_blocked_to_eligible", "1 or 5", "2", No, "", false, Core, ""},
    {"ff_drain_sibling_cancel_group", "1 or 2", "2+1", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_reconcile_sibling_cancel_group", "1 or 2", "2", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_cancel_flow", "1 or 3+2", "4+1", No, "", false, Key, ""},
    {"ff_ack_cancel_member", "1 or 2", "2", Yes, "", false, None, "removes what it is called for"},
    {"ff_cancel_flow_members", "1 or 3", "1+2", Yes, "", false, None,
     "acts on members that its reply only counts"},
    {"ff_replay_subgraph", "1 or 2", "2+2", No, "", false, Key, ""},
    {"ff_project_flow_summary", "1 or 4", "1+1", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_purge_flow", "1 or 4", "2+1", Yes, "", false, None, "removes what it is called for"},
    {"ff_create_budget", "5", "9+3N, +1", Yes, "", false, Key, ""},
    {"ff_report_usage_and_check", "3", "2+2N, +1", Conditional, "dedup key", false, Counted, ""},
    {"ff_record_spend", "5", "4+2N, +2", Conditional, "dedup key", false, Counted, ""},
    {"ff_release_budget", "3+1", "2", No, "", false, None, "removes what it is called for"},
    {"ff_reset_budget", "3", "2+1", Conditional, "expected score", false, Key, ""},
    {"ff_update_budget", "3", "5+3N, +3", No, "", false, Key, ""},
    {"ff_get_budget", "3", "0", Yes, "", true, None, ""},
    {"ff_create_quota_policy", "5", "5+4", Yes, "", false, Key, ""},
    {"ff_update_quota_policy", "1", "8+1", No, "", false, Key, ""},
    {"ff_attach_quota_policy", "1", "3", Yes, "", false, Key, ""},
    {"ff_check_admission_and_record", "5", "6", No, "", false, None, "may admit nobody"},
    {"ff_release_admission", "3+1", "1+1", No, "", false, None, "removes what it is called for"},
    {"ff_admit_batch", "4", "2+n, +n", No, "", false, None, "may admit nobody"},
    {"ff_release_admission_batch", "4", "2+n, +n", Yes, "", false, None,
     "removes what it is called for"},
    {"ff_reconcile_quota", "4", "2+n, +n", Yes, "", false, None,
     "finds, repairs or leaves alone, as its word says"},
    {"ff_void_admission", "1", "2", No, "", false, None, "finds nothing to void, as its word says"},
    {"ff_block_execution_for_admission", "1 or 3", "4+1", No, "", false, Core, ""},
    {"ff_unblock_execution", "1 or 3", "3+1", Yes, "", false, Core, ""},
    {"ff_unblock_batch", "1 or 2", "5", Yes, "", false, None,
     "acts on members that its reply only counts"},
    {"ff_issue_claim_grant", "1 or 3", "8+3", No, "", false, Key, ""},
    {"ff_issue_reclaim_grant", "1 or 3", "8+3", No, "", false, Key, ""},
    {"ff_issue_grant_and_claim", "1 or 11", "11", Yes, "same lease id", false, Leased, ""},
    {"ff_claim_batch", "1 or 8", "19+2M+2N, +2", Conditional, "request_id", false, LeasedEach, ""},
    {"ff_index_kinds", "1 or 2", "1", Yes, "", false, None, "may find all sorted in"},
    {"ff_complete_and_claim", "1 or 8", "1+6C, +claim", Conditional, "request_id", false,
     EndedAndLeasedEach, ""},
    {"ff_create_batch", "1 or 3", "2+n*stride", Yes, "", false, CreatedEach, ""},
    {"ff_register_worker", "3", "6+3", Yes, "same boot id", false, Key, ""},
    {"ff_heartbeat_worker", "2", "1+1", Yes, "", false, None, "writes only if it is registered"},
    {"ff_mark_worker_dead", "3+1", "3+1", No, "", false, None, "removes what it is called for"},
    {"ff_list_workers", "1", "2", Yes, "", false, None, "forgets who is gone while it reads"},
    {"ff_set_lane", "1", "1+2n", No, "", false, Key, ""},
    {"ff_delete_lane", "1", "1", Yes, "", false, None, "removes what it is called for"},
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
