#include "sdk/runtime_core.h"

#include <algorithm>

#include "base/log.h"
#include "base/thread_manners.h"
#include "model/kind_set.h"
#include "sdk/public_error.h"

namespace ff::sdk {

using flowfabric::Done;
using flowfabric::Error;
using flowfabric::Millis;
using flowfabric::Result;
using std::chrono::steady_clock;

namespace {

constexpr std::size_t kTurnMax = 256;
/// Calls at a time while work is claimed ahead.
constexpr std::size_t kTurners = 2;
constexpr Millis kLongPoll{20'000};
/// How many hands are woken at the same time. A hand on its way finds more for itself, or wakes the
/// next one; short handlers are done before a second hand has come.
constexpr std::size_t kComingHandsMost = 2;
/// After so long, what was claimed ahead and not begun goes to other workers.
constexpr Millis kAheadMost{250};
/// How long results wait for others at most.
constexpr std::chrono::microseconds kGatherMost{500};

}  // namespace

RuntimeCore::~RuntimeCore() {
    stop(Millis(0));
    join();
}

void RuntimeCore::start() {
    {
        const std::lock_guard lock(mutex_);
        returned_ = false;
    }
    runner_ = std::jthread([this] {
        const Result<Done> ended = run();
        if (!ended) log::error("sdk", "runtime_ended", {{"code", ended.error().code}});
    });
}

Result<Done> RuntimeCore::run() {
    const GivesWay gives_way;
    worker.core()->set_capacity(limit);
    if (worker.config().kinds.empty()) worker.core()->set_kinds(wanted_kinds());
    {
        const std::lock_guard lock(mutex_);
        if (ran_) return flowfabric::config_error("a runtime runs once");
        ran_ = true;
        returned_ = false;
        ahead_.emplace(limit);
    }
    {
        // All have ended before the end below: only then is it known which claims had no reply.
        const std::jthread waiter([this] { wait_for_work(); });
        std::vector<std::jthread> others;
        while (others.size() + 1 < kTurners) {
            others.emplace_back([this] {
                while (wait_for_turn(false)) turn();
            });
        }
        while (wait_for_turn(true)) turn();
    }
    drain();
    worker.core()->give_back_unanswered();
    // A restart need not wait for the registration to run out.
    const Result<Done> left = worker.disconnect();
    if (!left) log::warn("sdk", "disconnect_failed", {{"code", left.error().code}});
    const std::lock_guard lock(mutex_);
    returned_ = true;
    changed_.notify_all();
    if (ended_with_) return *ended_with_;
    return Done{};
}

std::vector<std::string> RuntimeCore::wanted_kinds() const {
    const bool asks = unknown_kind == flowfabric::UnknownKind::Release &&
                      handlers.size() <= model::KindSet::kKindsMax;
    std::vector<std::string> kinds;
    if (!asks) return kinds;
    for (const auto& [kind, handler] : handlers) kinds.push_back(kind);
    return kinds;
}

/// Handlers that began together end together, but not at the same moment. To send the first result
/// alone would make all others wait for a second turn: waits until as many have come as were sent
/// the last time, though never longer than a quarter of what that turn took, and not at all for
/// results that come one by one.
bool RuntimeCore::wait_for_turn(bool first) {
    std::unique_lock lock(mutex_);
    gate_.wait(lock,
               [&] { return stopping_ || (!turner_waits_ && (first || ahead_->tasks() > 0)); });
    turner_waits_ = true;
    gather_for_ = 1;
    give_back_stale(lock);
    wait_for_reason(lock);
    const std::size_t expected = ahead_->tasks() > 0 ? turn_most() : last_sent_;
    gather_for_ = expected - expected / 8;
    const auto due = [&] { return stopping_ || has_gathered() || (hungry_ && has_room()); };
    if (!due()) {
        turner_.wait_for(lock, std::min<steady_clock::duration>(last_took_ / 4, kGatherMost), due);
    }
    turner_waits_ = false;
    gate_.notify_all();
    return !stopping_;
}

void RuntimeCore::wait_for_reason(std::unique_lock<std::mutex>& lock) {
    while (!stopping_ && finished_.empty() && !(hungry_ && has_room())) {
        if (ready_.empty()) {
            turner_.wait(lock);
        } else {
            turner_.wait_until(lock, ready_.front().since + kAheadMost);
            give_back_stale(lock);
        }
    }
}

/// Handlers take longer than they did: leaves what they do not come to, and claims no more than
/// there are hands for until they are known again.
void RuntimeCore::give_back_stale(std::unique_lock<std::mutex>& lock) {
    const auto stale_before = steady_clock::now() - kAheadMost;
    if (ready_.empty() || ready_.front().since > stale_before) return;
    ahead_->stalled();
    worker.core()->capacity().resize(limit);
    give_back_ready(lock, stale_before);
}

void RuntimeCore::give_back_ready(std::unique_lock<std::mutex>& lock,
                                  steady_clock::time_point before) {
    while (!ready_.empty() && ready_.front().since <= before) {
        const State state = std::move(ready_.front().task);
        ready_.pop_front();
        running_.erase(state);
        lock.unlock();
        state->give_back();
        lock.lock();
    }
}

bool RuntimeCore::has_gathered() const {
    return finished_.size() >= gather_for_ || finished_.size() == running_.size();
}

void RuntimeCore::tell_turner() {
    if (turner_waits_) turner_.notify_one();
}

void RuntimeCore::tell_of_results() {
    if (stopping_ || (!finished_.empty() && has_gathered())) tell_turner();
    tell_of_room();
}

void RuntimeCore::tell_of_room() {
    if (!has_room()) return;
    if (hungry_) {
        tell_turner();
    } else {
        waiter_.notify_one();
    }
}

void RuntimeCore::stop(Millis drain_timeout) {
    {
        std::unique_lock lock(mutex_);
        if (!stopping_) {
            stopping_ = true;
            drain_until_ = steady_clock::now() + drain_timeout;
        }
        changed_.notify_all();
        turner_.notify_one();
        waiter_.notify_one();
    }
    stop_claims_.request_stop();
    std::unique_lock lock(mutex_);
    const bool from_inside = std::any_of(threads_.begin(), threads_.end(), [](const auto& thread) {
        return thread.get_id() == std::this_thread::get_id();
    });
    if (from_inside) return;
    changed_.wait(lock, [this] { return returned_; });
}

void RuntimeCore::join() {
    if (runner_.joinable()) runner_.join();
    for (std::jthread& thread : threads_) {
        if (thread.joinable()) thread.join();
    }
}

std::vector<Capacity::Permit> RuntimeCore::take_permits(std::size_t most) {
    std::vector<Capacity::Permit> permits;
    while (permits.size() < most) {
        auto permit = worker.core()->capacity().try_take();
        if (!permit) break;
        permits.push_back(*std::move(permit));
    }
    return permits;
}

std::size_t RuntimeCore::turn_most() const {
    const std::size_t ahead = ahead_->tasks();
    if (ahead == 0) return kTurnMax;
    return std::min(kTurnMax, (limit + ahead + kTurners - 1) / kTurners);
}

std::vector<RuntimeCore::Finished> RuntimeCore::take_finished(bool& claim, std::size_t& most) {
    std::vector<Finished> sent;
    const std::lock_guard lock(mutex_);
    claim = !stopping_;
    most = turn_most();
    if (finished_.size() <= most) {
        sent.swap(finished_);
        return sent;
    }
    const auto end = finished_.begin() + static_cast<std::ptrdiff_t>(most);
    std::move(finished_.begin(), end, std::back_inserter(sent));
    finished_.erase(finished_.begin(), end);
    return sent;
}

void RuntimeCore::turn() {
    bool claim = false;
    std::size_t most = 0;
    std::vector<Finished> sent = take_finished(claim, most);
    std::vector<HotCompletion> completions;
    std::vector<Capacity::Permit> permits;
    completions.reserve(sent.size());
    for (Finished& one : sent) {
        completions.push_back({.lease = one.task->lease(), .result = one.result});
        const std::lock_guard lock(one.task->mutex);
        // The hand that is free once this is completed takes the next task in the same call.
        if (claim && one.task->permit) permits.push_back(*std::move(one.task->permit));
        if (claim) one.task->permit.reset();
    }
    if (claim) {
        while (!permits.empty() && worker.core()->capacity().exceeded()) permits.pop_back();
        std::vector<Capacity::Permit> more = take_permits(most - std::min(most, permits.size()));
        std::move(more.begin(), more.end(), std::back_inserter(permits));
    }
    if (completions.empty() && permits.empty()) return;
    const std::size_t asked = permits.size();
    const auto begun = steady_clock::now();
    auto turned = worker.core()->take_turn(permits, Millis(0), std::move(completions));
    if (!turned) {
        const std::lock_guard lock(mutex_);
        for (Finished& one : sent) {
            const std::lock_guard task_lock(one.task->mutex);
            if (!permits.empty()) {
                one.task->permit = std::move(permits.back());
                permits.pop_back();
            }
        }
        std::move(sent.begin(), sent.end(), std::back_inserter(finished_));
    }
    if (!turned) {
        recover(turned.error());
        return;
    }
    permits.clear();
    {
        const std::lock_guard lock(mutex_);
        pause_ = Millis(0);
        last_sent_ = sent.size();
        last_took_ = steady_clock::now() - begun;
        ahead_->called(last_took_);
        worker.core()->capacity().resize(limit + ahead_->tasks());
        if (asked > 0) hungry_ = turned->tasks.size() == asked;
        give_out(std::move(turned->tasks));
        tell_of_room();
    }
    settle(std::move(sent), turned->completions);
}

void RuntimeCore::settle(std::vector<Finished> sent,
                         const std::vector<std::optional<Error>>& outcomes) {
    std::vector<Finished> again;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        const std::optional<Error>& failure = outcomes[i];
        if (failure && !failure->answered()) {
            again.push_back(std::move(sent[i]));
            continue;
        }
        if (failure)
            log::warn("sdk", "completion_refused",
                      {{"execution_id", sent[i].task->info.execution_id}, {"code", failure->code}});
        sent[i].task->end();
    }
    const std::lock_guard lock(mutex_);
    for (const Finished& one : sent) {
        if (one.task) running_.erase(one.task);
    }
    std::move(again.begin(), again.end(), std::back_inserter(finished_));
    tell_of_room();
}

void RuntimeCore::give_out(std::vector<State> tasks) {
    const auto now = steady_clock::now();
    for (State& task : tasks) {
        running_.insert(task);
        ready_.push_back({.task = std::move(task), .since = now});
    }
    // More than there are hands for: somebody has to see that they do not wait for ever.
    if (running_.size() > limit) tell_turner();
    wake_hands();
}

void RuntimeCore::wake_hands() {
    while (coming_hands_ < std::min(kComingHandsMost, ready_.size())) {
        if (idle_hands_ > coming_hands_) {
            hands_.notify_one();
        } else if (threads_.size() < limit) {
            threads_.emplace_back([this] { work(); });
            ++idle_hands_;
        } else {
            return;
        }
        ++coming_hands_;
    }
}

void RuntimeCore::wait_for_work() {
    while (true) {
        {
            std::unique_lock lock(mutex_);
            waiter_.wait(lock, [this] { return stopping_ || (!hungry_ && has_room()); });
            if (stopping_) return;
        }
        // For the hands only: what is claimed ahead would wait at the server without a need.
        std::vector<Capacity::Permit> permits = take_permits(std::min(limit, kTurnMax));
        if (permits.empty()) continue;
        const std::size_t asked = permits.size();
        auto turned = worker.core()->take_turn(permits, kLongPoll, {}, stop_claims_.get_token());
        if (!turned) {
            permits.clear();
            if (stop_claims_.stop_requested() || !recover(turned.error())) return;
            continue;
        }
        permits.clear();
        std::unique_lock lock(mutex_);
        if (stopping_) {
            lock.unlock();
            for (const State& task : turned->tasks) task->give_back();
            return;
        }
        if (turned->tasks.size() == asked) hungry_ = true;
        give_out(std::move(turned->tasks));
        if (hungry_) tell_of_room();
    }
}

bool RuntimeCore::recover(const Error& error) {
    std::unique_lock lock(mutex_);
    if (!error.retryable() && error.answered()) {
        if (!ended_with_) ended_with_ = error;
        if (!stopping_) drain_until_ = steady_clock::now();
        stopping_ = true;
        stop_claims_.request_stop();
        changed_.notify_all();
        turner_.notify_one();
        waiter_.notify_one();
        return false;
    }
    pause_ =
        pause_.count() == 0
            ? backoff.initial
            : std::min(backoff.max, std::chrono::duration_cast<Millis>(pause_ * backoff.factor));
    log::warn("sdk", "claim_failed",
              {{"code", error.code}, {"kind", error.kind}, {"pause_ms", pause_.count()}});
    changed_.wait_for(lock, pause_, [this] { return stopping_; });
    return !stopping_;
}

void RuntimeCore::work() {
    std::unique_lock lock(mutex_);
    --coming_hands_;
    while (true) {
        while (ready_.empty() && !closed_) {
            hands_.wait(lock);
            if (coming_hands_ > 0) --coming_hands_;
        }
        if (ready_.empty()) return;
        const State state = std::move(ready_.front().task);
        ready_.pop_front();
        const auto begun = steady_clock::now();
        --idle_hands_;
        wake_hands();
        // Whoever begins the last task tells of what ended before it: it may take long.
        if (ready_.empty()) tell_of_results();
        lock.unlock();
        handle(state);
        lock.lock();
        ahead_->handled(steady_clock::now() - begun);
        ++idle_hands_;
        if (ready_.empty() || stopping_) tell_of_results();
    }
}

void RuntimeCore::drain() {
    const auto idle = [this] { return running_.empty() || !finished_.empty(); };
    const auto begun = steady_clock::now();
    bool asked = false;
    while (true) {
        std::unique_lock lock(mutex_);
        give_back_ready(lock, steady_clock::time_point::max());
        const auto half = begun + (drain_until_ - begun) / 2;
        turner_waits_ = true;
        turner_.wait_until(lock, asked ? drain_until_ : half, idle);
        turner_waits_ = false;
        if (!finished_.empty()) {
            lock.unlock();
            turn();
            lock.lock();
        }
        if (running_.empty() || steady_clock::now() >= drain_until_) break;
        if (!asked && steady_clock::now() >= half) {
            asked = true;
            for (const State& state : running_) state->stop.request_stop();
        }
    }
    std::set<State> left;
    std::deque<Ready> unbegun;
    {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        left.swap(running_);
        unbegun.swap(ready_);
        finished_.clear();
        changed_.notify_all();
        hands_.notify_all();
    }
    for (const Ready& one : unbegun) one.task->give_back();
    for (const State& state : left) {
        if (state->has_ended()) continue;
        state->stop.request_stop();
        flowfabric::Task task(state);
        const auto released = task.release();
        if (!released) log::warn("sdk", "release_failed", {{"code", released.error().code}});
    }
}

}  // namespace ff::sdk
