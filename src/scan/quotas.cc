#include "scan/quotas.h"

#include <utility>

#include "base/log.h"
#include "model/exec_keys.h"
#include "model/index_keys.h"
#include "model/quota_keys.h"
#include "sched/quota_drain.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr Millis kLookForQuotasEvery{2'000};
/// While there is no quota, the outboxes are looked at only this often.
constexpr std::uint64_t kIdleCycles = 40;
constexpr std::size_t kDeadAtOnce = 500;
constexpr std::size_t kReadsPerMember = 2;

std::string policies_key(std::uint16_t partition) {
    return model::quota_policies_key({model::PartitionFamily::Quota, partition});
}

}  // namespace

asio::awaitable<bool> QuotaRelease::any_quotas(Cycle& cycle) {
    if (!look_for_quotas_.passed()) co_return quotas_;
    look_for_quotas_ = Deadline::after(kLookForQuotasEvery);
    std::vector<store::Call> reads;
    for (std::uint32_t p = 0; p < cycle.partitions().num_quota_partitions(); ++p) {
        const std::string key = policies_key(static_cast<std::uint16_t>(p));
        reads.push_back(store::plain({"SCARD", key}, true));
    }
    const auto counts = co_await cycle.store().pipeline(std::move(reads));
    bool any = false;
    for (const Result<store::Reply>& count : counts) {
        any = any || !count || count->to_integer() != 0;
    }
    quotas_ = any;
    co_return any;
}

asio::awaitable<void> QuotaRelease::cycle(Cycle& cycle) {
    const bool any = co_await any_quotas(cycle);
    if (!any && cycles_++ % kIdleCycles != 0) co_return;
    const std::vector<std::uint16_t> all = cycle.territory().occupied();
    for (std::size_t from = 0; from < all.size() && !cycle.stopping(); from += kPlacesAtOnce) {
        std::vector<std::uint16_t> some;
        std::vector<store::Call> reads;
        for (std::size_t i = from; i < all.size() && i < from + kPlacesAtOnce; ++i) {
            some.push_back(all[i]);
            const std::string key = model::IndexKeys(all[i]).quota_release();
            reads.push_back(store::plain({"SCARD", key}, true));
        }
        const auto counts = co_await cycle.store().pipeline(std::move(reads));
        std::vector<std::uint16_t> filled;
        for (std::size_t i = 0; i < some.size(); ++i) {
            if (!counts[i]) cycle.unread(counts[i].error());
            if (counts[i] && counts[i]->to_integer() != 0) filled.push_back(some[i]);
        }
        co_await drain(cycle, std::move(filled));
    }
}

asio::awaitable<void> QuotaRelease::serve_due(Cycle& cycle) {
    const std::set<std::uint16_t> announced = std::exchange(announced_, {});
    std::vector<std::uint16_t> partitions(announced.begin(), announced.end());
    co_await drain(cycle, std::move(partitions));
}

asio::awaitable<void> QuotaRelease::drain(Cycle& cycle, std::vector<std::uint16_t> partitions) {
    for (const std::uint16_t partition : partitions) {
        const std::string outbox = model::IndexKeys(partition).quota_release();
        if (cycle.skips(outbox)) continue;
        for (int page = 0; page < kPagesMax && !cycle.stopping(); ++page) {
            const auto freed =
                co_await sched::drain_quota_releases(cycle.store(), partition, cycle.partitions());
            if (!freed) cycle.failed(outbox, freed.error());
            if (!freed) break;
            store::Call count = store::plain({"SCARD", outbox}, true);
            const auto left = co_await cycle.store().call(std::move(count));
            cycle.succeeded(outbox);
            if (!left || left->to_integer() == 0) break;
        }
    }
}

std::optional<Timestamp> QuotaRelease::next_due() const {
    // The beginning of time: at once.
    return announced_.empty() ? std::nullopt : std::make_optional(Timestamp{});
}

bool QuotaRelease::announced(const Announcement& announcement) {
    if (announcement.index != "quota_release") return false;
    announced_.insert(announcement.partition.index());
    return true;
}

asio::awaitable<void> QuotaReconciler::cycle(Cycle& cycle) {
    std::vector<WalkPlace> places;
    for (const std::uint16_t p : cycle.territory().share(model::PartitionFamily::Quota)) {
        places.push_back(WalkPlace{.partition = p, .key = policies_key(p)});
    }
    policies_.begin(std::move(places));
    while (policies_.more() && !cycle.stopping()) {
        const std::vector<WalkMember> policies = co_await policies_.next(cycle);
        for (const WalkMember& policy : policies) {
            if (cycle.stopping()) co_return;
            if (!cycle.skips(policy.member)) co_await reconcile(cycle, policy);
        }
    }
}

