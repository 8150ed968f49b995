#include "service/lease_history.h"

#include <array>
#include <string_view>

#include "hub/entry_id.h"
#include "model/error_catalogue.h"
#include "model/exec_keys.h"

namespace ff::service {
namespace {

/// In the order in which they are asked for.
enum Field : std::size_t {
    kPhase,
    kPurging,
    kHasHistory,
    kEpoch,
    kLease,
    kWorker,
    kWorkerInstance,
    kAttemptIndex,
    kAttempt,
    kAcquiredAt,
    kReleasedLease,
    kReleasedAt,
    kReleaseReason,
    kFieldCount,
};

constexpr std::array<std::string_view, kFieldCount> kNames{
    "lifecycle_phase",
    "purging",
    "has_lease_history",
    "current_lease_epoch",
    "current_lease_id",
    "current_worker_id",
    "current_worker_instance_id",
    "current_attempt_index",
    "current_attempt_id",
    "lease_acquired_at",
    "last_release_lease_id",
    "last_release_at",
    "last_release_op",
};

using Core = std::array<std::string, kFieldCount>;

std::string text_at(const store::Reply& reply, std::size_t index) {
    const auto items = reply.items();
    return index < items.size() ? std::string(items[index].text().value_or("")) : std::string();
}

Record entry_of(const store::Reply& entry) {
    Record record{{"id", text_at(entry, 0)}};
    const store::Reply& fields = entry.items()[1];
    for (std::size_t i = 0; i + 1 < fields.items().size(); i += 2) {
        record.emplace_back(text_at(fields, i), text_at(fields, i + 1));
    }
    return record;
}

std::vector<Record> entries_of(const store::Reply& stream) {
    std::vector<Record> records;
    for (const store::Reply& entry : stream.items()) {
        if (entry.items().size() == 2) records.push_back(entry_of(entry));
    }
    return records;
}

/// The one lease there was, as it was taken and, once it is over, given up. `worker` is what the
/// attempt record says: the core forgets who held a lease that has ended.
std::vector<Record> entries_of(const model::ExecutionId& id, const Core& core,
                               const store::Reply& worker) {
    const bool held = !core[kLease].empty();
    const Record lease{
        {"lease_id", held ? core[kLease] : core[kReleasedLease]},
        {"lease_epoch", core[kEpoch]},
        {"attempt_index", core[kAttemptIndex]},
        {"attempt_id", core[kAttempt]},
        {"worker_id", held ? core[kWorker] : text_at(worker, 0)},
        {"worker_instance_id", held ? core[kWorkerInstance] : text_at(worker, 1)},
    };
    Record acquired{{"id", core[kAcquiredAt] + "-1"},
                    {"event", "acquired"},
                    {"execution_id", id.to_string()},
                    {"ts", core[kAcquiredAt]}};
    acquired.insert(acquired.end(), lease.begin(), lease.end());
    if (held) return {std::move(acquired)};
    Record released{{"id", core[kReleasedAt] + "-2"},
                    {"event", "released"},
                    {"execution_id", id.to_string()},
                    {"ts", core[kReleasedAt]},
                    {"reason", core[kReleaseReason]}};
    released.insert(released.end(), lease.begin(), lease.end());
    return {std::move(acquired), std::move(released)};
}

/// Only a first lease is told by the core, and only while there is no stream.
bool is_told_by(const Core& core) {
    return core[kHasHistory].empty() && core[kEpoch] == "1";
}

}  // namespace

std::vector<store::Call> lease_history_calls(const model::ExecutionId& id, const std::string& after,
                                             std::size_t limit) {
    const model::ExecKeys keys(id);
    store::Call core = store::plain({"HMGET", keys.core()}, true);
    core.command.append(kNames);
    const std::string from = after.empty() ? "-" : "(" + after;
    const std::string first_attempt = keys.attempt(model::AttemptIndex{0});
    std::vector<store::Call> calls;
    // The core first: if it says that there is a stream, the read behind it finds one.
    calls.push_back(std::move(core));
    calls.push_back(
        store::plain({"HMGET", first_attempt, "worker_id", "worker_instance_id"}, true));
    calls.push_back(store::plain(
        {"XRANGE", keys.lease_history(), from, "+", "COUNT", std::to_string(limit + 1)}, true));
    return calls;
}

Result<RecordPage> read_lease_history(const model::ExecutionId& id,
                                      const std::vector<Result<store::Reply>>& replies,
                                      const std::string& after, std::size_t limit) {
    FF_ASSERT(replies.size() == 3);
    if (!replies[0]) return replies[0].error();
    if (!replies[1]) return replies[1].error();
    Core core;
    for (std::size_t i = 0; i < kFieldCount; ++i) core[i] = text_at(*replies[0], i);
    if (core[kPhase].empty() || !core[kPurging].empty()) {
        return model::make_error("execution_not_found", {id.to_string()});
    }
    const auto seen = after.empty() ? hub::EntryId{} : hub::EntryId::parse(after);
    const bool refused =
        !replies[2] && !after.empty() && replies[2].error().cls != ErrorClass::Retryable;
    if (!seen || refused) return model::make_error("invalid_cursor");
    if (!replies[2]) return replies[2].error();
    std::vector<Record> records =
        is_told_by(core) ? entries_of(id, core, *replies[1]) : entries_of(*replies[2]);
    RecordPage page;
    for (Record& record : records) {
        const auto entry_id = hub::EntryId::parse(record.front().second);
        if (entry_id && *entry_id <= *seen) continue;
        if (page.records.size() == limit) {
            page.next_cursor = page.records.back().front().second;
            break;
        }
        page.records.push_back(std::move(record));
    }
    return page;
}

}  // namespace ff::service
