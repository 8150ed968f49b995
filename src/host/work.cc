#include "host/work.h"

namespace ff::host {

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
    if (seen == asleep()) rouse();
    return Push::Taken;
}

WorkList WorkQueue::close() {
    Work* newest = newest_.exchange(closed(), std::memory_order_acq_rel);
    return newest == asleep() ? WorkList() : all_of(newest);
}

void WorkQueue::wake() {
    rouse();
}

void WorkQueue::rouse() {
    {
        const std::lock_guard lock(mutex_);
        roused_ = true;
    }
    roused_cv_.notify_one();
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

WorkList WorkQueue::take(Time until) {
    Work* newest = newest_.exchange(nullptr, std::memory_order_acq_rel);
    if (newest != nullptr) return all_of(newest);
    Work* nothing = nullptr;
    const bool sleeps =
        newest_.compare_exchange_strong(nothing, asleep(), std::memory_order_acq_rel);
    if (sleeps) {
        std::unique_lock lock(mutex_);
        roused_cv_.wait_until(lock, until, [this] { return roused_; });
        roused_ = false;
    }
    newest = newest_.exchange(nullptr, std::memory_order_acq_rel);
    return newest == asleep() ? WorkList() : all_of(newest);
}

}  // namespace ff::host
