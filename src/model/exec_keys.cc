#include "model/exec_keys.h"

namespace ff::model {

ExecKeys::ExecKeys(const ExecutionId& id) : tag_(id.partition().tag()), eid_(id.to_string()) {}

std::string ExecKeys::of_execution(std::string_view suffix) const {
    return concat({"ff:exec:", tag_, ":", eid_, suffix});
}

std::string ExecKeys::of_attempt(std::string_view kind, AttemptIndex index,
                                 std::string_view suffix) const {
    return concat({kind, tag_, ":", eid_, ":", index.to_string(), suffix});
}

std::string ExecKeys::of_partition(std::string_view kind, std::string_view rest,
                                   std::string_view suffix) const {
    return concat({kind, tag_, ":", rest, suffix});
}

std::string ExecKeys::core() const {
    return of_execution(":core");
}
std::string ExecKeys::payload() const {
    return of_execution(":payload");
}
std::string ExecKeys::result() const {
    return of_execution(":result");
}
std::string ExecKeys::policy() const {
    return of_execution(":policy");
}
std::string ExecKeys::tags() const {
    return of_execution(":tags");
}
std::string ExecKeys::lease_current() const {
    return of_execution(":lease:current");
}
std::string ExecKeys::lease_history() const {
    return of_execution(":lease:history");
}
std::string ExecKeys::claim_grant() const {
    return of_execution(":claim_grant");
}
std::string ExecKeys::attempts() const {
    return of_execution(":attempts");
}

std::string ExecKeys::attempt(AttemptIndex index) const {
    return of_attempt("ff:attempt:", index, "");
}
std::string ExecKeys::attempt_usage(AttemptIndex index) const {
    return of_attempt("ff:attempt:", index, ":usage");
}
std::string ExecKeys::attempt_policy(AttemptIndex index) const {
    return of_attempt("ff:attempt:", index, ":policy");
}
std::string ExecKeys::attempt_summary(AttemptIndex index) const {
    return of_attempt("ff:attempt:", index, ":summary");
}

std::string ExecKeys::stream(AttemptIndex index) const {
    return of_attempt("ff:stream:", index, "");
}
std::string ExecKeys::stream_live(AttemptIndex index) const {
    return of_attempt("ff:stream:", index, ":live");
}
std::string ExecKeys::stream_meta(AttemptIndex index) const {
    return of_attempt("ff:stream:", index, ":meta");
}

std::string ExecKeys::suspension_current() const {
    return of_execution(":suspension:current");
}
std::string ExecKeys::satisfied_set() const {
    return of_execution(":suspension:current:satisfied_set");
}
std::string ExecKeys::satisfied_signals() const {
    return of_execution(":suspension:current:satisfied_set:signals");
}
std::string ExecKeys::member_map() const {
    return of_execution(":suspension:current:member_map");
}
std::string ExecKeys::waitpoints() const {
    return of_execution(":waitpoints");
}
std::string ExecKeys::waitpoint(const WaitpointId& id) const {
    return of_partition("ff:wp:", id.to_string());
}
std::string ExecKeys::waitpoint_signals(const WaitpointId& id) const {
    return of_partition("ff:wp:", id.to_string(), ":signals");
}
std::string ExecKeys::waitpoint_condition(const WaitpointId& id) const {
    return of_partition("ff:wp:", id.to_string(), ":condition");
}
std::string ExecKeys::signal(const SignalId& id) const {
    return of_partition("ff:signal:", id.to_string());
}
std::string ExecKeys::signal_payload(const SignalId& id) const {
    return of_partition("ff:signal:", id.to_string(), ":payload");
}
std::string ExecKeys::signals() const {
    return of_execution(":signals");
}
std::string ExecKeys::signal_dedup(const WaitpointId& id, const IdempotencyKey& key) const {
    return concat({"ff:sigdedup:", tag_, ":", id.to_string(), ":", key.text()});
}
std::string ExecKeys::suspend_dedup(const IdempotencyKey& key) const {
    return concat({"ff:dedup:suspend:", tag_, ":", eid_, ":", key.text()});
}

std::string ExecKeys::deps_meta() const {
    return of_execution(":deps:meta");
}
std::string ExecKeys::dep(const EdgeId& id) const {
    return concat({"ff:exec:", tag_, ":", eid_, ":dep:", id.to_string()});
}
std::string ExecKeys::deps_unresolved() const {
    return of_execution(":deps:unresolved");
}
std::string ExecKeys::deps_all_edges() const {
    return of_execution(":deps:all_edges");
}
std::string ExecKeys::inputs() const {
    return of_execution(":inputs");
}
std::string ExecKeys::input(std::string_view name) const {
    return concat({"ff:exec:", tag_, ":", eid_, ":input:", name});
}

std::string ExecKeys::idempotency(const Namespace& ns, const IdempotencyKey& key) const {
    return concat({"ff:idem:", tag_, ":", ns.text(), ":", key.text()});
}
std::string ExecKeys::waitpoint_key(const WaitpointKey& key) const {
    return of_partition("ff:wpkey:", key.text());
}

}  // namespace ff::model
