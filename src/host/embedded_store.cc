#include "host/embedded_store.h"

#include <algorithm>
#include <map>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/cancellation_type.hpp>

#include "host/embedded_subscription.h"
#include "host/store_works.h"
#include "store/command_keys.h"
#include "store/reply_errors.h"

namespace ff::host {
namespace {

bool is_word(std::string_view text, std::string_view lower_case) {
    return std::ranges::equal(text, lower_case,
                              [](char a, char b) { return static_cast<char>(a | 0x20) == b; });
}

bool is_function_load(const resp::Command& command) {
    return is_word(command.argv(0), "function") && is_word(command.argv(1), "load");
}

/// Ends the wait of a read when its coroutine is cancelled.
void connect_cancellation(const Resumable::Handler& handler, Shard& shard, ReadWork& work) {
    auto slot = boost::asio::get_associated_cancellation_slot(handler);
    if (!slot.is_connected()) return;
    slot.assign([&shard, &work, ticket = work.ticket()](boost::asio::cancellation_type) {
        auto cancel = std::make_unique<CancelWork>(work, ticket);
        // A shard that refuses is full or stopping: the read ends by its deadline or with it.
        if (!shard.submit(*cancel).has_value()) return;
        cancel.release();  // NOLINT(bugprone-unused-return-value): it deletes itself
    });
}

void connect_cancellation(const Resumable::Handler&, Shard&, CallWork&) {}

}  // namespace

EmbeddedStore::~EmbeddedStore() {
    stop_and_wait();
}

Result<std::size_t> EmbeddedStore::shard_of_command(const resp::Command& command) const {
    FF_TRY(const std::optional<std::uint16_t> slot, store::slot_of(command.args()));
    return slot.has_value() ? shard_of(*slot) : 0;
}

template <class Waiting>
boost::asio::awaitable<void> EmbeddedStore::wait_for(Shard& shard, Waiting& work) {
    auto initiate = [](Resumable::Handler handler, Shard* target, Waiting* waiting) {
        connect_cancellation(handler, *target, *waiting);
        waiting->suspend(std::move(handler));
        // From here on the coroutine may be running elsewhere, unless the work was refused.
        const Result<Done> taken = target->submit(*waiting);
        if (taken.has_value()) return;
        Resumer resumer;
        waiting->release(taken, resumer);
    };
    return boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
        std::move(initiate), boost::asio::use_awaitable, &shard, &work);
}

Task<store::Reply> EmbeddedStore::call(store::Call call) {
    if (is_word(call.command.argv(0), "xread")) {
        auto read = blocking_read(std::move(call));
        co_return co_await std::move(read);
    }
    if (is_function_load(call.command)) {
        auto load = on_every_shard(std::move(call));
        co_return co_await std::move(load);
    }
    FF_CO_TRY(const std::size_t shard, shard_of_command(call.command));
    CallWork work(std::move(call));
    co_await wait_for(*shards_[shard], work);
    co_return work.take();
}

Task<store::Reply> EmbeddedStore::fcall(store::Call call) {
    FF_CO_TRY(const std::size_t shard, shard_of_command(call.command));
    CallWork work(std::move(call));
    co_await wait_for(*shards_[shard], work);
    co_return work.take();
}

Task<store::Reply> EmbeddedStore::blocking_read(store::Call call) {
    FF_CO_TRY(const std::size_t shard, shard_of_command(call.command));
    ReadWork work(std::move(call));
    co_await wait_for(*shards_[shard], work);
    co_return work.take();
}

boost::asio::awaitable<std::vector<Result<store::Reply>>> EmbeddedStore::pipeline(
    std::vector<store::Call> calls) {
    const auto loads = [](const store::Call& call) { return is_function_load(call.command); };
    if (std::ranges::any_of(calls, loads)) {
        auto one_by_one = each_alone(std::move(calls));
        co_return co_await std::move(one_by_one);
    }
    const std::size_t count = calls.size();
    PipelineCalls work(std::move(calls), shards_.size());
    for (std::size_t i = 0; i < count; ++i) {
        Result<std::size_t> shard = shard_of_command(work.call(i).command);
        if (shard.has_value())
            work.assign(i, *shard);
        else
            work.refuse(i, std::move(shard).error());
    }
    auto initiate = [](Resumable::Handler handler, EmbeddedStore* store, PipelineCalls* waiting) {
        waiting->suspend(std::move(handler));
        waiting->submit(
            [store](std::size_t shard, Work& part) { return store->shards_[shard]->submit(part); });
    };
    co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
        std::move(initiate), boost::asio::use_awaitable, this, &work);
    co_return work.take();
}

