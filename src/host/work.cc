#include "host/work.h"

#include <vector>

namespace ff::host {
namespace {

/// How long a taker looks for more before it sleeps: about what a sleep and a wake-up cost.
constexpr int kLooks = 400;

void relax() {
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

}  // namespace

/// The takers that a thread owes a wake-up, while it gathers them.
struct WakeTogether::Owed {
    bool gathers = false;
    std::vector<std::shared_ptr<WorkQueue::Bell>> bells{};
};

WakeTogether::Owed& WakeTogether::owed() {
    thread_local Owed mine;
    return mine;
}

WakeTogether::WakeTogether() : outermost_(!owed().gathers) {
    owed().gathers = true;
}

WakeTogether::~WakeTogether() {
    if (!outermost_) return;
    owed().gathers = false;
    wake_now();
}

void WakeTogether::wake_now() {
    for (const auto& bell : owed().bells) bell->ring();
    owed().bells.clear();
}

WorkQueue::Push WorkQueue::push(Work& work) {
    if (size_.fetch_add(1, std::memory_order_relaxed) >= size_max_) {
        size_.fetch_sub(1, std::memory_order_relaxed);
        return Push::Full;
    }
    Work* seen = newest_.load(std::memory_order_acquire);
    do {
        if (seen == closed()) return Push::Closed;
        work.next_ = seen == asleep() ? nullptr : seen;
    } while (!newest_.compare_exchange_weak(seen, &work, std::memory_order_acq_rel,
                                            std::memory_order_acquire));
    if (seen == asleep()) {
        WakeTogether::Owed& owed = WakeTogether::owed();
        if (owed.gathers)
            owed.bells.push_back(bell_);
        else
            bell_->ring();
    }
    return Push::Taken;
}

WorkList WorkQueue::close() {
    Work* newest = newest_.exchange(closed(), std::memory_order_acq_rel);
    return newest == asleep() ? WorkList() : all_of(newest);
}

void WorkQueue::wake() {
    bell_->ring();
}

void WorkQueue::Bell::ring() {
    {
        const std::lock_guard lock(mutex);
        rung = true;
    }
    rings.notify_one();
}

WorkList WorkQueue::all_of(Work* newest) {
    WorkList list;
    std::size_t count = 0;
    // The links lead from new to old.
    for (Work* work = newest; work != nullptr; ++count) {
        Work* older = work->next_;
        work->next_ = list.first_;
        list.first_ = work;
        work = older;
    }
    list.last_ = newest;
    size_.fetch_sub(count, std::memory_order_relaxed);
    return list;
}

bool WorkQueue::await_push() const {
    for (int i = 0; i < kLooks; ++i) {
        if (newest_.load(std::memory_order_relaxed) != nullptr) return true;
        relax();
    }
    return false;
}

WorkList WorkQueue::take_queued() {
    Work* newest = newest_.exchange(nullptr, std::memory_order_acq_rel);
    return newest == asleep() ? WorkList() : all_of(newest);
}

WorkList WorkQueue::take(Time until) {
    Work* newest = newest_.exchange(nullptr, std::memory_order_acq_rel);
    if (newest != nullptr) return all_of(newest);
    if (await_push()) return all_of(newest_.exchange(nullptr, std::memory_order_acq_rel));
    Work* nothing = nullptr;
    const bool sleeps =
        newest_.compare_exchange_strong(nothing, asleep(), std::memory_order_acq_rel);
    if (sleeps) {
        std::unique_lock lock(bell_->mutex);
        bell_->rings.wait_until(lock, until, [this] { return bell_->rung; });
        bell_->rung = false;
    }
    newest = newest_.exchange(nullptr, std::memory_order_acq_rel);
    return newest == asleep() ? WorkList() : all_of(newest);
}

}  // namespace ff::host
