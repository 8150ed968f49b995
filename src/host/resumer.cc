#include "host/resumer.h"

#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/post.hpp>

#include "host/work.h"

namespace ff::host {
namespace {

/// After so many coroutines the shards are woken although more are to come: what they have asked
/// for should not wait for a long list.
constexpr int kWakeEvery = 128;

}  // namespace

void Resumable::suspend(Handler handler) {
    executor_ = boost::asio::get_associated_executor(handler);
    handler_.emplace(std::move(handler));
}

void Resumable::resume() {
    // The handler holds the frame this object is in: it must outlive the call elsewhere.
    Handler handler = std::move(*handler_);
    handler_.reset();
    // A cancellation that comes now is not meant for this wait any more.
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (slot.is_connected()) slot.clear();
    std::move(handler)();
}

void Resumable::drop() {
    const Handler handler = std::move(*handler_);
    handler_.reset();
}

/// What is posted to an executor: runs once, or is destroyed with the executor.
class ResumeList {
  public:
    explicit ResumeList(Resumable* first) : first_(first) {}
    ResumeList(ResumeList&& other) noexcept : first_(std::exchange(other.first_, nullptr)) {}
    ResumeList& operator=(ResumeList&&) = delete;
    ~ResumeList() {
        while (first_ != nullptr) take().drop();
    }

    void operator()() {
        const WakeTogether together;
        for (int resumed = 1; first_ != nullptr; ++resumed) {
            take().resume();
            if (resumed % kWakeEvery == 0) WakeTogether::wake_now();
        }
    }

  private:
    Resumable& take() {
        Resumable& waiting = *first_;
        first_ = waiting.next_;
        return waiting;
    }

    Resumable* first_;
};

Resumer::~Resumer() {
    for (Queue& queue : queues_) boost::asio::post(queue.executor, ResumeList(queue.first));
}

void Resumer::add(Resumable& waiting) {
    waiting.next_ = nullptr;
    for (Queue& queue : queues_) {
        if (queue.executor != waiting.executor()) continue;
        queue.last->next_ = &waiting;
        queue.last = &waiting;
        return;
    }
    queues_.push_back({.executor = waiting.executor(), .first = &waiting, .last = &waiting});
}

}  // namespace ff::host
