#include "hub/completion_listener.h"

#include <string>
#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/json.h"
#include "base/log.h"
#include "base/steady_clock.h"
#include "base/timer.h"
#include "engine/flow_resolve.h"
#include "engine/operation.h"
#include "model/exec_keys.h"
#include "model/global_keys.h"
#include "model/index_keys.h"

namespace ff::hub {
namespace asio = boost::asio;
namespace {

constexpr auto kToken = asio::as_tuple(asio::use_awaitable);
/// More pages of 500 edges than any flow has.
constexpr int kPagesMost = 10'000;

}  // namespace

Result<Completion> Completion::parse(std::string_view message,
                                     const model::PartitionConfig& partitions) {
    FF_TRY(const json::Document document, json::Document::parse(message));
    const auto text = [&](std::string_view name) {
        const auto member = document.root().find(name);
        return member ? member->as_string().value_or("") : std::string_view();
    };
    FF_TRY(const model::ExecutionId execution_id,
           model::parse_execution_id_at_ingress(text("execution_id"), partitions));
    FF_TRY(const model::FlowId flow_id, model::FlowId::parse(text("flow_id")));
    FF_CHECK(model::check_same_partition(execution_id, flow_id, partitions));
    return Completion{.execution_id = execution_id, .flow_id = flow_id};
}

Task<Done> StoreCascade::run(Completion completion) {
    engine::CascadeCompletion cascade{
        .execution_id = completion.execution_id,
        .flow = {.id = completion.flow_id, .partitions = partitions_}};
    for (int page = 0; page < kPagesMost; ++page) {
        FF_CO_TRY(engine::CascadeCompletion::Outcome outcome,
                  co_await engine::run(store_, cascade));
        if (outcome.done()) break;
        cascade.cursor = std::move(outcome.cursor);
    }
    co_return Done{};
}

CompletionListener::CompletionListener(asio::any_io_executor loop, store::Store& store,
                                       Cascade& cascade, ListenerOptions options)
    : loop_(loop),
      store_(store),
      cascade_(cascade),
      options_(std::move(options)),
      room_(loop),
      tasks_(std::move(loop), "completion_listener") {}

void CompletionListener::start() {
    tasks_.spawn(listen());
}

asio::awaitable<void> CompletionListener::listen() {
    while (!stopped_) {
        store::Channels channels{.names = {std::string(model::kDagCompletionsChannel)}};
        auto subscribed = co_await store_.subscribe(std::move(channels));
        if (subscribed.has_value()) {
            const std::unique_ptr<store::Subscription> subscription = *std::move(subscribed);
            co_await take_up_pending();
            co_await follow(*subscription);
        }
        if (!stopped_) co_await pause(options_.subscribe_pause);
    }
}

asio::awaitable<void> CompletionListener::follow(store::Subscription& subscription) {
    while (!stopped_) {
        auto notice = co_await subscription.next(Deadline::never());
        if (!notice.has_value()) co_return;
        if (!notice->has_value()) continue;
        if ((*notice)->kind == store::Notice::Kind::Gap) {
            co_await take_up_pending();
            continue;
        }
        auto completion = Completion::parse((*notice)->message, options_.partitions);
        if (!completion.has_value()) {
            ++malformed_;
            options_.probe->completion_dispatched("malformed", Millis(0));
            log::warn("hub", "completion_malformed", {{"error", completion.error().text()}});
            continue;
        }
        co_await enqueue(*std::move(completion));
    }
}

/// One pass over what the functions have marked on all partitions.
asio::awaitable<void> CompletionListener::take_up_pending() {
    ++passes_;
    std::vector<store::Call> calls;
    const std::string last = std::to_string(options_.pending_max - 1);
    for (std::uint16_t i = 0; i < options_.partitions.num_flow_partitions(); ++i) {
        calls.push_back(
            store::plain({"ZRANGE", model::IndexKeys(i).cascade_pending(), "0", last}, true));
    }
    const std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    std::vector<model::ExecutionId> members;
    for (const auto& reply : replies) {
        if (!reply.has_value()) {
            log::warn("hub", "pending_cascades_unread", {{"error", reply.error().text()}});
            co_return;
        }
        for (const store::Reply& item : reply->items()) {
            const auto id = model::ExecutionId::parse(item.text().value_or(""));
            if (id.has_value()) members.push_back(*id);
        }
    }
    co_await take_up_members(std::move(members));
}

asio::awaitable<void> CompletionListener::take_up_members(std::vector<model::ExecutionId> members) {
    std::vector<store::Call> calls;
    for (const model::ExecutionId& id : members) {
        calls.push_back(store::plain({"HGET", model::ExecKeys(id).core(), "flow_id"}, true));
    }
    const std::vector<Result<store::Reply>> replies = co_await store_.pipeline(std::move(calls));
    for (std::size_t i = 0; i < members.size() && !stopped_; ++i) {
        if (!replies[i].has_value()) continue;
        const auto flow = model::FlowId::parse(replies[i]->text().value_or(""));
        if (!flow.has_value()) continue;
        Completion completion{.execution_id = members[i], .flow_id = *flow};
        co_await enqueue(std::move(completion));
    }
}

asio::awaitable<void> CompletionListener::enqueue(Completion completion) {
    while (queue_.size() >= options_.queue_max && !stopped_) {
        room_.expires_at(SteadyClock::time_point::max());
        co_await room_.async_wait(kToken);
    }
    if (stopped_) co_return;
    const auto [known, fresh] = progress_.try_emplace(completion.execution_id, Progress::Queued);
    if (fresh) {
        queue_.push_back({.completion = std::move(completion), .since = Steady::now()});
        pump();
    } else if (known->second == Progress::Running) {
        known->second = Progress::RunningAndAgain;
    }
}

void CompletionListener::pump() {
    while (!queue_.empty() && running_ < options_.concurrency && !stopped_) {
        Queued next = std::move(queue_.front());
        queue_.pop_front();
        progress_[next.completion.execution_id] = Progress::Running;
        ++running_;
        tasks_.spawn(serve(std::move(next)));
        room_.cancel();
    }
}

asio::awaitable<void> CompletionListener::serve(Queued queued) {
    const Completion& completion = queued.completion;
    Result<Done> outcome = co_await cascade_.run(completion);
    for (const Millis span : options_.retry_pauses) {
        const bool again = !outcome.has_value() && outcome.error().cls == ErrorClass::Retryable;
        if (!again || stopped_) break;
        co_await pause(span);
        outcome = co_await cascade_.run(completion);
    }
    if (outcome.has_value()) {
        ++done_;
    } else {
        ++failed_;
        log::warn("hub", "cascade_failed",
                  {{"execution_id", completion.execution_id.to_string()},
                   {"error", outcome.error().text()}});
    }
    options_.probe->completion_dispatched(
        outcome.has_value() ? "ok" : "failed",
        std::chrono::duration_cast<Millis>(Steady::now() - queued.since));
    --running_;
    const auto place = progress_.find(completion.execution_id);
    const bool again = place->second == Progress::RunningAndAgain;
    progress_.erase(place);
    if (again && !stopped_) {
        progress_.emplace(completion.execution_id, Progress::Queued);
        queue_.push_back({.completion = completion, .since = Steady::now()});
    }
    pump();
}

asio::awaitable<void> CompletionListener::pause(Millis span) {
    Timer timer(loop_, span);
    co_await timer.async_wait(kToken);
}

asio::awaitable<void> CompletionListener::stop() {
    stopped_ = true;
    room_.cancel();
    tasks_.cancel();
    co_await tasks_.join();
}

}  // namespace ff::hub
