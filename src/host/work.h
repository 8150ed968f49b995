#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>

#include "base/result.h"
#include "host/slow_calls.h"

namespace ff::host {

class Resumer;
class Shard;

/// Something a shard does in one go: one command, a part of a pipeline, a read that may wait. Its
/// maker keeps it alive until it is released.
class Work {
  public:
    /// Why it runs.
    enum class Wake : std::uint8_t {
        Start,
        Append,  // an entry was added to a stream it waits for
        Due,     // its time has come
        Stop,    // the shard stops: it must not wait again
    };
    enum class Progress : std::uint8_t {
        Done,
        Waiting,  // Shard::wait was called: it will run again, and is not released yet
    };

    Work() = default;
    virtual ~Work() = default;
    Work(const Work&) = delete;
    Work& operator=(const Work&) = delete;

    /// On the shard's thread.
    virtual Progress run(Shard& shard, Wake why) = 0;
    /// Exactly once, on any thread: when all that `run` did and saw is stored, or with an error; an
    /// error of code `shutting_down` or class Retryable says that it was not run. May destroy this.
    virtual void release(const Result<Done>& outcome, Resumer& resumer) = 0;
    /// False: it runs even while the journal cannot write, because it changes and tells nothing.
    virtual bool needs_journal() const { return true; }
    /// Tells works apart that had the same address one after the other.
    virtual std::uint64_t ticket() const { return 0; }
    /// The function or command, for people; valid until it is released.
    virtual std::string_view subject() const { return "other"; }
    /// Its shard's.
    CallTimes times{};

  private:
    friend class WorkQueue;
    friend class WorkList;
    Work* next_ = nullptr;
};

/// Works in order, linked through themselves.
class WorkList {
  public:
    bool empty() const { return first_ == nullptr; }
    void push_back(Work& work) {
        work.next_ = nullptr;
        if (last_ == nullptr)
            first_ = &work;
        else
            last_->next_ = &work;
        last_ = &work;
    }
    /// Not when empty.
    Work& pop_front() {
        Work& work = *first_;
        first_ = work.next_;
        if (first_ == nullptr) last_ = nullptr;
        return work;
    }

  private:
    friend class WorkQueue;
    Work* first_ = nullptr;
    Work* last_ = nullptr;
};

class WorkQueue;

/// While one lives on a thread, that thread's pushes do not wake sleeping takers one by one: all
/// are woken at its end. For a thread that resumes many coroutines in a row, each of which may
/// push.
class WakeTogether {
  public:
    WakeTogether();
    ~WakeTogether();
    WakeTogether(const WakeTogether&) = delete;
    WakeTogether& operator=(const WakeTogether&) = delete;

    /// Wakes those that this thread still owes a wake-up; before it waits for any of them.
    static void wake_now();

  private:
    friend class WorkQueue;
    struct Owed;
    static Owed& owed();
    bool outermost_;
};

/// Many threads push, one takes all there is and sleeps when there is nothing. A push is one atomic
/// exchange; it costs a system call only when the taker sleeps.
class WorkQueue {
  public:
    using Time = std::chrono::steady_clock::time_point;

    explicit WorkQueue(std::size_t size_max) : size_max_(size_max) {}

    enum class Push : std::uint8_t { Taken, Full, Closed };
    Push push(Work& work);
    /// All that was pushed, in order. Waits until there is something, `wake` is called, or `until`
    /// has come: then the list may be empty.
    WorkList take(Time until);
    /// The same without waiting.
    WorkList take_queued();
    void wake();
    /// Refuses everything from now on; the last that was pushed.
    WorkList close();

    std::size_t size() const { return size_.load(std::memory_order_relaxed); }

  private:
    /// Stands for "nothing there, and the taker sleeps".
    Work* asleep() { return reinterpret_cast<Work*>(this); }
    Work* closed() { return reinterpret_cast<Work*>(&closed_mark_); }
    WorkList all_of(Work* newest);
    bool await_push() const;
    friend class WakeTogether;

    /// What wakes the taker. A thread that owes a wake-up may come late, when the queue is gone.
    struct Bell {
        std::mutex mutex{};
        std::condition_variable rings{};
        bool rung = false;

        void ring();
    };

    std::size_t size_max_;
    std::atomic<std::size_t> size_{0};
    std::atomic<Work*> newest_{nullptr};
    std::shared_ptr<Bell> bell_ = std::make_shared<Bell>();
    /// Its address stands for "closed".
    void* closed_mark_ = nullptr;
};

}  // namespace ff::host