boost::asio::awaitable<std::vector<Result<store::Reply>>> EmbeddedStore::each_alone(
    std::vector<store::Call> calls) {
    std::vector<Result<store::Reply>> results;
    for (store::Call& one : calls) {
        Result<store::Reply> reply = co_await call(std::move(one));
        results.push_back(std::move(reply));
    }
    co_return results;
}

/// Every shard has functions of its own; the first one answers for all.
Task<store::Reply> EmbeddedStore::on_every_shard(store::Call call) {
    std::vector<store::Call> calls(shards_.size(), call);
    PipelineCalls work(std::move(calls), shards_.size());
    for (std::size_t i = 0; i < shards_.size(); ++i) work.assign(i, i);
    auto initiate = [](Resumable::Handler handler, EmbeddedStore* store, PipelineCalls* waiting) {
        waiting->suspend(std::move(handler));
        waiting->submit(
            [store](std::size_t shard, Work& part) { return store->shards_[shard]->submit(part); });
    };
    co_await boost::asio::async_initiate<const boost::asio::use_awaitable_t<>, void()>(
        std::move(initiate), boost::asio::use_awaitable, this, &work);
    std::vector<Result<store::Reply>> results = work.take();
    for (Result<store::Reply>& result : results) {
        if (!result.has_value()) co_return std::move(result);
    }
    co_return std::move(results.front());
}

Task<std::unique_ptr<store::Subscription>> EmbeddedStore::subscribe(store::Channels channels) {
    std::unique_ptr<store::Subscription> subscription =
        std::make_unique<EmbeddedSubscription>(hub_, *shards_.front(), channels);
    co_return std::move(subscription);
}

boost::asio::awaitable<void> EmbeddedStore::stop() {
    stop_and_wait();
    co_return;
}

void EmbeddedStore::stop_and_wait() {
    hub_.end();
    for (const auto& shard : shards_) shard->stop();
}

Result<store::Reply> EmbeddedStore::run_and_wait(Shard& shard, const resp::Command& command) {
    ValueSink sink;
    WaitedWork work([&](Shard& target) { target.run(command.args(), sink); });
    FF_CHECK(shard.submit(work));
    FF_CHECK(work.wait());
    return store::without_error(sink.take());
}

Result<store::Reply> EmbeddedStore::call_and_wait(const store::Call& call) {
    FF_TRY(const std::size_t shard, shard_of_command(call.command));
    Result<store::Reply> reply = run_and_wait(*shards_[shard], call.command);
    if (!is_function_load(call.command)) return reply;
    for (std::size_t i = 1; i < shards_.size() && reply.has_value(); ++i)
        reply = run_and_wait(*shards_[i], call.command);
    return reply;
}

Result<Done> EmbeddedStore::submit(std::size_t shard, Work& work) {
    return shards_[shard]->submit(work);
}

journal::Health EmbeddedStore::health() const {
    journal::Health worst;
    for (const auto& shard : shards_) {
        journal::Health health = shard->health();
        if (health.state > worst.state) worst = std::move(health);
    }
    return worst;
}

std::vector<ShardFacts> EmbeddedStore::facts() const {
    std::vector<ShardFacts> all;
    all.reserve(shards_.size());
    for (const auto& shard : shards_) all.push_back(shard->facts());
    return all;
}

void EmbeddedStore::visit_shards(const std::function<void(Shard&)>& visit) {
    for (const auto& shard : shards_) {
        WaitedWork work(visit);
        if (shard->submit(work).has_value()) static_cast<void>(work.wait());
    }
}

std::vector<FunctionCount> EmbeddedStore::function_counts() {
    std::map<std::string, FunctionCount> sums;
    visit_shards([&sums](Shard& shard) {
        for (const FunctionCount& count : shard.state().lua().counts()) {
            FunctionCount& sum = sums[count.name];
            sum.name = count.name;
            sum.calls += count.calls;
            sum.store_calls += count.store_calls;
            if (count.calls > 0) sum.last_store_calls = count.last_store_calls;
        }
    });
    std::vector<FunctionCount> all;
    all.reserve(sums.size());
    for (auto& [name, sum] : sums) all.push_back(std::move(sum));
    return all;
}

std::vector<KeyFacts> EmbeddedStore::keys() {
    std::vector<KeyFacts> all;
    visit_shards([&all](Shard& shard) {
        shard.state().keyspace().for_each_key([&all](std::string_view key, std::string_view type) {
            all.push_back({.key = std::string(key), .type = std::string(type)});
        });
    });
    return all;
}

}  // namespace ff::host
