#include "scan/shard_watch.h"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/log.h"
#include "base/steady_clock.h"
#include "model/global_keys.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

/// How often a shard speaks within the time after which it counts as gone.
constexpr int kBeatsPerLife = 5;

}  // namespace

ShardWatch::ShardWatch(asio::any_io_executor loop, store::Store& store, Options& options)
    : store_(store), options_(options), timer_(std::move(loop)) {}

asio::awaitable<void> ShardWatch::run() {
    if (options_.shard.count == 1) co_return;
    begun_ = SteadyClock::now();
    while (!stopped_) {
        const Result<Done> looked = co_await look();
        if (!looked) log::warn("scan", "shards_not_seen", {{"error", looked.error().text()}});
        if (stopped_) break;
        timer_.expires_after(options_.shard_gone_after / kBeatsPerLife);
        co_await timer_.async_wait(asio::as_tuple(asio::use_awaitable));
    }
    co_await leave();
}

void ShardWatch::stop() {
    stopped_ = true;
    timer_.cancel();
}

Task<Done> ShardWatch::look() {
    const Shard& shard = options_.shard;
    const std::string own = model::scanner_shard_key(shard.count, shard.index);
    const std::string life = std::to_string(options_.shard_gone_after.count());
    std::vector<store::Call> calls;
    calls.push_back(store::plain({"SET", own, "1", "PX", life}, true));
    for (std::uint16_t i = 0; i < shard.count; ++i) {
        const std::string key = model::scanner_shard_key(shard.count, i);
        calls.push_back(store::plain({"EXISTS", key}, true));
    }
    const auto replies = co_await store_.pipeline(std::move(calls));
    for (const Result<store::Reply>& reply : replies) {
        if (!reply) co_return reply.error();
    }
    // Servers that start together are not all there in the first moments.
    const bool known = SteadyClock::now() - begun_ >= options_.shard_gone_after;
    for (std::uint16_t i = 0; i < shard.count; ++i) {
        const bool present = replies[i + 1U]->to_integer() != 0;
        if (i == shard.index) continue;
        if (present && options_.shard.adopted.erase(i) > 0) {
            log::info("scan", "shard_given_back", {{"shard", i}, {"of", shard.count}});
        }
        if (!present && known && options_.shard.adopted.insert(i).second) {
            log::warn("scan", "shard_taken_over", {{"shard", i}, {"of", shard.count}});
        }
    }
    co_return Done{};
}

asio::awaitable<void> ShardWatch::leave() {
    const std::string own = model::scanner_shard_key(options_.shard.count, options_.shard.index);
    store::Call gone = store::plain({"DEL", own}, true);
    const auto left = co_await store_.call(std::move(gone));
    if (!left) log::debug("scan", "shard_not_left", {{"error", left.error().text()}});
}

}  // namespace ff::scan
