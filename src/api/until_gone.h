#pragma once

#include <optional>
#include <utility>

#include "api/while_connected.h"
#include "base/task.h"
#include "http/handler.h"

namespace ff::api {

template <class T>
boost::asio::awaitable<void> keep_answer(Task<T> task, std::optional<Result<T>>& answer) {
    Result<T> value = co_await std::move(task);
    answer.emplace(std::move(value));
}

/// The answer of a task that may wait long. Its waits end early when the client has gone, so that
/// what it holds becomes free.
template <class T>
Task<T> until_gone(http::Peer& peer, Task<T> task) {
    std::optional<Result<T>> answer;
    co_await while_connected(peer, keep_answer(std::move(task), answer));
    co_return *std::move(answer);
}

}  // namespace ff::api
