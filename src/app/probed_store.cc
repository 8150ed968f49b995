#include "app/probed_store.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ff::app {

Task<store::Reply> ProbedStore::fcall(store::Call call) {
    WatchedCall watched(call.command);
    // Nothing is added to a call that nobody counts.
    if (!watched.watched()) return inside_.fcall(std::move(call));
    return fcall_watched(std::move(call), std::move(watched));
}

Task<store::Reply> ProbedStore::fcall_watched(store::Call call, WatchedCall watched) {
    const auto begun = std::chrono::steady_clock::now();
    Result<store::Reply> reply = co_await inside_.fcall(std::move(call));
    const auto took = std::chrono::steady_clock::now() - begun;
    if (reply.has_value()) watched.observe(*reply, took, probe_);
    co_return reply;
}

boost::asio::awaitable<std::vector<Result<store::Reply>>> ProbedStore::pipeline(
    std::vector<store::Call> calls) {
    std::vector<WatchedCall> watched;
    watched.reserve(calls.size());
    for (const store::Call& call : calls) watched.emplace_back(call.command);
    if (std::ranges::none_of(watched, &WatchedCall::watched))
        return inside_.pipeline(std::move(calls));
    return pipeline_watched(std::move(calls), std::move(watched));
}

boost::asio::awaitable<std::vector<Result<store::Reply>>> ProbedStore::pipeline_watched(
    std::vector<store::Call> calls, std::vector<WatchedCall> watched) {
    const auto begun = std::chrono::steady_clock::now();
    std::vector<Result<store::Reply>> replies = co_await inside_.pipeline(std::move(calls));
    const auto took = std::chrono::steady_clock::now() - begun;
    for (std::size_t i = 0; i < replies.size() && i < watched.size(); ++i) {
        if (watched[i].watched() && replies[i].has_value())
            watched[i].observe(*replies[i], took, probe_);
    }
    co_return replies;
}

}  // namespace ff::app
