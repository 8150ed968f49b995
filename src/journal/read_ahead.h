#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace ff::journal {

/// Values that a function makes one after the other, until it has none. They are made on a thread
/// of their own before they are asked for, but no more of them than `most`. The thread ends with
/// this object; what the function throws is thrown to whoever takes.
template <class T>
class ReadAhead {
  public:
    using Make = std::function<std::optional<T>()>;

    /// `most` of zero: without a thread, each is made when it is taken.
    ReadAhead(std::size_t most, Make make) : most_(most), make_(std::move(make)) {
        if (most_ > 0) thread_ = std::jthread([this](const std::stop_token& stop) { run(stop); });
    }

    /// Nothing once there are no more.
    std::optional<T> take() {
        if (most_ == 0) return make_();
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [this] { return !made_.empty() || ended_; });
        if (made_.empty()) {
            if (thrown_) std::rethrow_exception(thrown_);
            return std::nullopt;
        }
        std::optional<T> first = std::move(made_.front());
        made_.pop_front();
        changed_.notify_all();
        return first;
    }

  private:
    void run(const std::stop_token& stop) {
        try {
            while (true) {
                {
                    std::unique_lock lock(mutex_);
                    changed_.wait(lock, stop, [this] { return made_.size() < most_; });
                }
                if (stop.stop_requested()) return;
                std::optional<T> next = make_();
                if (!next) break;
                const std::lock_guard lock(mutex_);
                made_.push_back(*std::move(next));
                changed_.notify_all();
            }
        } catch (...) {
            thrown_ = std::current_exception();
        }
        const std::lock_guard lock(mutex_);
        ended_ = true;
        changed_.notify_all();
    }

    std::size_t most_;
    Make make_;
    std::mutex mutex_{};
    std::condition_variable_any changed_{};
    std::deque<T> made_{};
    bool ended_ = false;
    std::exception_ptr thrown_{};
    std::jthread thread_{};  // last: it uses all of the above
};

}  // namespace ff::journal
