#pragma once

#include <string>
#include <string_view>

#include "model/execution_id.h"
#include "model/ids.h"
#include "model/key_text.h"

namespace ff::model {

/// Names of the keys of one execution. Builders concatenate and cannot fail: whatever went into
/// the ids was checked where it entered.
class ExecKeys {
  public:
    explicit ExecKeys(const ExecutionId& id);

    /// `{fp:N}`.
    const std::string& tag() const { return tag_; }
    /// The id as text, as it stands in keys and indexes.
    const std::string& id() const { return eid_; }

    std::string core() const;
    std::string payload() const;
    std::string result() const;
    std::string policy() const;
    std::string tags() const;
    std::string lease_current() const;
    std::string lease_history() const;
    std::string claim_grant() const;
    std::string attempts() const;

    std::string attempt(AttemptIndex index) const;
    std::string attempt_usage(AttemptIndex index) const;
    std::string attempt_policy(AttemptIndex index) const;
    std::string attempt_summary(AttemptIndex index) const;

    std::string stream(AttemptIndex index) const;
    std::string stream_live(AttemptIndex index) const;
    std::string stream_meta(AttemptIndex index) const;

    std::string suspension_current() const;
    std::string satisfied_set() const;
    std::string satisfied_signals() const;
    std::string member_map() const;
    std::string waitpoints() const;
    std::string waitpoint(const WaitpointId& id) const;
    std::string waitpoint_signals(const WaitpointId& id) const;
    std::string waitpoint_condition(const WaitpointId& id) const;
    std::string signal(const SignalId& id) const;
    std::string signal_payload(const SignalId& id) const;
    std::string signals() const;
    std::string signal_dedup(const WaitpointId& id, const IdempotencyKey& key) const;
    std::string suspend_dedup(const IdempotencyKey& key) const;

    std::string deps_meta() const;
    std::string dep(const EdgeId& id) const;
    std::string deps_unresolved() const;
    std::string deps_all_edges() const;
    std::string inputs() const;
    std::string input(std::string_view name) const;

    std::string idempotency(const Namespace& ns, const IdempotencyKey& key) const;
    /// A reserved name; nothing reads or writes it.
    std::string waitpoint_key(const WaitpointKey& key) const;
    std::string noop() const { return noop_key(tag_); }

  private:
    std::string of_execution(std::string_view suffix) const;
    std::string of_attempt(std::string_view kind, AttemptIndex index,
                           std::string_view suffix) const;
    std::string of_partition(std::string_view kind, std::string_view rest,
                             std::string_view suffix = {}) const;

    std::string tag_;
    std::string eid_;
};

}  // namespace ff::model
