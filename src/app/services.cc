#include "app/services.h"

#include <utility>

#include "base/log.h"

namespace ff::app {
namespace {

sched::ClaimerOptions claimer_options(const ServiceOptions& options) {
    return {.partitions = options.rules.partitions,
            .lane_spread = options.rules.lane_spread,
            .lane_spread_overrides = options.rules.lane_spread_overrides,
            .waiters_max = options.claim_waits_max,
            .server_policy_json = options.default_policy_json};
}

hub::FeedHubOptions feed_options(const ServiceOptions& options) {
    return {.partitions = options.rules.partitions,
            .watch = {.reads_max = options.feed_reads_max, .turn = options.feed_turn},
            .probe = options.probe};
}

}  // namespace

Services::Services(boost::asio::any_io_executor loop, store::Store& store, const Clock& clock,
                   Random& random, ServiceOptions given)
    : options(std::move(given)),
      claimer(loop, clock, random, store, options.partitioner, claimer_options(options)),
      wake_listener(loop, store, claimer, wake_hooks()),
      context{.loop = loop,
              .store = store,
              .clock = clock,
              .random = random,
              .partitioner = options.partitioner,
              .claimer = claimer,
              .rules = options.rules},
      stream_hub(loop, store,
                 {.watch = {.reads_max = options.tail_reads_max, .read_count = 16},
                  .probe = options.probe}),
      feed_hub(loop, store, feed_options(options)),
      indexes(context),
      lanes(context, indexes, options.lanes),
      executions(context, indexes),
      work(context),
      workers(context, indexes),
      flows(context, indexes),
      budgets(context),
      quotas(context),
      audit(context),
      signals(context),
      suspensions(context),
      approvals(context),
      overview(context, lanes, workers, budgets),
      streams(context, stream_hub, feed_hub),
      feeds(context, feed_hub) {}

sched::WakeHooks Services::wake_hooks() {
    return {.woken = [this](const std::string& lane,
                            std::uint16_t partition) { work.on_wake(lane, partition); },
            .lane_changed = [this](const model::LaneId& lane) { indexes.forget(lane); },
            .gap = [this] { indexes.forget_lanes(); }};
}

Task<Done> Services::start() {
    wake_listener.start();
    co_return Done{};
}

void Services::stop_waiting() {
    claimer.stop();
    stream_hub.stop_waiting();
    feed_hub.stop_waiting();
    audit.stop_waiting();
}

boost::asio::awaitable<void> Services::stop(Deadline grace) {
    stop_waiting();
    const bool all_cancelled = co_await flows.stop(grace);
    if (!all_cancelled) log::warn("app", "flow_cancels_left_to_reconciler");
    co_await wake_listener.stop();
    co_await indexes.stop();
    co_await stream_hub.stop();
    co_await feed_hub.stop();
    co_await audit.stop();
    co_await overview.stop();
}

}  // namespace ff::app
