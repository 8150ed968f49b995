#include "engine/claim_batch.h"

#include "base/numbers.h"
#include "model/index_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kFunction = "ff_claim_batch";
constexpr std::string_view kIndexFunction = "ff_index_kinds";
constexpr std::size_t kPayloadPosition = 14;
constexpr std::size_t kContinuationPosition = 19;
constexpr std::size_t kStepsPosition = 21;
constexpr std::size_t kChildrenPosition = 23;

std::string join_lines(const std::vector<std::string>& list) {
    std::string text;
    for (const std::string& item : list) {
        if (!text.empty()) text += '\n';
        text += item;
    }
    return text;
}

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

Result<ClaimedTask::PayloadState> read_state(const ReplyReader& task, std::string_view text,
                                             std::string_view name) {
    if (text == "inline") return ClaimedTask::PayloadState::Inline;
    if (text == "none") return ClaimedTask::PayloadState::None;
    if (text == "omitted") return ClaimedTask::PayloadState::Omitted;
    return task.fault(name);
}

/// Name, value and encoding by turns. Replies of older libraries end before them.
Result<Done> read_steps(const ReplyReader& task, std::span<store::Reply> items,
                        ClaimedTask& claimed) {
    if (items.size() < kStepsPosition) return Done{};
    FF_TRY(claimed.steps_state,
           read_state(task, task.text_or_empty(kStepsPosition - 1), "steps_state"));
    const std::span<store::Reply> flat = items[kStepsPosition - 1].mutable_items();
    claimed.steps.reserve(flat.size() / 3);
    for (std::size_t i = 0; i + 2 < flat.size(); i += 3) {
        claimed.steps.push_back({.name = std::move(flat[i]).take_text().value_or(""),
                                 .value = std::move(flat[i + 1]).take_text().value_or(""),
                                 .encoding = std::move(flat[i + 2]).take_text().value_or("")});
    }
    return Done{};
}

Result<Done> read_children(const ReplyReader& task, std::span<const store::Reply> items,
                           ClaimedTask& claimed) {
    if (items.size() < kChildrenPosition) return Done{};
    FF_TRY(claimed.children_state,
           read_state(task, task.text_or_empty(kChildrenPosition - 1), "children_state"));
    for (const store::Reply& item : items[kChildrenPosition - 1].items()) {
        FF_TRY(CalledChild child, CalledChild::read(kFunction, item));
        claimed.children.push_back(std::move(child));
    }
    return Done{};
}

Result<Fence> read_fence(const ReplyReader& task) {
    FF_TRY(const model::LeaseId lease, task.parsed<model::LeaseId>(2, "lease_id"));
    FF_TRY(const model::LeaseEpoch epoch, task.parsed<model::LeaseEpoch>(3, "lease_epoch"));
    FF_TRY(const model::AttemptId attempt, task.parsed<model::AttemptId>(5, "attempt_id"));
    return Fence{.lease_id = lease, .lease_epoch = epoch, .attempt_id = attempt};
}

/// The long texts of a task are taken, not copied.
Bytes taken_text(std::span<store::Reply> items, std::size_t position) {
    if (position > items.size()) return {};
    return std::move(items[position - 1]).take_text().value_or(Bytes());
}

Result<Done> read_task(store::Reply& item, std::vector<ClaimedTask>& tasks) {
    const std::span<store::Reply> items = item.mutable_items();
    const ReplyReader task(kFunction, items);
    FF_TRY(const model::ExecutionId id, task.parsed<model::ExecutionId>(1, "execution_id"));
    FF_TRY(const Fence fence, read_fence(task));
    FF_TRY(const Timestamp expires, task.time(4, "lease_expires_at"));
    FF_TRY(const model::AttemptIndex index, task.parsed<model::AttemptIndex>(6, "attempt_index"));
    FF_TRY(const std::string_view type, task.text(7, "attempt_type"));
    FF_TRY(const std::string_view kind, task.text(8, "execution_kind"));
    FF_TRY(const std::string_view ns, task.text(9, "namespace"));
    FF_TRY(const std::string_view flow, task.text(10, "flow_id"));
    FF_TRY(const std::int64_t priority, task.integer(11, "priority"));
    FF_TRY(const Timestamp created, task.time(12, "created_at"));
    FF_TRY(const std::string_view state_text, task.text(13, "payload_state"));
    FF_TRY(const auto payload_state, read_state(task, state_text, "payload_state"));
    FF_CHECK(task.text(kPayloadPosition, "payload"));
    FF_TRY(const auto tags, task.items(15, "tags"));
    ClaimedTask& claimed = tasks.emplace_back(id, fence);
    claimed.lease_expires_at = expires;
    claimed.attempt_index = index;
    claimed.attempt_type = type;
    claimed.execution_kind = kind;
    claimed.ns = ns;
    claimed.flow_id = flow;
    claimed.priority = priority;
    claimed.created_at = created;
    claimed.payload_state = payload_state;
    claimed.payload = taken_text(items, kPayloadPosition);
    claimed.payload_encoding = task.text_or_empty(16);
    claimed.suspension_id = task.text_or_empty(17);
    claimed.close_reason = task.text_or_empty(18);
    claimed.continuation = taken_text(items, kContinuationPosition);
    for (std::size_t i = 0; i + 1 < tags.size(); i += 2) {
        const auto name = tags[i].text();
        const auto value = tags[i + 1].text();
        if (!name || !value) return task.fault("tags");
        claimed.tags.emplace_back(*name, *value);
    }
    FF_CHECK(read_steps(task, items, claimed));
    return read_children(task, items, claimed);
}

