#include "simulation/ledger.h"

#include <algorithm>

namespace ff::simulation {
namespace {

/// Stored times are whole milliseconds.
constexpr Millis kRounding{1};

/// Whichever of the two was told last may have come first.
bool may_lie_between(const KnownReplay& replay, const KnownEnd& one, const KnownEnd& other) {
    return replay.begun <= std::max(one.told, other.told) &&
           replay.ended >= std::min(one.begun, other.begun);
}

}  // namespace

void Ledger::created(const Creation& creation) {
    Subject& subject = subjects_[creation.id];
    subject.acknowledged = true;
    if (creation.key.empty()) return;
    const auto [known, fresh] = by_key_.emplace(creation.ns + "/" + creation.key, creation.id);
    if (!fresh && known->second != creation.id)
        broke("an idempotency key names one execution", creation.id,
              "the key " + creation.key + " had named " + known->second.to_string());
}

KnownLease* Ledger::find(const model::ExecutionId& id, const engine::Fence& fence) {
    Subject& subject = subjects_[id];
    const auto same = [&](const KnownLease& one) { return one.fence == fence; };
    const auto found = std::ranges::find_if(subject.leases, same);
    return found == subject.leases.end() ? nullptr : &*found;
}

/// Members of flows run after what they depend on.
void Ledger::check_upstream(const model::ExecutionId& id, const Subject& subject) {
    std::size_t done = 0;
    for (const model::ExecutionId& upstream : subject.upstream) {
        done += subjects_[upstream].may_have_succeeded ? 1 : 0;
    }
    if (done < subject.upstream_least)
        broke("members run after their dependencies", id,
              "it was claimed when " + std::to_string(done) + " of " +
                  std::to_string(subject.upstream_least) +
                  " upstream executions can have succeeded");
}

/// An edge counts for whatever is let in after it.
void Ledger::check_late_upstream(const Taken& taken, const Subject& subject) {
    for (const auto& [upstream, told] : subject.late_upstream)
        if (!taken.reclaimed && told < taken.begun && !subjects_[upstream].may_have_succeeded)
            broke("members run after their dependencies", taken.id,
                  "it was claimed before " + upstream.to_string() + " can have succeeded");
}

void Ledger::taken(const Taken& taken) {
    Subject& subject = subjects_[taken.id];
    if (KnownLease* same = find(taken.id, taken.fence)) {
        same->until_least = std::max(same->until_least, taken.expires);
        same->until_most = std::max(same->until_most, taken.expires);
        return;
    }
    if (taken.has_payload && subject.known && taken.payload != subject.payload)
        broke("payloads and results come back byte for byte", taken.id,
              "the worker got another payload than was submitted");
    for (const KnownLease& other : subject.leases) {
        const std::uint64_t epoch = taken.fence.lease_epoch.value;
        const std::uint64_t other_epoch = other.fence.lease_epoch.value;
        if (epoch == other_epoch)
            broke("no two leases are valid at once", taken.id,
                  "epoch " + std::to_string(epoch) + " was given to two claims");
        if (other.taken < taken.begun && epoch < other_epoch)
            broke("no two leases are valid at once", taken.id,
                  "epoch " + std::to_string(epoch) + " came after " + std::to_string(other_epoch));
        const bool over = subject.ends_by_itself || other.may_end_from.has_value() ||
                          other.until_least <= process_.leases_end_by() + kRounding;
        if (epoch > other_epoch && !over)
            broke("no two leases are valid at once", taken.id,
                  "epoch " + std::to_string(epoch) + " was given while " +
                      std::to_string(other_epoch) + " was valid");
    }
    if (taken.resumed && !subject.may_go_on)
        broke("work given back unbegun comes as it was", taken.id,
              "it was handed out as one to go on with");
    // A replay does not wait again.
    if (subject.not_before && subject.replays.empty() && now() + kRounding < *subject.not_before)
        broke("delayed work waits for its time", taken.id, "it was claimed too early");
    if (!subject.upstream.empty()) check_upstream(taken.id, subject);
    check_late_upstream(taken, subject);
    subject.leases.push_back({.fence = taken.fence,
                              .begun = taken.begun,
                              .taken = now(),
                              .until_least = taken.expires,
                              .until_most = taken.expires});
    // The lease was there before its worker heard of it, and may have met its end by then.
    if (subject.last_ending && *subject.last_ending >= taken.begun)
        subject.leases.back().may_end_from = taken.begun;
}

void Ledger::renewed(const model::ExecutionId& id, const engine::Fence& fence, Timestamp begun,
                     Timestamp until) {
    accepted(id, fence, begun, "renew");
    KnownLease* lease = find(id, fence);
    if (lease == nullptr) return;
    lease->until_least = until;
    lease->until_most = std::max(lease->until_most, until);
}

void Ledger::may_be_renewed(const model::ExecutionId& id, const engine::Fence& fence, Millis ttl) {
    KnownLease* lease = find(id, fence);
    if (lease == nullptr) return;
    lease->until_most = std::max(lease->until_most, now() + ttl + kRounding);
    lease->until_least = std::min(lease->until_least, now());
}

void Ledger::ending(const model::ExecutionId& id, const std::optional<engine::Fence>& fence) {
    if (!fence) subjects_[id].last_ending = now();
    for (KnownLease& lease : subjects_[id].leases)
        if (!fence || lease.fence == *fence)
            lease.may_end_from = std::min(lease.may_end_from.value_or(now()), now());
}

void Ledger::repeated_claim(const std::string& claim_id,
                            const std::vector<model::ExecutionId>& first,
                            const std::vector<model::ExecutionId>& again) {
    for (const model::ExecutionId& id : again)
        if (std::ranges::find(first, id) == first.end())
            broke("a claim sent again takes nothing new", id,
                  "the claim " + claim_id + " had taken " + std::to_string(first.size()) +
                      " others before");
}

void Ledger::revoked(const model::ExecutionId& id, std::uint64_t epoch) {
    for (KnownLease& lease : subjects_[id].leases)
        if (lease.fence.lease_epoch.value == epoch && !lease.revoked) lease.revoked = now();
}

void Ledger::accepted(const model::ExecutionId& id, const engine::Fence& fence, Timestamp begun,
                      const std::string& act) {
    const KnownLease* mine = find(id, fence);
    for (const KnownLease& other : subjects_[id].leases) {
        if (other.fence.lease_epoch <= fence.lease_epoch || other.taken >= begun) continue;
        broke("nothing is accepted from a fenced worker", id,
              act + " of epoch " + fence.lease_epoch.to_string() + " was accepted after epoch " +
                  other.fence.lease_epoch.to_string() + " had been given");
    }
    if (mine != nullptr && mine->revoked && *mine->revoked < begun)
        broke("nothing is accepted from a fenced worker", id,
              act + " of epoch " + fence.lease_epoch.to_string() +
                  " was accepted after the lease had been revoked");
    if (mine != nullptr && mine->until_most + kRounding < process_.leases_last_until(begun))
        broke("nothing is accepted from a fenced worker", id,
              act + " of epoch " + fence.lease_epoch.to_string() +
                  " was accepted after the lease had expired");
}

void Ledger::fenced(const model::ExecutionId& id, const engine::Fence& fence,
                    const std::string& act) {
    const KnownLease* mine = find(id, fence);
    const Subject& subject = subjects_[id];
    if (mine == nullptr || subject.ends_by_itself || mine->may_end_from) return;
    if (mine->until_least > process_.leases_end_by() + kRounding)
        broke("a valid lease is honoured", id,
              act + " of epoch " + fence.lease_epoch.to_string() + " was refused");
}

void Ledger::ended(const model::ExecutionId& id, KnownEnd end) {
    Subject& subject = subjects_[id];
    end.told = now();
    for (const KnownEnd& other : subject.ends) {
        const bool same = other.state == end.state && other.fence == end.fence;
        const auto between = [&](const KnownReplay& replay) {
            return may_lie_between(replay, other, end);
        };
        if (same || std::ranges::any_of(subject.replays, between)) continue;
        broke("every acknowledged creation ends once", id,
              "it ended as " + std::string(to_string(other.state)) + " and as " +
                  std::string(to_string(end.state)));
    }
    subject.ends.push_back(std::move(end));
}

std::size_t Ledger::replaying(const model::ExecutionId& id, bool keeps_steps) {
    ending(id, std::nullopt);
    subjects_[id].replays.push_back({.begun = now(), .keeps_steps = keeps_steps});
    return subjects_[id].replays.size() - 1;
}

void Ledger::replayed(const model::ExecutionId& id, std::size_t number, bool may_have_happened) {
    KnownReplay& replay = subjects_[id].replays[number];
    replay.ended = may_have_happened ? now() : Timestamp::min();
    ending(id, std::nullopt);
}

}  // namespace ff::simulation
