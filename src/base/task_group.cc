#include "base/task_group.h"

#include <cstdlib>
#include <exception>
#include <list>
#include <vector>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/assert.h"
#include "base/log.h"
#include "base/steady_clock.h"
#include "base/timer.h"

namespace ff {
namespace asio = boost::asio;

struct TaskGroup::State {
    State(asio::any_io_executor loop, std::string group_name)
        : executor(std::move(loop)), name(std::move(group_name)), emptied(executor) {}

    void finished(std::list<asio::cancellation_signal>::iterator signal,
                  const std::exception_ptr& failure) {
        signals.erase(signal);
        if (failure) {
            try {
                std::rethrow_exception(failure);
            } catch (const std::exception& thrown) {
                log::error("base", "task_threw", {{"group", name}, {"what", thrown.what()}});
            }
            std::abort();
        }
        if (signals.empty()) emptied.cancel();
    }

    asio::any_io_executor executor;
    std::string name;
    std::list<asio::cancellation_signal> signals{};
    Timer emptied;
};

TaskGroup::TaskGroup(asio::any_io_executor executor, std::string name)
    : state_(std::make_shared<State>(std::move(executor), std::move(name))) {}

TaskGroup::~TaskGroup() {
    FF_ASSERT(state_->signals.empty());
}

namespace {

/// Cancellation is an answer of the wait it interrupts, never an exception out of the next one.
asio::awaitable<void> without_throwing(asio::awaitable<void> work) {
    co_await asio::this_coro::throw_if_cancelled(false);
    co_await std::move(work);
}

}  // namespace

void TaskGroup::spawn(asio::awaitable<void> work) {
    state_->signals.emplace_back();
    const auto signal = std::prev(state_->signals.end());
    asio::any_io_executor executor = state_->executor;
    auto on_end = [state = state_, signal](const std::exception_ptr& failure) {
        state->finished(signal, failure);
    };
    asio::co_spawn(executor, without_throwing(std::move(work)),
                   asio::bind_cancellation_slot(signal->slot(), std::move(on_end)));
}

void TaskGroup::cancel() {
    // The handlers of a signal may end their work at once and so change the list.
    std::vector<std::list<asio::cancellation_signal>::iterator> now;
    for (auto it = state_->signals.begin(); it != state_->signals.end(); ++it) now.push_back(it);
    const std::shared_ptr<State> keep = state_;
    for (const auto signal : now) {
        asio::post(keep->executor, [keep, address = &*signal] {
            for (asio::cancellation_signal& live : keep->signals)
                if (&live == address) {
                    live.emit(asio::cancellation_type::terminal);
                    return;
                }
        });
    }
}

asio::awaitable<void> TaskGroup::join() {
    const std::shared_ptr<State> state = state_;
    while (!state->signals.empty()) {
        state->emptied.expires_at(SteadyClock::time_point::max());
        boost::system::error_code cancelled;
        co_await state->emptied.async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
    }
}

std::size_t TaskGroup::size() const {
    return state_->signals.size();
}

}  // namespace ff
