#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "contract/execution.h"

namespace ff::contract {

/// A waitpoint as its worker knows it.
struct Waitpoint {
    std::string id{};
    std::string key{};
    std::string token{};
};

/// The arguments of ff_suspend_execution that a test may want to change; empty ids are made up.
struct SuspendArgs {
    std::string condition = R"({"required_signal_names":[]})";
    std::string suspension_id{};
    std::string waitpoint_id{};
    std::string waitpoint_key{};
    std::string reason = "waiting_for_approval";
    std::string timeout_at{};
    std::string behavior{};
    std::string policy{};
    std::string continuation{};
    bool use_pending = false;
    std::string idempotency_key{};
    std::string dedup_ttl_ms{};
    /// Further waitpoints; without a key a pending one is activated.
    std::vector<Waitpoint> additional{};
    std::string attempt_index = "0";
    /// prompt, assignees, form, context, context_type, due_at; empty: not sent.
    List approval{};
};

/// The arguments of the two signal functions; an empty id is made up.
struct SignalArgs {
    std::string id{};
    std::string name = "ok";
    std::string category{};
    std::string source_type = "user";
    std::string source = "alice";
    std::string payload{};
    std::string idempotency_key{};
    std::string correlation_id{};
    std::string dedup_ttl_ms{};
    std::string delay_ms{};
    std::string history_max{};
    std::string signals_max{};
    std::string buffer_if_pending{};
    std::string payload_bytes_max{};
    std::string feed_max{};
};

/// What a suspend call answered.
struct Suspended {
    RespValue reply{};
    std::string id{};
    std::vector<Waitpoint> waitpoints{};
    const Waitpoint& primary() const { return waitpoints.at(0); }
};

/// A contract test about suspensions: its partition has the secret `kSecret` under the kid `k1`.
class SuspensionContract : public ExecutionContract {
  protected:
    static constexpr std::string_view kSecret =
        "000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f";

    SuspensionContract();

    std::string secrets() const { return "ff:sec:" + tag() + ":waitpoint_hmac"; }
    RespValue rotate(std::string_view kid, std::string_view secret, std::string_view grace_ms,
                     const List& more_keys = {}, const List& more_args = {}) const;

    List suspend_keys(const Execution& e, const SuspendArgs& args) const;
    List suspend_args(const Execution& e, const SuspendArgs& args) const;
    /// The bare reply.
    RespValue try_suspend(const Execution& e, SuspendArgs args = {}) const;
    /// Expects the answer to be OK.
    Suspended suspend(const Execution& e, const SuspendArgs& args = {}) const;
    /// A reply to a suspend call, read.
    static Suspended read_suspended(const RespValue& reply);

    List pending_keys(const Execution& e, const std::string& id) const;
    RespValue try_pending(const Execution& e, const std::string& id, const std::string& key,
                          const std::string& expires_at = "+60000") const;
    Waitpoint pending(const Execution& e, std::string key = "",
                      const std::string& expires_at = "+60000") const;

    List signal_args(const Execution& e, const Waitpoint& waitpoint, const SignalArgs& args) const;
    List deliver_keys(const Execution& e, const Waitpoint& waitpoint, const SignalArgs& args) const;
    RespValue deliver(const Execution& e, const Waitpoint& waitpoint,
                      const SignalArgs& args = {}) const;
    RespValue buffer(const Execution& e, const Waitpoint& waitpoint,
                     const SignalArgs& args = {}) const;
    /// Delivers and gives the effect, or the code of the refusal.
    std::string effect(const Execution& e, const Waitpoint& waitpoint,
                       const SignalArgs& args = {}) const;

    /// A link of that id and its digest; gives the bare reply.
    RespValue try_link(const Execution& e, const Waitpoint& waitpoint, const std::string& link_id,
                       const std::string& expires_at = "+60000",
                       const std::string& label = "ann") const;
    RespValue read_link(const Execution& e, const Waitpoint& waitpoint,
                        const std::string& link_id) const;
    /// Empty: all of them.
    RespValue revoke_links(const Execution& e, const Waitpoint& waitpoint,
                           const std::string& link_id = "") const;
    RespValue answer_link(const Execution& e, const Waitpoint& waitpoint,
                          const std::string& link_id, const List& more) const;
    /// What stands for the digest of the secret of that link.
    static std::string digest_of(const std::string& link_id);

    RespValue resume(const Execution& e, std::string_view trigger = "operator",
                     std::string_view delay_ms = "", const List& more = {}) const;
    RespValue expire_suspension(const Execution& e) const;
    /// As the scanner finds it: the time of the open suspension has passed.
    void make_due(const Execution& e) const;
    RespValue close_waitpoint(const Execution& e, const std::string& id,
                              std::string_view reason = "") const;

    std::string waitpoint_key(const std::string& id, std::string_view suffix = "") const;
    std::map<std::string, std::string> waitpoint(const std::string& id) const;
    std::map<std::string, std::string> condition(const std::string& id) const;
    std::map<std::string, std::string> suspension(const Execution& e) const;
    std::map<std::string, std::string> signal(const std::string& id) const;
    /// The entries of this partition's signal feed.
    std::vector<std::map<std::string, std::string>> signal_feed() const;
    /// Ids of `all_satisfier_signals`.
    std::string satisfiers(const Execution& e) const;
};

/// T1, T2 and T3 of chapter 03 section 2.2.
List vector_suspended(std::string_view reason = "waiting_for_approval");
List vector_resumed();
List vector_resume_delay();

/// A matcher and conditions as JSON text.
std::string flat_condition(std::string_view names, std::string_view mode = "any", int minimum = 1);
std::string by_name(std::string_view name);
std::string single(std::string_view key, std::string_view matcher = R"({"kind":"Wildcard"})");
std::string all_of(const std::vector<std::string>& members);
std::string count_of(int n, std::string_view kind, const std::vector<std::string>& keys,
                     std::string_view matcher = "null");
std::string composite(std::string_view tree);

}  // namespace ff::contract
