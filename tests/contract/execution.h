#pragma once

#include <string>
#include <string_view>

#include "contract/contract.h"

namespace ff::contract {

/// The arguments of ff_create_execution that a test may want to change.
struct CreateArgs {
    std::string ns = "ns";
    std::string lane = "lane";
    std::string kind = "kind";
    std::string priority{};
    std::string policy{};
    std::string payload = "in";
    std::string delay_until{};
    std::string dedup_ttl_ms{};
    std::string tags{};
    std::string deadline{};
    std::string encoding{};
    std::string hold{};
    std::string idempotency_key{};
};

struct ClaimArgs {
    std::string worker = "w1";
    /// Empty: `<worker>-1`.
    std::string instance{};
    std::string lane = "lane";
    std::string ttl_ms = "30000";
    std::string renew_before_ms{};
    std::string attempt_policy{};
    std::string timeout_ms{};
    std::string deadline{};
    /// Empty: new ones.
    std::string lease_id{};
    std::string attempt_id{};
    std::string default_max_reclaims{};
};

struct FailArgs {
    std::string reason = "boom";
    std::string category = "transient";
    std::string retry_policy{};
    std::string source{};
    std::string retry_policy_source{};
    std::string fallback_to{};
};

/// One execution and the lease last taken on it. Calls the functions with the KEYS of chapter 02.
class Execution {
  public:
    Execution(Host& host, std::string tag);
    Execution(Host& host, std::string tag, std::string_view uuid);

    const std::string& id() const { return id_; }
    const std::string& lane() const { return lane_; }
    std::string lease_id{};
    std::string attempt_id{};
    std::string epoch{};

    /// `ff:exec:<tag>:<id>:<suffix>`.
    std::string key(std::string_view suffix) const;
    std::string attempt_key(int index, std::string_view suffix = "") const;
    std::string stream_key(int index, std::string_view suffix = "") const;
    std::string lane_key(std::string_view name) const;
    std::string index_key(std::string_view name) const;
    std::string worker_key(std::string_view instance) const;

    std::string core(std::string_view field) const;
    std::string attempt(int index, std::string_view field) const;
    void set_core(std::string_view field, std::string_view value) const;

    RespValue create(const CreateArgs& args = {});
    /// Writes a claim grant as its issuer would; nothing where there is no execution.
    void grant(std::string_view worker = "w1", std::int64_t ttl_ms = 60'000) const;
    RespValue claim(const ClaimArgs& args = {});
    RespValue claim_resumed(const ClaimArgs& args = {});
    RespValue reclaim(const ClaimArgs& args = {});
    /// Grant and claim in one; the reply of the claim.
    RespValue take(const ClaimArgs& args = {});
    RespValue take_resumed(const ClaimArgs& args = {});
    RespValue take_over(const ClaimArgs& args = {});

    RespValue complete(std::string_view result = "out", std::string_view source = "") const;
    RespValue fail(const FailArgs& args = {}) const;
    RespValue cancel(std::string_view reason = "stop", std::string_view source = "") const;
    RespValue cancel_fenced(std::string_view source = "worker") const;
    RespValue delay(std::string_view until, std::string_view source = "") const;
    /// ff_delay_execution of an attempt that was not begun.
    RespValue give_back(std::string_view until = "+0", std::string_view unbegun = "1") const;
    RespValue wait_for_children(std::string_view resolve_empty = "") const;
    RespValue expire(std::string_view reason = "", std::string_view if_due = "") const;
    RespValue renew(std::string_view ttl_ms = "30000", std::string_view attempt_index = "0",
                    std::string_view record = "") const;
    RespValue mark_expired() const;
    RespValue revoke(std::string_view expected = "", std::string_view reason = "") const;
    RespValue progress(const List& more = {}) const;
    RespValue change_priority(std::string_view priority) const;
    RespValue promote(std::string_view now_ms = "") const;
    RespValue replay(std::string_view reason = "", std::string_view requested_by = "") const;
    RespValue set_tags(const List& args) const;
    RespValue reconcile(std::string_view mode = "") const;
    RespValue purge(std::string_view default_retention_ms = "0",
                    std::string_view max_keys = "") const;

    /// Makes the lease lapse now and marks it: L9 to L10.
    void lose_lease() const;
    /// The lane and partition indexes that hold it, by short name.
    List memberships() const;
    /// The events of its lease history, as far as there is one.
    List lease_events() const;
    /// phase ownership eligibility reason outcome attempt_state public_state.
    List vector() const;

    // KEYS of each function, for tests that change one of them.
    List create_keys() const;
    List claim_keys() const;
    List complete_keys() const;
    List fail_keys() const;
    List cancel_keys() const;
    List delay_keys() const;
    List waiting_children_keys() const;
    List reclaim_keys() const;
    List expire_keys() const;
    List renew_keys() const;
    List mark_keys() const;
    List revoke_keys() const;
    List resumed_keys() const;
    List create_args(const CreateArgs& args) const;

  private:
    RespValue remember(RespValue reply);

    Host* host_;
    std::string tag_;
    std::string id_;
    std::string lane_ = "lane";
};

/// A contract test about executions.
class ExecutionContract : public Contract {
  protected:
    Execution execution() const { return Execution(host(), tag()); }
    /// A new one, created with these arguments.
    Execution created(const CreateArgs& args = {}) const;
    /// Created, granted and claimed.
    Execution active(const ClaimArgs& claim = {}, const CreateArgs& create = {}) const;
};

// The legal vectors a test may expect, as Execution::vector gives them.
List vector_l1(std::string_view attempt_state = "pending_first_attempt");
List vector_l2(std::string_view reason, std::string_view attempt_state = "pending_first_attempt");
List vector_l3(std::string_view attempt_state = "pending_first_attempt");
List vector_l9();
List vector_l10();
List vector_l11();
List vector_terminal(std::string_view outcome, std::string_view attempt_state = "attempt_terminal");

}  // namespace ff::contract
