#include "app/function_observer.h"

#include <algorithm>
#include <array>
#include <map>
#include <vector>

#include "base/numbers.h"

namespace ff::app {
namespace {

constexpr std::array<std::string_view, 17> kWatched = {
    "ff_claim_batch",         "ff_complete_and_claim",
    "ff_claim_execution",     "ff_claim_resumed_execution",
    "ff_reclaim_execution",   "ff_issue_grant_and_claim",
    "ff_renew_lease",         "ff_complete_execution",
    "ff_fail_execution",      "ff_expire_execution",
    "ff_cancel_execution",    "ff_report_usage_and_check",
    "ff_admit_batch",         "ff_cascade_completion",
    "ff_cancel_flow_members", "ff_reconcile_dependencies",
    "ff_record_spend"};
constexpr std::string_view kGroupPolicy = "ff_set_edge_group_policy";

/// `<lane>` of `ff:idx:{fp:7}:lane:<lane>:eligible`; lanes may hold colons.
std::string_view lane_of(std::string_view key) {
    constexpr std::string_view kMark = "}:lane:";
    const auto at = key.find(kMark);
    if (at == std::string_view::npos || !key.starts_with("ff:idx:")) return {};
    const std::string_view rest = key.substr(at + kMark.size());
    for (const std::string_view end : {":eligible", ":active", ":terminal"})
        if (rest.ends_with(end)) return rest.substr(0, rest.size() - end.size());
    return {};
}

/// An element of a reply as text; empty where there is none.
std::string_view word(const store::Reply& reply, std::size_t index) {
    const auto items = reply.items();
    return index < items.size() ? items[index].text().value_or("") : std::string_view();
}

bool succeeded(const store::Reply& reply) {
    return !reply.items().empty() && reply.items().front().to_integer() == 1;
}

}  // namespace

WatchedCall::WatchedCall(const resp::Command& command) {
    const auto args = command.args();
    if (args.size() < 3 || args[0] != "FCALL") return;
    const bool known =
        args[1] == kGroupPolicy || std::ranges::find(kWatched, args[1]) != kWatched.end();
    const auto count = parse_u64(args[2]);
    if (!known || !count || *count > args.size() - 3) return;
    function_ = args[1];
    for (const std::string_view key : args.subspan(3, *count)) {
        const std::string_view lane = lane_of(key);
        if (lane.empty()) continue;
        lane_ = lane;
        break;
    }
    if (args.size() > 3 + *count) first_ = args[3 + *count];
}

bool WatchedCall::gives_lease(const store::Reply& reply) const {
    if (function_.find("claim") == std::string::npos) return false;
    const auto items = reply.items();
    if (function_ == "ff_complete_and_claim") {
        return items.size() > 3 && word(items[3], 1) == "OK" && items[3].items().size() > 2 &&
               !items[3].items()[2].items().empty();
    }
    if (function_ == "ff_claim_batch") {
        return word(reply, 1) == "OK" && items.size() > 2 && !items[2].items().empty();
    }
    return word(reply, 1) == "OK";
}

void WatchedCall::observe(const store::Reply& reply, std::chrono::nanoseconds took,
                          WorkProbe& probe) const {
    const bool ok = succeeded(reply);
    if (function_ == "ff_renew_lease") return probe.lease_renewed(ok);
    if (!ok) return;
    if (gives_lease(reply)) probe.lease_taken(lane_, took);
    if (function_ == "ff_claim_batch") {
        observe_claims(reply, probe);
    } else if (function_ == "ff_complete_and_claim") {
        const auto items = reply.items();
        const auto ends = items.size() > 2 ? items[2].items() : items.first(0);
        const auto completed = std::ranges::count_if(
            ends, [](const store::Reply& item) { return word(item, 2) == "completed"; });
        if (completed > 0) probe.attempts_ended(lane_, "ok", static_cast<std::uint64_t>(completed));
        if (items.size() > 3 && succeeded(items[3])) observe_claims(items[3], probe);
    } else if (function_ == "ff_report_usage_and_check" || function_ == "ff_record_spend") {
        if (word(reply, 1) == "HARD_BREACH") probe.budget_hit(word(reply, 2));
    } else if (function_ == "ff_admit_batch") {
        observe_verdicts(reply, probe);
    } else if (function_ == "ff_cascade_completion") {
        observe_cascade(reply, probe);
    } else if (function_ == "ff_cancel_flow_members") {
        observe_cancels(reply, probe);
    } else if (function_ == "ff_reconcile_dependencies") {
        const std::string_view result = word(reply, 3);
        if (result == "promoted" || result == "skipped") probe.dependency_reconciled();
    } else if (function_ == kGroupPolicy) {
        if (word(reply, 2) == "set") probe.edge_group_set(first_);
    } else if (function_.find("claim") != std::string::npos) {
        if (word(reply, 1) == "OK") probe.claimed(lane_, word(reply, 7), 1);
    } else {
        observe_end(reply, probe);
    }
}

void WatchedCall::observe_end(const store::Reply& reply, WorkProbe& probe) const {
    const std::string_view what = word(reply, 2);
    if (what == "completed") probe.attempts_ended(lane_, "ok", 1);
    if (what == "retry_scheduled") probe.attempts_ended(lane_, "retry", 1);
    if (what == "terminal_failed") probe.attempts_ended(lane_, "error", 1);
    if (what == "expired") probe.attempts_ended(lane_, "timeout", 1);
    if (what == "cancelled") probe.attempts_ended(lane_, "cancelled", 1);
}

/// A repetition hands out what was counted before.
void WatchedCall::observe_claims(const store::Reply& reply, WorkProbe& probe) const {
    constexpr std::size_t kAttemptType = 6;
    if (word(reply, 1) != "OK" || reply.items().size() < 3) return;
    // Finding a figure by its labels costs more than counting: those of one kind together.
    const auto tasks = reply.items()[2].items();
    for (std::size_t first = 0; first < tasks.size();) {
        const std::string_view kind = word(tasks[first], kAttemptType);
        std::size_t end = first + 1;
        while (end < tasks.size() && word(tasks[end], kAttemptType) == kind) ++end;
        probe.claimed(lane_, kind, end - first);
        first = end;
    }
    observe_waits(tasks, probe);
}

/// A later attempt has waited for more than a worker.
void WatchedCall::observe_waits(std::span<const store::Reply> tasks, WorkProbe& probe) const {
    constexpr std::size_t kAttemptType = 6;
    constexpr std::size_t kKind = 7;
    constexpr std::size_t kCreatedAt = 11;
    std::map<std::string_view, std::vector<Timestamp>> created;
    for (const store::Reply& task : tasks) {
        if (word(task, kAttemptType) != "initial") continue;
        const auto at = parse_i64(word(task, kCreatedAt));
        if (at) created[word(task, kKind)].push_back(timestamp_from_ms(*at));
    }
    for (const auto& [kind, times] : created) probe.first_attempts(lane_, kind, times);
}

/// `{1,"OK",resolved,made_eligible,skipped,cursor,groups_flagged}`
void WatchedCall::observe_cascade(const store::Reply& reply, WorkProbe& probe) {
    const auto figure = [&reply](std::size_t at) { return parse_u64(word(reply, at)).value_or(0); };
    probe.edges_resolved(figure(2));
    probe.groups_evaluated("eligible", figure(3));
    probe.groups_evaluated("skipped", figure(4));
    probe.groups_evaluated("cancel_remaining", figure(6));
}

/// `{1,"OK",owed,cursor,cancelled,already_terminal,not_found,draining,failed,...}`
void WatchedCall::observe_cancels(const store::Reply& reply, WorkProbe& probe) {
    constexpr std::size_t kFirst = 4;
    constexpr std::array<std::string_view, 5> kDispositions = {"cancelled", "already_terminal",
                                                               "not_found", "draining", "failed"};
    for (std::size_t i = 0; i < kDispositions.size(); ++i) {
        const std::uint64_t members = parse_u64(word(reply, kFirst + i)).value_or(0);
        if (members > 0) probe.members_cancelled(kDispositions.at(i), members);
    }
}

void WatchedCall::observe_verdicts(const store::Reply& reply, WorkProbe& probe) {
    for (std::size_t i = 2; i < reply.items().size(); i += 2) {
        if (word(reply, i) == "RATE_EXCEEDED") probe.quota_hit("rate");
        if (word(reply, i) == "CONCURRENCY_EXCEEDED") probe.quota_hit("concurrency");
    }
}

}  // namespace ff::app
