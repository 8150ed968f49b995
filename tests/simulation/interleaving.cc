#include "simulation/interleaving.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "simulation/virtual_clock.h"

// A search in the manner of Wing and Gong: the next call is one that began before any of those left
// was answered. What was seen before, as calls done and state, is not tried twice.

namespace ff::simulation {
namespace {

using Answer = Call::Answer;
using End = OneAtATime::End;

constexpr std::size_t kCallsMost = 64;
constexpr std::size_t kStepsMost = 200'000;

std::string_view name_of(Act act) {
    constexpr std::array<std::string_view, 11> kNames = {
        "claim",   "renew",  "complete", "fail",   "retry", "give back",
        "suspend", "signal", "revoke",   "cancel", "replay"};
    return kNames[static_cast<std::size_t>(act)];
}

std::string_view name_of(Answer answer) {
    constexpr std::array<std::string_view, 5> kNames = {"done", "done or repeated", "fenced",
                                                        "has ended", "unknown"};
    return kNames[static_cast<std::size_t>(answer)];
}

bool needs_lease(Act act) {
    return act != Act::Claim && act != Act::Signal && act != Act::Cancel && act != Act::Replay &&
           act != Act::Revoke;
}

End end_by(Act act) {
    if (act == Act::Complete) return End::Completed;
    return act == Act::Fail ? End::Failed : End::Cancelled;
}

/// The calls of one execution, with a number for each key.
class Search {
  public:
    Search(const std::vector<Call>& calls, bool ends_alone)
        : calls_(calls), ends_alone_(ends_alone) {
        std::map<std::pair<Act, std::string>, std::size_t> keys;
        for (const Call& call : calls) {
            const auto key = std::pair(call.act == Act::Retry ? Act::Fail : call.act, call.key);
            key_.push_back(keys.emplace(key, keys.size()).first->second);
            if (call.answer != Answer::Unknown) answered_ |= bit(key_.size() - 1);
        }
    }

    bool run() { return try_from(0, {}); }

  private:
    static std::uint64_t bit(std::size_t place) { return std::uint64_t{1} << place; }

    bool has_happened(const OneAtATime& now, std::size_t at) const {
        return (now.past & bit(key_[at])) != 0;
    }

    /// Whoever cancels what somebody else has cancelled is told the same.
    static bool is_cancelled(const Call& call, const OneAtATime& now) {
        return call.act == Act::Cancel && (now.end == End::Cancelled || now.end == End::Other);
    }

    /// What the call changes if it happens now; nothing if it cannot.
    std::optional<OneAtATime> after(OneAtATime now, std::size_t at) const {
        const Call& call = calls_[at];
        if (needs_lease(call.act) && (!now.leased || now.epoch != call.epoch)) return std::nullopt;
        if ((now.end == End::None) == (call.act == Act::Replay)) return std::nullopt;
        switch (call.act) {
            case Act::Claim:
                if (call.epoch <= now.epoch) return std::nullopt;
                now.epoch = call.epoch;
                now.leased = true;
                break;
            case Act::Renew:
                break;
            case Act::Complete:
            case Act::Fail:
            case Act::Cancel:
                now.end = end_by(call.act);
                now.leased = false;
                break;
            case Act::Revoke:
                // Also one that has expired, as long as nobody has taken over, or one that nobody
                // was told of.
                if (call.epoch < now.epoch) return std::nullopt;
                now.epoch = call.epoch;
                now.leased = false;
                break;
            case Act::Retry:
            case Act::GiveBack:
            case Act::Suspend:
                now.leased = false;
                break;
            case Act::Signal:
                if (has_happened(now, at)) return std::nullopt;
                break;
            case Act::Replay:
                now.end = End::None;
                break;
        }
        now.past |= bit(key_[at]);
        return now;
    }

    /// What can have happened by nobody's call before the next one.
    std::vector<OneAtATime> by_nobody(const OneAtATime& now) const {
        std::vector<OneAtATime> all = {now};
        if (now.leased) {
            all.push_back(now);
            all.back().leased = false;
        }
        if (ends_alone_ && now.end == End::None) {
            all.push_back(now);
            all.back().leased = false;
            all.back().end = End::Other;
        }
        return all;
    }

