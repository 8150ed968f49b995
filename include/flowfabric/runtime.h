#pragma once

#include <any>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <typeindex>
#include <utility>

#include "flowfabric/worker.h"

namespace ff::sdk {
class RuntimeCore;
}

namespace flowfabric {

/// What a handler gives back: the result to complete with, or why it failed.
using HandlerResult = Result<std::optional<Bytes>>;
inline HandlerResult completed() {
    return HandlerResult(std::optional<Bytes>());
}
inline HandlerResult completed(Bytes result) {
    return HandlerResult(std::optional<Bytes>(std::move(result)));
}
/// The task fails with category `handler_error` and this text.
inline HandlerResult failed(std::string reason) {
    return Error{.code = "handler_error", .message = std::move(reason)};
}

/// What a handler is given.
class Context {
  public:
    Context(Task& task, const std::map<std::type_index, std::any>& data)
        : task_(task), data_(data) {}

    Task& task() { return task_; }
    const TaskInfo& info() const { return task_.info(); }
    std::stop_token stop_token() const { return task_.stop_token(); }
    /// Throws PayloadError when it cannot be had or is not JSON.
    Bytes bytes() const;
    Json json() const;
    /// What Runtime::data was given of that type; throws MissingData when it was not.
    template <class T>
    T& data() const {
        const auto found = data_.find(typeid(T));
        if (found == data_.end()) missing(typeid(T).name());
        return *std::any_cast<const std::shared_ptr<T>&>(found->second);
    }

  private:
    [[noreturn]] static void missing(const char* type);
    Task& task_;
    const std::map<std::type_index, std::any>& data_;
};

/// Thrown by Context; the task fails with `extractor_payload_decode` or `extractor_missing_state`.
struct PayloadError : std::runtime_error {
    using std::runtime_error::runtime_error;
};
struct MissingData : std::runtime_error {
    using std::runtime_error::runtime_error;
};

/// May end the task itself; then what it gives back is not used. What it throws as std::exception
/// fails the task with `handler_error`, anything else with `handler_panic`.
using Handler = std::function<HandlerResult(Context&)>;

enum class UnknownKind : std::uint8_t { Fail, Release };

struct Backoff {
    Millis initial{50};
    Millis max{1000};
    double factor = 2;
};

/// Runs handlers for the work of one worker. A slot is taken before anything is claimed, so no
/// lease ever waits in a queue.
class Runtime {
  public:
    explicit Runtime(Worker worker);
    Runtime(Runtime&&) noexcept;
    Runtime& operator=(Runtime&&) noexcept;
    /// Stops without patience.
    ~Runtime();

    // Before run().
    Runtime& on(std::string kind, Handler handler);
    template <class T>
    Runtime& data(std::shared_ptr<T> value) {
        return put_data(typeid(T), std::any(std::move(value)));
    }
    /// Handlers at a time. While they are shorter than a call of the server, a few more tasks for
    /// each are claimed and wait for the next free hand, for 250 ms at most.
    Runtime& max_concurrent(std::size_t tasks);
    Runtime& backoff(Backoff backoff);
    /// What becomes of work without a handler here. With Release only the kinds that have one are
    /// claimed, if there are at most 64 of them.
    Runtime& unknown_kind(UnknownKind what);

    /// Works until stop(); the error that no pause would cure, otherwise.
    Result<Done> run();
    /// run() on a thread of the runtime.
    void start();
    /// Ends claiming, waits for handlers; then asks their stop tokens, and releases what is left
    /// at the end of the timeout. From any thread.
    void stop(Millis drain_timeout = Millis(10'000));

    Worker& worker();

  private:
    Runtime& put_data(std::type_index type, std::any value);
    std::shared_ptr<ff::sdk::RuntimeCore> core_;
};

}  // namespace flowfabric