Result<DeferredTask> read_deferred(const store::Reply& item) {
    const ReplyReader task(kFunction, item.items());
    FF_TRY(const model::ExecutionId id, task.parsed<model::ExecutionId>(1, "execution_id"));
    FF_TRY(const std::string_view ns, task.text(2, "namespace"));
    FF_TRY(const std::string_view flow, task.text(3, "flow_id"));
    FF_TRY(const std::string_view budgets, task.text(4, "budget_ids"));
    FF_TRY(const std::string_view quota, task.text(5, "quota_policy_id"));
    FF_TRY(const std::int64_t priority, task.integer(6, "priority"));
    FF_TRY(const std::int64_t epoch, task.integer(7, "admission_epoch"));
    return DeferredTask{.execution_id = id,
                        .ns = std::string(ns),
                        .flow_id = std::string(flow),
                        .budget_ids_csv = std::string(budgets),
                        .quota_policy_id = std::string(quota),
                        .priority = priority,
                        .admission_epoch = epoch};
}

Result<Done> read_stats(const ReplyReader& reader, ClaimedBatch& batch) {
    FF_TRY(const auto items, reader.items(6, "stats"));
    const ReplyReader stats(kFunction, items);
    FF_TRY(batch.examined, stats.integer(1, "examined"));
    FF_TRY(batch.moved_to_route, stats.integer(2, "moved_to_route"));
    FF_TRY(batch.eligible_left, stats.integer(3, "eligible_left"));
    FF_TRY(const std::int64_t armed, stats.integer(4, "armed"));
    batch.armed = armed != 0;
    batch.waiting_namespaces = split_lines(stats.text_or_empty(5));
    batch.unsorted = stats.text_or_empty(6) == "1";
    return Done{};
}

}  // namespace

void ClaimBatch::write(CallWriter& to) const {
    to.begin(kFunction, 1);
    write_keys(to);
    write_arguments(to);
}

void ClaimBatch::write_keys(CallWriter& to) const {
    to.key("eligible", model::LaneKeys(partition, lane).eligible());
}

void ClaimBatch::write_arguments(CallWriter& to) const {
    to.arg("worker_id", worker_id.text());
    to.arg("worker_instance_id", worker_instance_id.text());
    to.arg("lane_id", lane.text());
    to.arg("worker_capabilities_csv", capabilities_csv);
    to.arg("max_tasks", static_cast<std::int64_t>(leases.size()));
    to.arg("lease_ttl_ms", lease_ttl);
    to.arg("renew_before_ms", renew_before);
    to.arg("request_id", request_id);
    to.arg("scan_depth", scan_depth);
    to.arg("max_payload_bytes", payload_bytes_max);
    to.arg("admission", bypass_admission ? "bypass" : "defer");
    to.arg("gated_namespaces", join_lines(gated_namespaces));
    to.arg("gate_flows", gate_flows ? "1" : "0");
    to.arg("over_share_namespaces", join_lines(over_share_namespaces));
    to.arg("fair_priority_floor", fair_priority_floor);
    to.arg("namespace", only_namespace ? only_namespace->text() : std::string());
    to.arg("arm_wake_ms", arm_wake);
    to.arg("include_reclaim", reclaim_first ? "1" : "0");
    to.arg("admitted_count", static_cast<std::int64_t>(admitted.size()));
    for (const Admitted& one : admitted) {
        to.arg("admitted_execution_id", one.execution_id);
        to.arg("admitted_quota_ids", one.quota_ids_csv);
    }
    for (const NewLease& lease : leases) {
        to.arg("lease_id", lease.lease_id);
        to.arg("attempt_id", lease.attempt_id);
    }
    if (admitted.empty() && kinds.any()) return;
    std::string epochs;
    for (const Admitted& one : admitted) {
        if (!epochs.empty()) epochs += ',';
        epochs += std::to_string(one.admission_epoch);
    }
    to.arg("admission_epochs", epochs);
    if (!kinds.any()) to.arg("kinds", kinds.lines());
}

Result<ClaimedBatch> ClaimBatch::read(store::Reply&& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kFunction, reply));
    ClaimedBatch batch{.duplicate = reader.word() == "DUPLICATE"};
    FF_TRY(const auto claimed, reader.items(3, "claimed"));
    batch.claimed.reserve(claimed.size());
    for (store::Reply& item : reply.mutable_items()[2].mutable_items()) {
        FF_CHECK(read_task(item, batch.claimed));
    }
    FF_TRY(const auto deferred, reader.items(4, "deferred"));
    for (const store::Reply& item : deferred) {
        FF_TRY(DeferredTask task, read_deferred(item));
        batch.deferred.push_back(std::move(task));
    }
    FF_TRY(const auto not_claimed, reader.items(5, "not_claimed"));
    for (const store::Reply& item : not_claimed) {
        const ReplyReader pair(kFunction, item.items());
        FF_TRY(const std::string_view id, pair.text(1, "execution_id"));
        FF_TRY(const std::string_view code, pair.text(2, "code"));
        batch.not_claimed.emplace_back(id, code);
    }
    FF_CHECK(read_stats(reader, batch));
    return batch;
}

void IndexKinds::write(CallWriter& to) const {
    const model::IndexKeys index(partition);
    to.begin(kIndexFunction, 1);
    to.key("eligible", index.lane(lane).eligible());
    to.arg("lane_id", lane.text());
}

Result<IndexKinds::Outcome> IndexKinds::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kIndexFunction, reply));
    FF_TRY(const std::string_view state, reader.text(3, "state"));
    return state == "complete" ? Outcome::Complete : Outcome::Building;
}

}  // namespace ff::engine
