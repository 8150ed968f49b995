#pragma once

#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>

#include "base/result.h"
#include "support/wait.h"

namespace ff::testing {

template <class T>
struct RunState {
    std::optional<T> value{};
    std::exception_ptr failure{};
    bool ended = false;
};

template <class T>
boost::asio::awaitable<void> keep_value(boost::asio::awaitable<T> work,
                                        std::shared_ptr<RunState<T>> state) {
    T value = co_await std::move(work);
    state->value.emplace(std::move(value));
}

/// Runs the loop until the coroutine has ended and returns its value; throws what it threw, and
/// when it takes longer than `timeout`. What else lives on the loop stays there.
template <class T>
T run(boost::asio::io_context& loop, boost::asio::awaitable<T> work, Millis timeout = kPatience) {
    // Shared, because after a timeout the coroutine may outlive this call.
    auto state = std::make_shared<RunState<T>>();
    boost::asio::co_spawn(loop, keep_value(std::move(work), state),
                          [state](const std::exception_ptr& thrown) {
                              state->failure = thrown;
                              state->ended = true;
                          });
    const auto until = std::chrono::steady_clock::now() + timeout;
    loop.restart();
    while (!state->ended && loop.run_one_until(until) > 0) {
    }
    if (!state->ended) throw std::runtime_error("the coroutine did not end in time");
    if (state->failure) std::rethrow_exception(state->failure);
    return std::move(*state->value);
}

inline boost::asio::awaitable<Done> then_done(boost::asio::awaitable<void> work) {
    co_await std::move(work);
    co_return Done{};
}

inline void run(boost::asio::io_context& loop, boost::asio::awaitable<void> work,
                Millis timeout = kPatience) {
    run(loop, then_done(std::move(work)), timeout);
}

/// Runs the loop until the condition holds; false when it did not within `timeout`.
template <class Condition>
bool run_until(boost::asio::io_context& loop, Condition condition, Millis timeout = kPatience) {
    const auto until = std::chrono::steady_clock::now() + timeout;
    loop.restart();
    while (!condition()) {
        if (std::chrono::steady_clock::now() >= until) return false;
        loop.run_one_for(Millis(5));
    }
    return true;
}

/// As `run`, on a loop of its own.
template <class T>
T run(boost::asio::awaitable<T> work, Millis timeout = kPatience) {
    boost::asio::io_context loop(1);
    return run(loop, std::move(work), timeout);
}

}  // namespace ff::testing
