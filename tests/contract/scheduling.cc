#include "contract/scheduling.h"

namespace ff::contract {
namespace {

List texts(const RespValue& array) {
    return array.kind == RespValue::Kind::Array ? flat(array) : List{};
}

ClaimedTask task_of(const RespValue& record) {
    const List all = flat(record);
    if (all.size() != 23) {
        ADD_FAILURE() << "not the record of a claimed task: " << to_string(record);
        return {};
    }
    return {.execution_id = all[0],
            .lease_id = all[1],
            .lease_epoch = all[2],
            .lease_expires_at = all[3],
            .attempt_id = all[4],
            .attempt_index = all[5],
            .attempt_type = all[6],
            .execution_kind = all[7],
            .ns = all[8],
            .flow_id = all[9],
            .priority = all[10],
            .created_at = all[11],
            .payload_state = all[12],
            .payload = all[13],
            .tags = texts(record.items[14]),
            .payload_encoding = all[15],
            .suspension_id = all[16],
            .close_reason = all[17],
            .continuation = all[18]};
}

}  // namespace

bool hears(Listener& listener, std::string_view message, int times) {
    while (times > 0) {
        if (listener.next() == message) --times;
    }
    return true;
}

List batch_args(const BatchArgs& args) {
    List all{args.worker,
             args.instance,
             args.lane,
             args.caps,
             std::to_string(args.max_tasks),
             args.ttl_ms,
             args.renew_before_ms,
             args.request_id,
             args.scan_depth,
             args.max_payload_bytes,
             args.admission,
             args.gated,
             args.gate_flows,
             args.over_share,
             args.fair_floor,
             args.ns,
             args.arm_wake_ms,
             args.include_reclaim,
             std::to_string(args.admitted.size())};
    for (const auto& [id, quota_ids] : args.admitted) {
        all.push_back(id);
        all.push_back(quota_ids);
    }
    for (std::size_t i = 0; i < 2 * args.max_tasks; ++i) all.push_back(new_uuid());
    if (!args.admission_epochs.empty() || !args.kinds.empty()) all.push_back(args.admission_epochs);
    if (!args.kinds.empty()) all.push_back(args.kinds);
    return all;
}

BatchReply::BatchReply(RespValue reply) : raw(std::move(reply)) {
    if (element(raw, 1) != "1" || raw.items.size() != 6) return;
    word = element(raw, 2);
    for (const RespValue& record : raw.items[2].items) claimed.push_back(task_of(record));
    for (const RespValue& item : raw.items[3].items) deferred.push_back(flat(item));
    for (const RespValue& item : raw.items[4].items) not_claimed.push_back(flat(item));
    const List stats = flat(raw.items[5]);
    if (stats.size() != 5 && stats.size() != 6) {
        ADD_FAILURE() << "not the stats of a claim: " << to_string(raw.items[5]);
        return;
    }
    examined = stats[0];
    moved = stats[1];
    eligible_left = stats[2];
    armed = stats[3];
    namespaces = stats[4];
    if (stats.size() == 6) unsorted = stats[5];
}

List BatchReply::ids() const {
    List all;
    for (const ClaimedTask& task : claimed) all.push_back(task.execution_id);
    return all;
}

std::string requires_caps(const List& tokens) {
    std::string joined;
    for (const std::string& token : tokens) {
        joined += (joined.empty() ? "\"" : ",\"") + token + "\"";
    }
    return R"({"routing_requirements":{"required_capabilities":[)" + joined + "]}}";
}

List SchedulingContract::batch_keys(std::string_view lane) const {
    return {lane_index(lane, "eligible"), lane_index(lane, "blocked:route"),
            index("lease_expiry"),        noop(),
            lane_index(lane, "active"),   index("attempt_timeout"),
            index("execution_deadline"),  "ff:wake:" + tag()};
}

BatchReply SchedulingContract::claim(const BatchArgs& args) const {
    return BatchReply(host().fcall("ff_claim_batch", batch_keys(args.lane), batch_args(args)));
}

RespValue SchedulingContract::complete_and_claim(const std::vector<ClaimedTask>& tasks,
                                                 const List& claim_part) const {
    List args{std::to_string(tasks.size())};
    for (const ClaimedTask& task : tasks) {
        for (const std::string& value : {task.execution_id, task.lease_id, task.lease_epoch,
                                         task.attempt_id, std::string("out"), std::string()}) {
            args.push_back(value);
        }
    }
    args.insert(args.end(), claim_part.begin(), claim_part.end());
    return host().fcall("ff_complete_and_claim", batch_keys("lane"), args);
}

RespValue SchedulingContract::index_kinds() const {
    return host().fcall("ff_index_kinds", {lane_index("lane", "eligible"), "ff:wake:" + tag()},
                        {"lane"});
}

RespValue SchedulingContract::block(const Execution& e, const std::string& reason,
                                    const std::string& ref, const std::string& now_ms) const {
    const std::string index = reason == "waiting_for_budget"  ? "blocked:budget"
                              : reason == "waiting_for_quota" ? "blocked:quota"
                              : reason.starts_with("paused")  ? "blocked:operator"
                                                              : "blocked:route";
    return host().fcall("ff_block_execution_for_admission",
                        {e.key("core"), e.lane_key("eligible"), e.lane_key(index)},
                        {e.id(), reason, "detail", now_ms, ref});
}

RespValue SchedulingContract::unblock(const Execution& e, const std::string& reason,
                                      const std::string& ref) const {
    return host().fcall("ff_unblock_execution", {e.key("core"), noop(), e.lane_key("eligible")},
                        {e.id(), "", reason, ref});
}

RespValue SchedulingContract::unblock_batch(const std::string& blocked, const List& args) const {
    return host().fcall("ff_unblock_batch",
                        {lane_index("lane", blocked), lane_index("lane", "eligible")}, args);
}

List SchedulingContract::grant_args(const Execution& e, const GrantArgs& args) const {
    return {e.id(),      args.worker, args.instance, e.lane(),  "hash",
            args.ttl_ms, "",          "admitted",    args.caps, args.quota_ids};
}

RespValue SchedulingContract::issue_grant(const Execution& e, const GrantArgs& args) const {
    List list = grant_args(e, args);
    if (!args.admission_epoch.empty()) list.push_back(args.admission_epoch);
    return host().fcall("ff_issue_claim_grant",
                        {e.key("core"), e.key("claim_grant"), e.lane_key("eligible")}, list);
}

RespValue SchedulingContract::issue_reclaim_grant(const Execution& e, const GrantArgs& args) const {
    List list = grant_args(e, args);
    if (!args.default_max_reclaims.empty()) list.push_back(args.default_max_reclaims);
    return host().fcall("ff_issue_reclaim_grant",
                        {e.key("core"), e.key("claim_grant"), e.index_key("lease_expiry")}, list);
}

RespValue SchedulingContract::take_by_operator(const Execution& e, const std::string& lease_id,
                                               const std::string& ttl_ms) const {
    return host().fcall(
        "ff_issue_grant_and_claim",
        {e.key("core"), e.key("claim_grant"), e.lane_key("eligible"), e.index_key("lease_expiry"),
         noop(), e.key("attempts"), e.key("lease:current"), e.key("lease:history"),
         e.lane_key("active"), e.index_key("attempt_timeout"), e.index_key("execution_deadline")},
        {e.id(), "op", "op-1", e.lane(), "", lease_id.empty() ? new_uuid() : lease_id, ttl_ms,
         new_uuid(), "", "", ""});
}

void SchedulingContract::lose(const Execution& e) const {
    e.lose_lease();
    command({"ZADD", index("lease_expiry"), std::to_string(now() - 1), e.id()});
}

void SchedulingContract::cancel_flow_of(const Execution& e) const {
    const std::string flow = new_uuid();
    command({"HSET", "ff:flow:" + tag() + ":" + flow + ":core", "flow_id", flow, "claim_gate",
             "closed"});
    e.set_core("flow_id", flow);
}

}  // namespace ff::contract
