#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "contract/execution.h"

namespace ff::contract {

/// Waits until `message` has been heard that many times. Messages of other tests, which may come
/// late on a cluster, do not count. Throws when it does not come.
bool hears(Listener& listener, std::string_view message, int times = 1);

/// The arguments of ff_claim_batch in their order.
struct BatchArgs {
    std::string worker = "w1";
    std::string instance = "w1-1";
    std::string lane = "lane";
    std::string caps{};
    std::size_t max_tasks = 1;
    std::string ttl_ms = "30000";
    std::string renew_before_ms{};
    std::string request_id{};
    std::string scan_depth{};
    std::string max_payload_bytes{};
    std::string admission{};
    std::string gated{};
    std::string gate_flows{};
    std::string over_share{};
    std::string fair_floor{};
    std::string ns{};
    std::string arm_wake_ms{};
    std::string include_reclaim{};
    /// Execution ids with the quota ids that admitted them.
    std::vector<std::pair<std::string, std::string>> admitted{};
    /// Their admission epochs; empty: told by nobody.
    std::string admission_epochs{};
    /// LF list.
    std::string kinds{};
};

/// With fresh lease and attempt ids.
List batch_args(const BatchArgs& args);

struct ClaimedTask {
    std::string execution_id{};
    std::string lease_id{};
    std::string lease_epoch{};
    std::string lease_expires_at{};
    std::string attempt_id{};
    std::string attempt_index{};
    std::string attempt_type{};
    std::string execution_kind{};
    std::string ns{};
    std::string flow_id{};
    std::string priority{};
    std::string created_at{};
    std::string payload_state{};
    std::string payload{};
    List tags{};
    std::string payload_encoding{};
    std::string suspension_id{};
    std::string close_reason{};
    std::string continuation{};
};

/// A reply of ff_claim_batch taken apart; a refusal has only `raw`.
struct BatchReply {
    explicit BatchReply(RespValue reply);

    RespValue raw;
    std::string word{};
    std::vector<ClaimedTask> claimed{};
    std::vector<List> deferred{};
    std::vector<List> not_claimed{};
    std::string examined{};
    std::string moved{};
    std::string eligible_left{};
    std::string armed{};
    std::string namespaces{};
    /// Only where kinds are asked for.
    std::string unsorted{};

    /// The claimed ids, in order.
    List ids() const;
};

struct GrantArgs {
    std::string worker = "w1";
    std::string instance = "w1-1";
    std::string ttl_ms = "60000";
    std::string caps{};
    std::string quota_ids{};
    /// Of a claim grant.
    std::string admission_epoch{};
    /// Of a reclaim grant.
    std::string default_max_reclaims{};
};

/// A policy that requires these capabilities.
std::string requires_caps(const List& tokens);

/// A contract test about admission and scheduling of executions.
class SchedulingContract : public ExecutionContract {
  protected:
    BatchReply claim(const BatchArgs& args = {}) const;
    List batch_keys(std::string_view lane) const;
    /// ff_complete_and_claim: completes these tasks with result `out`, then claims if asked to.
    RespValue complete_and_claim(const std::vector<ClaimedTask>& tasks,
                                 const List& claim_part = {}) const;

    RespValue block(const Execution& e, const std::string& reason, const std::string& ref = "",
                    const std::string& now_ms = "") const;
    RespValue unblock(const Execution& e, const std::string& reason = "",
                      const std::string& ref = "") const;
    /// ff_index_kinds of the lane `lane`.
    RespValue index_kinds() const;
    RespValue unblock_batch(const std::string& blocked, const List& args) const;

    RespValue issue_grant(const Execution& e, const GrantArgs& args = {}) const;
    RespValue issue_reclaim_grant(const Execution& e, const GrantArgs& args = {}) const;
    /// ff_issue_grant_and_claim; empty ids are made.
    RespValue take_by_operator(const Execution& e, const std::string& lease_id = "",
                               const std::string& ttl_ms = "30000") const;

    /// Makes the lease lapse now and marks it; the partition's index says so too.
    void lose(const Execution& e) const;
    /// Puts an execution into a flow whose members may not be claimed.
    void cancel_flow_of(const Execution& e) const;
    List grant_args(const Execution& e, const GrantArgs& args) const;
};

}  // namespace ff::contract
