#include "model/error_sentences.h"

#include <algorithm>

namespace ff::model {
namespace {

/// `names`: those of the details in their order, with commas. In the text `{name}` stands for a
/// detail; `{ name}`, `{: name}` and the like stand for nothing where there is no such detail.
struct Row {
    std::string_view code{};
    std::string_view names{};
    std::string_view text{};
};

constexpr Row kRows[] = {
    {"execution_not_found", "execution_id",
     "There is no execution{ execution_id}. It never was, or its retention is over."},
    {"flow_not_found", "flow_id",
     "There is no flow{ flow_id}. It never was, or its retention is over."},
    {"attempt_not_found", "",
     "The execution has no such attempt. List its attempts to see which there are."},
    {"budget_not_found", "budget_id", "There is no budget{ budget_id}."},
    {"quota_policy_not_found", "quota_policy_id", "There is no quota{ quota_policy_id}."},
    {"schedule_not_found", "schedule_id", "There is no schedule{ schedule_id}."},
    {"schedule_already_exists", "schedule_id",
     "There is a schedule{ schedule_id} already, and it says something else. Change it with its "
     "revision, or choose another id."},
    {"stale_schedule_revision", "revision",
     "The schedule was changed meanwhile; its revision is{ revision} now. Read it again and repeat "
     "the change."},
    {"invalid_schedule", "where,why", "The schedule is not valid{ at where}{: why}."},
    {"stream_not_found", "",
     "Nothing was written to this stream yet. It appears with its first frame."},
    {"waitpoint_not_found", "",
     "The execution has no such open waitpoint. List its pending waitpoints to see which there "
     "are."},
    {"link_not_found", "",
     "There is no such approval link. It was cut off, or what it led to is gone."},
    {"no_active_lease", "",
     "Nobody holds the execution now, so there is no lease to do this with."},
    {"invalid_args", "", "The arguments do not fit each other. See which ones the call takes."},
    {"invalid_capabilities", "problem",
     "The capabilities are not valid{: problem}. They are short words without commas, at most 256 "
     "of them."},
    {"invalid_policy_json", "problem", "The policy is not valid{: problem}."},
    {"invalid_tag_key", "key", "This is not a name for a tag{: key}."},
    {"invalid_kid", "",
     "The kid is not valid. It is 1 to 128 printable characters without a colon."},
    {"invalid_secret_hex", "", "The secret is not valid. It is an even number of hex digits."},
    {"invalid_grace_ms", "", "The grace time is not valid. It is a number of milliseconds from 0."},
    {"invalid_blocking_reason", "", "There is no such reason for blocking an execution."},
    {"invalid_budget_scope", "", "There is no such scope for a budget."},
    {"invalid_quota_spec", "problem", "The quota is not valid{: problem}."},
    {"invalid_dependency", "",
     "The dependency is not valid. It leads from one member of the flow to another."},
    {"invalid_waitpoint_for_execution", "",
     "The waitpoint belongs to another execution or attempt."},
    {"invalid_resume_condition", "problem,path",
     "The resume condition is not valid{: problem}{ at path}."},
    {"ambiguous_target", "",
     "It is not clear which waitpoint is meant: none or several are open. Name one by "
     "waitpoint_id."},
    {"invalid_cursor", "", "This is not a cursor of this listing. Begin again without one."},
    {"additional_waitpoint_binding_malformed", "problem",
     "The additional waitpoints do not fit together{: problem}."},
    {"use_pending_with_extras_unsupported", "",
     "use_pending names a waitpoint that is there already, so it takes neither waitpoint_id nor "
     "waitpoint_key."},
    {"partition_mismatch", "",
     "Two records of different partitions were named in one call, or one on a partition that does "
     "not exist."},
    {"execution_not_in_flow", "", "The execution is no member of this flow."},
    {"duplicate_node", "name", "The document names a node twice{: name}."},
    {"data_passing_conflict", "", "Two edges pass data under the same name to one node."},
    {"graph_too_large", "",
     "The graph has too many nodes, edges or bytes. Submit it in parts, by expansion."},
    {"self_referencing_edge", "", "An edge leads from a node to itself."},
    {"cycle_detected", "", "The edges form a cycle, so none of its nodes could ever start."},
    {"invalid_token", "",
     "This credential does not open the waitpoint. It was cut off, belongs to another waitpoint, "
     "or was withdrawn."},
    {"missing_token", "", "A signal must show the token of its waitpoint as waitpoint_token."},
    {"token_expired", "", "The credential is too old. Ask for the waitpoint's current one."},
    {"invalid_waitpoint_key", "",
     "The waitpoint key is not valid. It is 1 to 256 bytes without control characters."},
    {"waitpoint_not_token_bound", "", "The pending waitpoint has no token. Create another one."},
    {"fence_required", "",
     "This call needs proof of the lease: lease id, lease epoch and attempt id, or the task "
     "token."},
    {"partial_fence_triple", "",
     "Lease id, lease epoch and attempt id go together. Send all three, or the task token."},
    {"invalid_frame_type", "", "This is not a type for a frame. It is a short word."},
    {"invalid_offset", "",
     "The position is not one of this stream. Read on from a position that a reply gave."},
    {"payload_too_large", "",
     "The payload is larger than is taken here. Keep it elsewhere and send where it is."},
    {"retention_limit_exceeded", "", "The stream has as many bytes as it may keep."},
    {"flow_too_large", "", "The flow has as many members as it may have."},
    {"unauthorized", "",
     "This server asks for its API token. Send it as Authorization: Bearer <token>."},
    {"foreign_host", "host",
     "This server is not called{ host}. If it is, add the name to FF_ALLOWED_HOSTS."},
    {"foreign_origin", "origin",
     "Pages of{ origin} may not use this server. If they may, add it to FF_CORS_ORIGINS."},
    {"budget_override_not_allowed", "", "The budget does not let anybody override it."},
    {"stale_lease", "",
     "The lease is not the current one any more: the execution was given to another worker. Drop "
     "this task."},
    {"lease_expired", "",
     "The lease ended before this call. Drop this task; another worker takes it over."},
    {"lease_revoked", "", "An operator took the lease back. Drop this task."},
    {"execution_not_active",
     "terminal_outcome,lease_epoch,lifecycle_phase,attempt_id,last_release_op,last_release_lease_"
     "id,delay_until",
     "The execution is not being worked on now: its phase is {lifecycle_phase}, its outcome "
     "{terminal_outcome}. Claim it first, or leave it alone if it has ended."},
    {"stale_owner_cannot_append", "",
     "The stream belongs to a newer attempt or lease. Drop this task."},
    {"stream_closed", "", "The stream is closed: its attempt has ended."},
    {"invalid_lease_for_suspend", "",
     "The lease is for another attempt than the one that should suspend."},
    {"target_not_signalable", "",
     "The execution has ended or goes on already, so the signal changes nothing."},
    {"signal_limit_exceeded", "",
     "The execution, or the waitpoint, has as many signals as it may have."},
    {"link_not_open", "state",
     "The approval link takes no answer any more{: state}. Ask for a new one if there is still "
     "something to answer."},
    {"link_limit_exceeded", "most",
     "The waitpoint has as many approval links as it may have{: most}."},
    {"step_limit_exceeded", "limit,most,step",
     "The execution has as many steps, or as many bytes of them, as it may have."},
    {"call_limit_exceeded", "limit,most",
     "The execution has as many called children as it may have."},
    {"resume_condition_not_met", "",
     "The suspension does not let operators end it. Send the signals it waits for."},
    {"execution_not_terminal", "",
     "The execution has not ended yet. Wait for its end, or cancel it."},
    {"max_replays_exhausted", "",
     "The execution was replayed as often as it may be. Create a new one."},
    {"replay_not_allowed", "", "An execution that ended like this cannot be replayed."},
    {"max_retries_exhausted", "", "All retries are used up."},
    {"not_runnable", "", "The execution is not waiting to run."},
    {"terminal", "", "The execution has ended."},
    {"attempt_not_started", "", "The attempt has not started yet."},
    {"execution_not_eligible_for_attempt", "", "The execution cannot start another attempt now."},
    {"execution_already_in_flow", "", "The execution is a member of this flow already."},
    {"already_member_of_different_flow", "", "The execution is a member of another flow."},
    {"namespace_mismatch", "", "Flow and execution are of different namespaces."},
    {"execution_already_exists", "",
     "There is an execution with this id already, and it is another one."},
    {"dependency_already_exists", "",
     "There is an edge with this id already, and it is another one."},
    {"flow_already_terminal", "", "The flow has ended."},
    {"flow_already_exists", "", "There is a flow with this id already, and it is another one."},
    {"flow_sealed", "", "The flow is sealed: it takes no more members and edges."},
    {"flow_not_cancelled", "", "The flow was not cancelled."},
    {"group_already_terminal", "", "The group of edges is decided already."},
    {"mutation_conflict", "",
     "This mutation_id was used before for something else. Take a new one."},
    {"downstream_terminal", "", "The node at the end of the edge has started or ended already."},
    {"deps_still_impossible", "",
     "The dependencies can still not be fulfilled, so the execution stays skipped."},
    {"budget_attach_conflict", "", "Another budget is attached to this scope."},
    {"quota_attach_conflict", "", "Another quota is attached to this scope."},
    {"rotation_conflict", "kid", "The kid{ kid} is in use with another secret. Take a new kid."},
    {"rotation_timeout", "",
     "The rotation did not reach all partitions in time. Repeat it with the same kid and secret."},
    {"lane_not_accepting", "lane_id",
     "The lane{ lane_id} takes no new work. Activate it, or choose another one."},
    {"lane_in_use", "",
     "The lane still has work or is not disabled. Disable it and let it run empty first."},
    {"duplicate_worker_instance", "",
     "Another live worker has this instance id. Give each process its own."},
    {"use_claim_resumed_execution", "",
     "The execution goes on after a pause. Claim it as a resumed one."},
    {"not_a_resumed_execution", "",
     "The execution is not resumed after a pause. Claim it as a new attempt."},
    {"execution_not_leaseable", "reason",
     "The execution cannot be leased now{: reason}. Try it later."},
    {"lease_conflict", "", "Somebody else got the lease first."},
    {"invalid_claim_grant", "",
     "There is no such grant, or it is another worker's. Ask for a new one."},
    {"claim_grant_expired", "", "The grant was not used in time. Ask for a new one."},
    {"no_eligible_execution", "", "Nothing waits that this worker could do."},
    {"waitpoint_pending_use_buffer_script", "",
     "The waitpoint is not active yet. Let the signal be kept for it."},
    {"waitpoint_active_use_deliver_script", "",
     "The waitpoint is active already. Deliver the signal."},
    {"stale_graph_revision", "",
     "The flow has changed since it was read. Read it again and repeat."},
    {"capability_mismatch", "", "The worker lacks a capability that the execution asks for."},
    {"worker_at_capacity", "", "The worker has as many tasks as it may have."},
    {"rate_limit_exceeded", "retry_after_ms",
     "A quota or a limit of requests lets no more in for now{, for retry_after_ms ms}. Repeat it "
     "later."},
    {"concurrency_limit_exceeded", "", "As many run at a time as may. Repeat it later."},
    {"hmac_secret_not_initialized", "",
     "The store has no secret for waitpoint tokens yet. Repeat it in a moment."},
    {"budget_exceeded", "", "A budget is used up. Stop here; an operator can raise or reset it."},
    {"budget_soft_exceeded", "", "A budget is past its soft limit. Go on, but know it."},
    {"execution_not_suspended", "reason",
     "The execution is not suspended, so there is nothing to resume."},
    {"already_suspended", "", "The execution is suspended already."},
    {"already_satisfied", "", "What was waited for is there already: go on with the work."},
    {"waitpoint_closed", "",
     "The waitpoint takes no signals any more: somebody answered, or its time is over."},
    {"duplicate_signal", "signal_id",
     "A signal with this id went to another waitpoint. Take a new id."},
    {"execution_not_eligible", "", "The execution is not ready to run."},
    {"execution_not_in_eligible_set", "", "The execution does not stand in its lane's queue."},
    {"grant_already_exists", "",
     "Another worker was promised this execution and has a moment to take it."},
    {"execution_not_reclaimable", "",
     "The execution's lease is alive, so it cannot be taken over."},
    {"ok_already_applied", "", "This was done before and counts once."},
    {"attempt_already_terminal", "", "The attempt has ended already."},
    {"stream_already_closed", "", "The stream is closed already."},
    {"waitpoint_already_exists", "", "There is an open waitpoint with this id. Take another id."},
    {"waitpoint_not_open", "", "The waitpoint is not open."},
    {"waitpoint_not_pending", "", "The waitpoint is not pending any more: it was used or closed."},
    {"pending_waitpoint_expired", "",
     "The pending waitpoint was not used in time. Create another one."},
    {"not_blocked_by_deps", "", "The execution does not wait for dependencies."},
    {"deps_not_satisfied", "", "Its dependencies are not fulfilled yet."},
    {"invalid_secret", "", "A stored secret for waitpoint tokens is damaged. Rotate it."},
    {"invalid_keys_missing_hmac", "",
     "The call did not name the secrets. This is a fault of the caller's library."},
    {"active_attempt_exists", "",
     "An attempt is under way where none should be. Please report this."},
    {"attempt_not_in_created_state", "",
     "The attempt is in a state it should not be in. Please report this."},
    {"invariant_violation", "", "A rule of the store does not hold. Please report this."},
    {"corruption", "", "A stored record is damaged. Run flowfabric doctor."},
    {"not_found", "what", "There is no such thing here{: what}."},
    {"method_not_allowed", "method", "This address does not take{ method}."},
    {"unsupported_media_type", "", "Send the body as application/json, with that Content-Type."},
    {"uri_too_long", "", "The address is longer than 8 KiB."},
    {"headers_too_large", "", "The headers are larger than 16 KiB."},
    {"too_many_requests", "pool,size",
     "As many of these requests are under way as may be{ (pool)}. Repeat it in a second."},
    {"shutting_down", "", "The server is stopping. Repeat it in a moment."},
    {"store_full", "",
     "The store has used its memory and takes no new work. Repeat it later, or raise "
     "FF_MEMORY_LIMIT."},
    {"storage_error", "",
     "The store could not be reached or refused. Repeat it if it is retryable, and see the "
     "server's log."},
    {"library_load", "",
     "The function library could not be loaded into the store. See the server's log."},
    {"library_version_mismatch", "expected,found",
     "The store has version {found} of the function library and the server needs {expected}."},
    {"store_version_too_low", "found,required",
     "The store is too old: it is {found} and must be at least {required}."},
    {"parse_error", "", "A stored record does not read as it should. Run flowfabric doctor."},
    {"internal", "", "An internal fault; the server's log has more."},
    {"config", "", "The program is not set up as it must be."},
    {"http", "", "The server could not be reached or did not answer as it should."},
    {"api", "", "The server refused."},
    {"invalid_input", "field,problem", "The request is not valid."},
};

struct Reason {
    std::string_view word{};
    std::string_view text{};
};

/// Why a field was refused, as parsers say it.
constexpr Reason kReasons[] = {
    {"missing", "is missing"},
    {"empty", "is empty"},
    {"unknown", "is not known here"},
    {"not_string", "must be text"},
    {"not_integer", "must be a whole number"},
    {"not_number", "must be a number"},
    {"not_boolean", "must be true or false"},
    {"not_object", "must be an object"},
    {"not_array", "must be a list"},
    {"not_base64", "must be base64"},
    {"too_short", "is too short"},
    {"too_long", "is too long"},
    {"out_of_range", "is out of range"},
    {"given_twice", "is given twice, in two ways"},
    {"repeated", "stands there twice"},
    {"path_mismatch", "is not the one of the address"},
    {"bad_character", "has a character that may not stand there"},
    {"no_colon", "must be name:value"},
    {"needs_namespace", "needs a namespace beside it"},
    {"needs_partition", "needs a partition beside it, and no namespace; go on with cursor instead"},
    {"not_indexed", "cannot be listed by: FF_SECONDARY_INDEXES is off"},
    {"no_media_type", "must be a media type such as text/plain"},
    {"MissingTag", "is no id of an execution; those look like fp.86.<uuid> or {fp:86}:<uuid>"},
    {"InvalidPartitionIndex", "has no valid partition; ids look like fp.86.<uuid>"},
    {"InvalidUuid", "is no UUID"},
    {"partition_out_of_range", "is of a partition that this server does not have"},
};

const Row* row_of(std::string_view code) {
    const auto end = code.find(':');
    const auto found = std::ranges::find(kRows, code.substr(0, end), &Row::code);
    return found == std::end(kRows) ? nullptr : found;
}

/// Which detail has this name; empty if none.
std::string detail_of(const Row& row, const Error& error, std::string_view name) {
    std::string_view names = row.names;
    for (const std::string& detail : error.detail) {
        const auto comma = names.find(',');
        if (!name.empty() && names.substr(0, comma) == name) return detail;
        if (comma == std::string_view::npos) break;
        names.remove_prefix(comma + 1);
    }
    return {};
}

bool is_name(char c) {
    return (c >= 'a' && c <= 'z') || c == '_';
}

/// What stands for a piece in braces: around the name may be other text.
std::string filled(const Row& row, const Error& error, std::string_view piece) {
    std::size_t end = piece.size();
    // The name is the longest run of letters that is one of the names.
    for (std::size_t from = 0; from < piece.size(); ++from) {
        for (end = from; end < piece.size() && is_name(piece[end]);) ++end;
        if (end == from) continue;
        const std::string_view name = piece.substr(from, end - from);
        const bool known =
            ("," + std::string(row.names) + ",").find("," + std::string(name) + ",") !=
            std::string::npos;
        if (!known) {
            from = end;
            continue;
        }
        const std::string value = detail_of(row, error, name);
        if (piece.size() == name.size()) return value.empty() ? "none" : value;
        if (value.empty()) return {};
        return std::string(piece.substr(0, from)) + value + std::string(piece.substr(end));
    }
    return {};
}

std::string fill(const Row& row, const Error& error) {
    std::string out;
    std::string_view rest = row.text;
    for (auto open = rest.find('{'); open != std::string_view::npos; open = rest.find('{')) {
        const auto close = rest.find('}', open);
        out += rest.substr(0, open);
        out += filled(row, error, rest.substr(open + 1, close - open - 1));
        rest.remove_prefix(close + 1);
    }
    return out.append(rest);
}

/// Field and reason of an `invalid_input`. A field may hold colons; a reason holds them behind a
/// bracket or before a space only.
std::pair<std::string, std::string> refused_field(const std::string& detail) {
    const auto within = std::min(detail.find('('), detail.find(": "));
    auto at = within == 0 ? std::string::npos : detail.rfind(':', within - 1);
    if (at == std::string::npos) at = detail.find(':');
    if (at == std::string::npos) return {detail, ""};
    const std::size_t why = detail.find_first_not_of(' ', at + 1);
    return {detail.substr(0, at), why == std::string::npos ? "" : detail.substr(why)};
}

std::string input_sentence(const Error& error) {
    const auto [field, why] = refused_field(error.detail.front());
    if (why.empty()) return field + " is not valid.";
    const auto end = why.find('(');
    const auto known =
        std::ranges::find(kReasons, std::string_view(why).substr(0, end), &Reason::word);
    if (known == std::end(kReasons)) return field + " is not valid: " + why + ".";
    std::string out = field;
    if (end != std::string::npos && why.ends_with(')'))
        out += " '" + why.substr(end + 1, why.size() - end - 2) + "'";
    return out + " " + std::string(known->text) + ".";
}

/// Made from the parts of the error, not written for somebody to read.
bool is_made_up(const Error& error) {
    if (error.message.empty()) return true;
    return error.code == "invalid_input" && !error.detail.empty() &&
           error.message == "invalid input: " + error.detail.front();
}

}  // namespace

std::string sentence_of(const Error& error) {
    if (!is_made_up(error)) return error.message;
    if (error.code == "invalid_input" && !error.detail.empty()) return input_sentence(error);
    const Row* row = row_of(error.code);
    return row == nullptr ? error.text() : fill(*row, error);
}

std::vector<std::pair<std::string_view, std::string>> named_details(const Error& error) {
    std::vector<std::pair<std::string_view, std::string>> named;
    const Row* row = row_of(error.code);
    if (row == nullptr || row->names.empty() || error.detail.empty()) return named;
    if (error.code == "invalid_input") {
        auto [field, why] = refused_field(error.detail.front());
        named.emplace_back("field", std::move(field));
        if (!why.empty()) named.emplace_back("problem", std::move(why));
        return named;
    }
    std::string_view names = row->names;
    for (const std::string& detail : error.detail) {
        const auto comma = names.find(',');
        named.emplace_back(names.substr(0, comma), detail);
        if (comma == std::string_view::npos) break;
        names.remove_prefix(comma + 1);
    }
    return named;
}

}  // namespace ff::model
