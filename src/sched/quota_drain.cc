#include "sched/quota_drain.h"

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "base/numbers.h"
#include "engine/operation.h"
#include "engine/quota.h"
#include "model/index_keys.h"

namespace ff::sched {
namespace {

constexpr std::string_view kPage = "256";
constexpr std::size_t kBatch = 256;

struct Entry {
    std::string quota{};
    engine::EpochOf slot{};
};

/// `<quota_id>|<execution_id>` and, of what was admitted under an epoch, `|<epoch>`; the execution
/// is empty if it is neither.
Entry parse_member(std::string_view member) {
    const std::size_t bar = member.find('|');
    if (bar == std::string_view::npos) return {};
    Entry entry{.quota = std::string(member.substr(0, bar))};
    const std::string_view rest = member.substr(bar + 1);
    const std::size_t end = rest.find('|');
    entry.slot.execution_id = rest.substr(0, end);
    if (end == std::string_view::npos) return entry;
    const auto epoch = parse_i64(rest.substr(end + 1));
    if (!epoch) return {};
    entry.slot.epoch = *epoch;
    return entry;
}

}  // namespace

Task<std::size_t> drain_quota_releases(store::Store& store, std::uint16_t partition,
                                       model::PartitionConfig partitions) {
    const std::string outbox = model::IndexKeys(partition).quota_release();
    store::Call read = store::plain({"SSCAN", outbox, "0", "COUNT", kPage}, true);
    FF_CO_TRY(const store::Reply page, co_await store.call(std::move(read)));
    const auto parts = page.items();
    std::map<std::string, std::vector<engine::EpochOf>> by_quota;
    std::vector<std::string> members;
    if (parts.size() == 2) {
        for (const store::Reply& item : parts[1].items()) {
            const std::string member(item.text().value_or(""));
            Entry entry = parse_member(member);
            members.push_back(member);
            if (!entry.slot.execution_id.empty())
                by_quota[entry.quota].push_back(std::move(entry.slot));
        }
    }
    if (members.empty()) co_return std::size_t{0};
    std::vector<engine::ReleaseAdmissionBatch> releases;
    for (auto& [quota, executions] : by_quota) {
        const auto id = model::QuotaPolicyId::parse(quota);
        if (!id) continue;
        // A scan may answer with more than it was asked for.
        for (std::size_t from = 0; from < executions.size(); from += kBatch) {
            const std::size_t to = std::min(from + kBatch, executions.size());
            engine::ReleaseAdmissionBatch release{.quota = {.id = *id, .partitions = partitions}};
            release.executions.assign(executions.begin() + static_cast<std::ptrdiff_t>(from),
                                      executions.begin() + static_cast<std::ptrdiff_t>(to));
            releases.push_back(std::move(release));
        }
    }
    std::size_t freed = 0;
    if (!releases.empty()) {
        const auto outcomes = co_await engine::run_all(store, std::move(releases));
        for (const auto& outcome : outcomes) {
            if (outcome) {
                freed += static_cast<std::size_t>(*outcome);
            } else if (outcome.error().code != "quota_policy_not_found") {
                co_return outcome.error();
            }
        }
    }
    store::Call remove;
    remove.command.arg("SREM").arg(outbox);
    for (const std::string& member : members) remove.command.arg(member);
    remove.resend_safe = true;
    FF_CO_TRY(const store::Reply removed, co_await store.call(std::move(remove)));
    co_return freed;
}

}  // namespace ff::sched
