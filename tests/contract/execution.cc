#include "contract/execution.h"

#include <utility>

namespace ff::contract {

Execution::Execution(Host& host, std::string tag) : Execution(host, std::move(tag), new_uuid()) {}

Execution::Execution(Host& host, std::string tag, std::string_view uuid)
    : host_(&host), tag_(std::move(tag)), id_(tag_ + ":" + std::string(uuid)) {}

std::string Execution::key(std::string_view suffix) const {
    return "ff:exec:" + tag_ + ":" + id_ + ":" + std::string(suffix);
}

std::string Execution::attempt_key(int index, std::string_view suffix) const {
    return "ff:attempt:" + tag_ + ":" + id_ + ":" + std::to_string(index) + std::string(suffix);
}

std::string Execution::stream_key(int index, std::string_view suffix) const {
    return "ff:stream:" + tag_ + ":" + id_ + ":" + std::to_string(index) + std::string(suffix);
}

std::string Execution::lane_key(std::string_view name) const {
    return "ff:idx:" + tag_ + ":lane:" + lane_ + ":" + std::string(name);
}

std::string Execution::index_key(std::string_view name) const {
    return "ff:idx:" + tag_ + ":" + std::string(name);
}

std::string Execution::worker_key(std::string_view instance) const {
    return "ff:idx:" + tag_ + ":worker:" + std::string(instance) + ":leases";
}

std::string Execution::core(std::string_view field) const {
    return host_->command({"HGET", key("core"), std::string(field)}).text;
}

std::string Execution::attempt(int index, std::string_view field) const {
    return host_->command({"HGET", attempt_key(index), std::string(field)}).text;
}

void Execution::set_core(std::string_view field, std::string_view value) const {
    host_->command({"HSET", key("core"), std::string(field), std::string(value)});
}

List Execution::create_keys() const {
    return {key("core"),
            key("payload"),
            key("policy"),
            key("tags"),
            lane_key("eligible"),
            "ff:noop:" + tag_,
            index_key("execution_deadline"),
            index_key("all_executions")};
}

List Execution::create_args(const CreateArgs& args) const {
    const std::string partition = tag_.substr(4, tag_.size() - 5);
    return {id_,
            args.ns,
            args.lane,
            args.kind,
            args.priority,
            "creator",
            args.policy,
            args.payload,
            args.delay_until,
            args.dedup_ttl_ms,
            args.tags,
            args.deadline,
            partition,
            args.encoding,
            args.hold,
            args.idempotency_key};
}

RespValue Execution::create(const CreateArgs& args) {
    lane_ = args.lane;
    return host_->fcall("ff_create_execution", create_keys(), create_args(args));
}

void Execution::grant(std::string_view worker, std::int64_t ttl_ms) const {
    if (host_->command({"EXISTS", key("core")}).integer == 0) return;
    const std::string expires = std::to_string(host_->now() + ttl_ms);
    host_->command({"HSET", key("claim_grant"), "worker_id", std::string(worker),
                    "grant_expires_at", expires});
    set_core("grant_until", expires);
}

List Execution::claim_keys() const {
    return {key("core"),
            key("claim_grant"),
            lane_key("eligible"),
            index_key("lease_expiry"),
            worker_key(""),
            attempt_key(0),
            attempt_key(0, ":usage"),
            attempt_key(0, ":policy"),
            key("attempts"),
            key("lease:current"),
            key("lease:history"),
            lane_key("active"),
            index_key("attempt_timeout"),
            index_key("execution_deadline")};
}

RespValue Execution::remember(RespValue reply) {
    if (element(reply, 1) == "1") {
        lease_id = element(reply, 3);
        epoch = element(reply, 4);
        attempt_id = element(reply, 6);
    }
    return reply;
}

RespValue Execution::claim(const ClaimArgs& args) {
    return remember(host_->fcall(
        "ff_claim_execution", claim_keys(),
        {id_, args.worker, args.instance.empty() ? args.worker + "-1" : args.instance, args.lane,
         "caps", args.lease_id.empty() ? new_uuid() : args.lease_id, args.ttl_ms,
         args.renew_before_ms, args.attempt_id.empty() ? new_uuid() : args.attempt_id,
         args.attempt_policy, args.timeout_ms, args.deadline}));
}

List Execution::resumed_keys() const {
    return {key("core"),
            key("claim_grant"),
            lane_key("eligible"),
            index_key("lease_expiry"),
            worker_key(""),
            attempt_key(0),
            key("lease:current"),
            key("lease:history"),
            lane_key("active"),
            index_key("attempt_timeout"),
            index_key("execution_deadline")};
}

RespValue Execution::claim_resumed(const ClaimArgs& args) {
    return remember(
        host_->fcall("ff_claim_resumed_execution", resumed_keys(),
                     {id_, args.worker, args.instance.empty() ? args.worker + "-1" : args.instance,
                      args.lane, "caps", args.lease_id.empty() ? new_uuid() : args.lease_id,
                      args.ttl_ms, args.timeout_ms}));
}

List Execution::reclaim_keys() const {
    return {key("core"),
            key("claim_grant"),
            attempt_key(0),
            stream_key(0, ":meta"),
            attempt_key(1),
            attempt_key(1, ":usage"),
            key("attempts"),
            key("lease:current"),
            key("lease:history"),
            index_key("lease_expiry"),
            worker_key(""),
            lane_key("active"),
            index_key("attempt_timeout"),
            index_key("execution_deadline")};
}

RespValue Execution::reclaim(const ClaimArgs& args) {
    return remember(
        host_->fcall("ff_reclaim_execution", reclaim_keys(),
                     {id_, args.worker, args.instance.empty() ? args.worker + "-1" : args.instance,
                      args.lane, args.lease_id.empty() ? new_uuid() : args.lease_id, args.ttl_ms,
                      args.attempt_id.empty() ? new_uuid() : args.attempt_id, args.attempt_policy,
                      args.default_max_reclaims, args.timeout_ms}));
}

RespValue Execution::take(const ClaimArgs& args) {
    grant(args.worker);
    return claim(args);
}

RespValue Execution::take_resumed(const ClaimArgs& args) {
    grant(args.worker);
    return claim_resumed(args);
}

RespValue Execution::take_over(const ClaimArgs& args) {
    grant(args.worker);
    return reclaim(args);
}

List Execution::complete_keys() const {
    return {key("core"),
            attempt_key(0),
            index_key("lease_expiry"),
            worker_key(""),
            lane_key("terminal"),
            key("lease:current"),
            key("lease:history"),
            lane_key("active"),
            stream_key(0, ":meta"),
            key("result"),
            index_key("attempt_timeout"),
            index_key("execution_deadline")};
}

RespValue Execution::complete(std::string_view result, std::string_view source) const {
    return host_->fcall(
        "ff_complete_execution", complete_keys(),
        {id_, lease_id, epoch, attempt_id, std::string(result), std::string(source)});
}

List Execution::fail_keys() const {
    return {key("core"),
            attempt_key(0),
            index_key("lease_expiry"),
            worker_key(""),
            lane_key("terminal"),
            lane_key("delayed"),
            key("lease:current"),
            key("lease:history"),
            lane_key("active"),
            stream_key(0, ":meta"),
            index_key("attempt_timeout"),
            index_key("execution_deadline")};
}

RespValue Execution::fail(const FailArgs& args) const {
    return host_->fcall(
        "ff_fail_execution", fail_keys(),
        {id_, lease_id, epoch, attempt_id, args.reason, args.category, args.retry_policy,
         args.source, args.retry_policy_source, args.fallback_to});
}

List Execution::cancel_keys() const {
    const std::string noop = "ff:noop:" + tag_;
    return {key("core"),
            attempt_key(0),
            stream_key(0, ":meta"),
            key("lease:current"),
            key("lease:history"),
            index_key("lease_expiry"),
            worker_key(""),
            key("suspension:current"),
            noop,
            noop,
            index_key("suspension_timeout"),
            lane_key("terminal"),
            index_key("attempt_timeout"),
            index_key("execution_deadline"),
            lane_key("eligible"),
            lane_key("delayed"),
            lane_key("blocked:dependencies"),
            lane_key("blocked:budget"),
            lane_key("blocked:quota"),
            lane_key("blocked:route"),
            lane_key("blocked:operator")};
}

RespValue Execution::cancel(std::string_view reason, std::string_view source) const {
    return host_->fcall("ff_cancel_execution", cancel_keys(),
                        {id_, std::string(reason), std::string(source)});
}

RespValue Execution::cancel_fenced(std::string_view source) const {
    return host_->fcall("ff_cancel_execution", cancel_keys(),
                        {id_, "stop", std::string(source), lease_id, epoch, attempt_id});
}

List Execution::delay_keys() const {
    return {key("core"),
            attempt_key(0),
            key("lease:current"),
            key("lease:history"),
            index_key("lease_expiry"),
            worker_key(""),
            lane_key("active"),
            lane_key("delayed"),
            index_key("attempt_timeout")};
}

RespValue Execution::delay(std::string_view until, std::string_view source) const {
    return host_->fcall(
        "ff_delay_execution", delay_keys(),
        {id_, lease_id, epoch, attempt_id, std::string(until), std::string(source)});
}

RespValue Execution::give_back(std::string_view until, std::string_view unbegun) const {
    return host_->fcall(
        "ff_delay_execution", delay_keys(),
        {id_, lease_id, epoch, attempt_id, std::string(until), "", std::string(unbegun)});
}

List Execution::waiting_children_keys() const {
    List keys = delay_keys();
    keys[7] = lane_key("blocked:dependencies");
    return keys;
}

RespValue Execution::wait_for_children(std::string_view resolve_empty) const {
    return host_->fcall("ff_move_to_waiting_children", waiting_children_keys(),
                        {id_, lease_id, epoch, attempt_id, "", std::string(resolve_empty)});
}

List Execution::expire_keys() const {
    return {key("core"),
            attempt_key(0),
            stream_key(0, ":meta"),
            key("lease:current"),
            key("lease:history"),
            index_key("lease_expiry"),
            worker_key(""),
            lane_key("active"),
            lane_key("terminal"),
            index_key("attempt_timeout"),
            index_key("execution_deadline"),
            lane_key("suspended"),
            index_key("suspension_timeout"),
            key("suspension:current")};
}

RespValue Execution::expire(std::string_view reason, std::string_view if_due) const {
    return host_->fcall("ff_expire_execution", expire_keys(),
                        {id_, std::string(reason), std::string(if_due)});
}

List Execution::renew_keys() const {
    return {key("core"), key("lease:current"), key("lease:history"), index_key("lease_expiry")};
}

RespValue Execution::renew(std::string_view ttl_ms, std::string_view attempt_index,
                           std::string_view record) const {
    return host_->fcall("ff_renew_lease", renew_keys(),
                        {id_, std::string(attempt_index), attempt_id, lease_id, epoch,
                         std::string(ttl_ms), "5000", std::string(record)});
}

List Execution::mark_keys() const {
    return {key("core"), key("lease:current"), index_key("lease_expiry"), key("lease:history")};
}

RespValue Execution::mark_expired() const {
    return host_->fcall("ff_mark_lease_expired_if_due", mark_keys(), {id_});
}

List Execution::revoke_keys() const {
    return {key("core"), key("lease:current"), key("lease:history"), index_key("lease_expiry"),
            worker_key("")};
}

RespValue Execution::revoke(std::string_view expected, std::string_view reason) const {
    return host_->fcall("ff_revoke_lease", revoke_keys(),
                        {id_, std::string(expected), std::string(reason)});
}

RespValue Execution::progress(const List& more) const {
    List args{id_, lease_id, epoch};
    args.insert(args.end(), more.begin(), more.end());
    return host_->fcall("ff_update_progress", {key("core")}, args);
}

RespValue Execution::change_priority(std::string_view priority) const {
    return host_->fcall("ff_change_priority", {key("core"), lane_key("eligible")},
                        {id_, std::string(priority)});
}

RespValue Execution::promote(std::string_view now_ms) const {
    return host_->fcall("ff_promote_delayed",
                        {key("core"), lane_key("delayed"), lane_key("eligible")},
                        {id_, std::string(now_ms)});
}

RespValue Execution::replay(std::string_view reason, std::string_view requested_by) const {
    return host_->fcall(
        "ff_replay_execution",
        {key("core"), lane_key("terminal"), lane_key("eligible"), key("lease:history")},
        {id_, "0", std::string(reason), std::string(requested_by)});
}

RespValue Execution::set_tags(const List& args) const {
    return host_->fcall("ff_set_execution_tags", {key("core"), key("tags")}, args);
}

RespValue Execution::reconcile(std::string_view mode) const {
    return host_->fcall("ff_reconcile_execution_index", {key("core"), index_key("all_executions")},
                        {id_, std::string(mode)});
}

RespValue Execution::purge(std::string_view default_retention_ms, std::string_view max_keys) const {
    return host_->fcall("ff_purge_execution",
                        {key("core"), lane_key("terminal"), index_key("all_executions")},
                        {id_, std::string(default_retention_ms), std::string(max_keys)});
}

void Execution::lose_lease() const {
    set_core("lease_expires_at", "1");
    host_->command({"ZADD", index_key("lease_expiry"), "1", id_});
    host_->command({"ZADD", lane_key("active"), "1", id_});
    const RespValue reply = mark_expired();
    EXPECT_EQ(flat(reply), (List{"1", "OK", "marked_expired"}));
}

List Execution::lease_events() const {
    List events;
    for (const RespValue& entry :
         host_->command({"XRANGE", key("lease:history"), "-", "+"}).items) {
        events.push_back(pairs(entry.items.at(1)).at("event"));
    }
    return events;
}

List Execution::memberships() const {
    List found;
    for (const char* name :
         {"eligible", "delayed", "active", "terminal", "suspended", "blocked:dependencies",
          "blocked:budget", "blocked:quota", "blocked:route", "blocked:operator"}) {
        if (!host_->command({"ZSCORE", lane_key(name), id_}).is_null()) found.emplace_back(name);
    }
    for (const char* name : {"lease_expiry", "attempt_timeout", "execution_deadline",
                             "suspension_timeout", "retention_due"}) {
        if (!host_->command({"ZSCORE", index_key(name), id_}).is_null()) found.emplace_back(name);
    }
    return found;
}

List Execution::vector() const {
    return flat(host_->command({"HMGET", key("core"), "lifecycle_phase", "ownership_state",
                                "eligibility_state", "blocking_reason", "terminal_outcome",
                                "attempt_state", "public_state"}));
}

Execution ExecutionContract::created(const CreateArgs& args) const {
    Execution made = execution();
    const RespValue reply = made.create(args);
    EXPECT_EQ(element(reply, 2), "OK") << to_string(reply);
    return made;
}

Execution ExecutionContract::active(const ClaimArgs& claim, const CreateArgs& create) const {
    Execution made = created(create);
    const RespValue reply = made.take(claim);
    EXPECT_EQ(element(reply, 2), "OK") << to_string(reply);
    return made;
}

List vector_l1(std::string_view attempt_state) {
    return {"runnable",     "unowned",
            "eligible_now", "waiting_for_worker",
            "none",         std::string(attempt_state),
            "waiting"};
}

List vector_l2(std::string_view reason, std::string_view attempt_state) {
    return {"runnable",
            "unowned",
            "not_eligible_until_time",
            std::string(reason),
            "none",
            std::string(attempt_state),
            "delayed"};
}

List vector_l3(std::string_view attempt_state) {
    return {"runnable",
            "unowned",
            "blocked_by_dependencies",
            "waiting_for_children",
            "none",
            std::string(attempt_state),
            "waiting_children"};
}

List vector_l9() {
    return {"active", "leased", "not_applicable", "none", "none", "running_attempt", "active"};
}

List vector_l10() {
    return {"active", "lease_expired_reclaimable", "not_applicable", "waiting_for_worker",
            "none",   "attempt_interrupted",       "active"};
}

List vector_l11() {
    return {"active", "lease_revoked",       "not_applicable", "waiting_for_worker",
            "none",   "attempt_interrupted", "active"};
}

List vector_terminal(std::string_view outcome, std::string_view attempt_state) {
    const std::string state = outcome == "success" ? "completed" : std::string(outcome);
    return {"terminal",
            "unowned",
            "not_applicable",
            "none",
            std::string(outcome),
            std::string(attempt_state),
            state};
}

}  // namespace ff::contract