    /// The states in which the call can have got its answer.
    void outcomes(const OneAtATime& now, std::size_t at, std::vector<OneAtATime>& found) const {
        const Call& call = calls_[at];
        const auto happens = after(now, at);
        switch (call.answer) {
            case Answer::Done:
            case Answer::Unknown:
                if (happens) found.push_back(*happens);
                break;
            case Answer::Again:
                if (happens) found.push_back(*happens);
                if (has_happened(now, at) || is_cancelled(call, now)) found.push_back(now);
                break;
            case Answer::Fenced:
                if (!happens) found.push_back(now);
                break;
            case Answer::Ended:
                if (now.end != End::None) found.push_back(now);
                break;
        }
    }

    /// When the first of those that are left was answered.
    Call::Moment first_told(std::uint64_t done) const {
        Call::Moment first = Call::Moment::max();
        for (std::size_t i = 0; i < calls_.size(); ++i)
            if ((done & bit(i)) == 0 && (answered_ & bit(i)) != 0)
                first = std::min(first, calls_[i].told);
        return first;
    }

    bool try_from(std::uint64_t done, const OneAtATime& now) {
        if ((done & answered_) == answered_) return true;
        if (++steps_ > kStepsMost) return true;
        if (!seen_.emplace(done, now).second) return false;
        const Call::Moment first = first_told(done);
        for (std::size_t i = 0; i < calls_.size(); ++i) {
            if ((done & bit(i)) != 0 || calls_[i].begun > first) continue;
            std::vector<OneAtATime> found;
            for (const OneAtATime& before : by_nobody(now)) outcomes(before, i, found);
            for (const OneAtATime& next : found)
                if (try_from(done | bit(i), next)) return true;
        }
        return false;
    }

    const std::vector<Call>& calls_;
    bool ends_alone_;
    std::vector<std::size_t> key_{};
    std::uint64_t answered_ = 0;
    std::size_t steps_ = 0;
    std::set<std::pair<std::uint64_t, OneAtATime>> seen_{};
};

}  // namespace

std::string Call::to_text() const {
    const auto seconds = [](Moment moment) {
        return std::to_string(std::chrono::duration<double>(moment - kBegin).count());
    };
    const std::string until = told == Moment::max() ? "never" : seconds(told);
    return std::string(name_of(act)) + (epoch == 0 ? "" : " of epoch " + std::to_string(epoch)) +
           " from " + seconds(begun) + " to " + until + ": " + std::string(name_of(answer));
}

bool has_order(const std::vector<Call>& calls, bool ends_alone) {
    if (calls.size() > kCallsMost) return true;
    return Search(calls, ends_alone).run();
}

void Interleavings::add_claim(const model::ExecutionId& id, std::uint64_t epoch,
                              Call::Moment begun) {
    if (!claimed_.emplace(id, epoch).second) return;
    add(id, {.act = Act::Claim,
             .epoch = epoch,
             .key = std::to_string(epoch),
             .answer = Call::Answer::Done,
             .begun = begun,
             .told = SteadyClock::now()});
}

std::optional<Interleavings::Impossible> Interleavings::find() const {
    for (const auto& [id, calls] : calls_) {
        const bool ends_alone = alone_.contains(id);
        if (has_order(calls, ends_alone)) continue;
        // The shortest beginning without an order says what is wrong with it.
        std::vector<Call> sorted = calls;
        std::ranges::sort(sorted, {}, &Call::told);
        const auto unknown = std::ranges::find(sorted, Answer::Unknown, &Call::answer);
        std::vector<Call> part(unknown, sorted.end());
        for (auto call = sorted.begin(); call != unknown && has_order(part, ends_alone); ++call)
            part.push_back(*call);
        std::string what = "no order explains";
        for (const Call& call : part) what += "; " + call.to_text();
        return Impossible{.id = id, .what = std::move(what)};
    }
    return std::nullopt;
}

}  // namespace ff::simulation
