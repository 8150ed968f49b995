#pragma once

#include <condition_variable>
#include <coroutine>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>

#include "flowfabric/client.h"
#include "flowfabric/worker.h"

namespace flowfabric {

namespace detail {

/// Runs the call on a thread of the library; false when too many are under way.
bool run_async(std::function<void()> call);
Error too_many_calls();

template <class T>
struct AsyncState {
    void set(Result<T> result) {
        std::coroutine_handle<> resumed;
        std::function<void(Result<T>)> told;
        {
            const std::lock_guard lock(mutex);
            resumed = std::exchange(waiter, nullptr);
            told = std::exchange(callback, nullptr);
            if (!told) value.emplace(std::move(result));
            finished = true;
            done.notify_all();
        }
        if (told) told(std::move(result));
        if (resumed) resumed.resume();
    }

    std::mutex mutex{};
    std::condition_variable done{};
    std::optional<Result<T>> value{};
    bool finished = false;
    std::coroutine_handle<> waiter{};
    std::function<void(Result<T>)> callback{};
};

}  // namespace detail

/// A call under way. Its outcome is taken once: by get(), by then(), or by `co_await` in any
/// coroutine, which goes on in the thread that made the call. Letting go of it does not stop it.
template <class T>
class [[nodiscard]] Async {
  public:
    explicit Async(std::shared_ptr<detail::AsyncState<T>> state) : state_(std::move(state)) {}

    bool ready() const {
        const std::lock_guard lock(state_->mutex);
        return state_->finished;
    }
    /// Blocks until it is there.
    Result<T> get() {
        std::unique_lock lock(state_->mutex);
        state_->done.wait(lock, [this] { return state_->finished; });
        return *std::exchange(state_->value, std::nullopt);
    }
    /// Called with the outcome by the thread that made the call, or at once if it is there.
    void then(std::function<void(Result<T>)> callback) {
        {
            const std::lock_guard lock(state_->mutex);
            if (!state_->finished) {
                state_->callback = std::move(callback);
                return;
            }
        }
        callback(get());
    }

    bool await_ready() const { return ready(); }
    bool await_suspend(std::coroutine_handle<> waiter) {
        // The coroutine may be gone, and this with it, as soon as the lock is.
        const std::shared_ptr<detail::AsyncState<T>> state = state_;
        const std::lock_guard lock(state->mutex);
        if (state->finished) return false;
        state->waiter = waiter;
        return true;
    }
    Result<T> await_resume() { return get(); }

  private:
    std::shared_ptr<detail::AsyncState<T>> state_;
};

/// Starts anything that blocks and gives a Result, such as
/// `async([=] { return client.describe_flow(id); })`. At most 1024 calls at a time; one more is
/// `too_many_requests`, at once.
template <class Call>
auto async(Call call) -> Async<typename std::invoke_result_t<Call&>::value_type> {
    using T = typename std::invoke_result_t<Call&>::value_type;
    auto state = std::make_shared<detail::AsyncState<T>>();
    const bool runs =
        detail::run_async([state, call = std::move(call)]() mutable { state->set(call()); });
    if (!runs) state->set(detail::too_many_calls());
    return Async<T>(std::move(state));
}

/// What submitters ask most, without waiting for the answer; async() does the rest.
class AsyncClient {
  public:
    explicit AsyncClient(AdminClient client) : client_(std::move(client)) {}

    Async<CreatedExecution> create_execution(NewExecution execution) const {
        return async([client = client_, execution = std::move(execution)] {
            return client.create_execution(execution);
        });
    }
    Async<std::vector<Result<CreatedExecution>>> create_executions(
        std::vector<NewExecution> executions) const {
        return async([client = client_, executions = std::move(executions)] {
            return client.create_executions(executions);
        });
    }
    Async<ExecutionInfo> describe_execution(std::string id) const {
        return async(
            [client = client_, id = std::move(id)] { return client.describe_execution(id); });
    }
    Async<Bytes> get_result(std::string id) const {
        return async([client = client_, id = std::move(id)] { return client.get_result(id); });
    }
    Async<Ending> wait_for_terminal(std::string id, Millis timeout) const {
        return async([client = client_, id = std::move(id), timeout] {
            return client.wait_for_terminal(id, timeout);
        });
    }
    Async<std::string> cancel_execution(std::string id, std::string reason) const {
        return async([client = client_, id = std::move(id), reason = std::move(reason)] {
            return client.cancel_execution(id, reason);
        });
    }
    Async<SignalReceipt> deliver_signal(std::string id, NewSignal signal) const {
        return async([client = client_, id = std::move(id), signal = std::move(signal)] {
            return client.deliver_signal(id, signal);
        });
    }
    Async<SubmittedFlow> submit_flow(Json graph) const {
        return async(
            [client = client_, graph = std::move(graph)] { return client.submit_flow(graph); });
    }

  private:
    AdminClient client_;
};

/// The same for a worker, which must outlive the calls.
inline Async<std::vector<Task>> claim_tasks_async(Worker& worker, std::size_t max, Millis wait) {
    return async([&worker, max, wait] { return worker.claim_tasks(max, wait); });
}

// The same for a task, which must outlive the calls and takes one at a time.
inline Async<Done> complete_async(Task& task, std::optional<Bytes> result = std::nullopt) {
    return async([&task, result = std::move(result)] { return task.complete(result); });
}
inline Async<FailOutcome> fail_async(Task& task, std::string reason, std::string category) {
    return async([&task, reason = std::move(reason), category = std::move(category)] {
        return task.fail(reason, category);
    });
}
inline Async<Suspended> try_suspend_async(Task& task, Suspend how) {
    return async([&task, how = std::move(how)] { return task.try_suspend(how); });
}
inline Async<AppendReceipt> append_frame_async(Task& task, std::string type, Bytes payload) {
    return async([&task, type = std::move(type), payload = std::move(payload)] {
        return task.append_frame(type, payload);
    });
}

}  // namespace flowfabric