asio::awaitable<void> QuotaReconciler::reconcile(Cycle& cycle, WalkMember policy) {
    const auto id = model::QuotaPolicyId::parse(policy.member);
    if (!id) {
        cycle.malformed(policy.member, id.error());
        co_return;
    }
    const engine::QuotaAddress quota{.id = *id, .partitions = cycle.partitions()};
    std::vector<engine::EpochOf> dead = co_await dead_members(cycle, quota);
    // At least one call: the counter itself may be wrong.
    for (std::size_t from = 0; from == 0 || from < dead.size(); from += kDeadAtOnce) {
        engine::ReconcileQuota reconcile{.quota = quota};
        for (std::size_t i = from; i < dead.size() && i < from + kDeadAtOnce; ++i) {
            reconcile.dead_executions.push_back(std::move(dead[i]));
        }
        const auto outcome = co_await engine::run(cycle.store(), std::move(reconcile));
        if (outcome) {
            cycle.succeeded(policy.member);
            if (outcome->before == outcome->after) continue;
            cycle.probe().quota_corrected();
            log::warn("scan", "quota_corrected",
                      {{"quota_id", policy.member},
                       {"before", outcome->before},
                       {"after", outcome->after}});
        } else if (outcome.error().code == "quota_policy_not_found") {
            store::Call remove = store::plain({"SREM", policy.place->key, policy.member}, true);
            const auto removed = co_await cycle.store().call(std::move(remove));
            if (!removed) cycle.unread(removed.error());
            co_return;
        } else {
            cycle.failed(policy.member, outcome.error());
            co_return;
        }
    }
}

asio::awaitable<std::vector<engine::EpochOf>> QuotaReconciler::dead_members(
    Cycle& cycle, engine::QuotaAddress quota) {
    const model::QuotaKeys keys(quota.id, quota.partitions);
    SetWalk members(100);
    members.begin({WalkPlace{.key = keys.admitted_set()}});
    std::vector<engine::EpochOf> dead;
    while (members.more() && !cycle.stopping()) {
        const std::vector<WalkMember> page = co_await members.next(cycle);
        std::vector<store::Call> reads;
        std::vector<model::ExecutionId> asked;
        for (const WalkMember& one : page) {
            const auto id = model::ExecutionId::parse(one.member);
            if (!id) continue;
            reads.push_back(store::plain({"EXISTS", keys.admitted(*id)}, true));
            reads.push_back(store::plain({"HMGET", model::ExecKeys(*id).core(), "lifecycle_phase",
                                          "grant_until", "admission_epoch"},
                                         true));
            asked.push_back(*id);
        }
        if (reads.empty()) continue;
        const auto found = co_await cycle.store().pipeline(std::move(reads));
        std::vector<engine::VoidAdmission> unused;
        for (std::size_t i = 0; i < asked.size(); ++i) {
            const Result<store::Reply>& guard = found[kReadsPerMember * i];
            const Result<store::Reply>& core = found[kReadsPerMember * i + 1];
            // What cannot be read counts as alive.
            if (!guard || !core || core->items().size() != 3) continue;
            const bool active = core->items()[0].text() == "active";
            const bool granted = core->items()[1].to_integer().value_or(0) >= to_ms(cycle.now());
            const std::string_view phase = core->items()[0].text().value_or("");
            const bool has_ended = phase.empty() || phase == "terminal";
            if (active || granted || (guard->to_integer() != 0 && !has_ended)) continue;
            unused.push_back(
                {.execution_id = asked[i], .epoch = core->items()[2].to_integer().value_or(0) + 1});
        }
        if (unused.empty()) continue;
        // Whoever was admitted but has not claimed yet must not do so with a slot that is taken
        // away, and whoever has claimed since keeps it.
        const auto voided = co_await engine::run_all(cycle.store(), unused);
        for (std::size_t i = 0; i < unused.size(); ++i) {
            if (!voided[i] || !*voided[i]) continue;
            dead.push_back(
                {.execution_id = unused[i].execution_id.to_string(), .epoch = unused[i].epoch});
        }
    }
    co_return dead;
}

}  // namespace ff::scan
