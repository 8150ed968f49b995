#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>

#include "base/clock.h"
#include "base/deadline.h"
#include "base/random.h"
#include "base/task.h"
#include "hub/feed_hub.h"
#include "hub/stream_hub.h"
#include "model/solo_partition.h"
#include "sched/claimer.h"
#include "sched/wake_listener.h"
#include "service/approvals.h"
#include "service/audit.h"
#include "service/budgets.h"
#include "service/context.h"
#include "service/executions.h"
#include "service/feeds.h"
#include "service/flows.h"
#include "service/indexes.h"
#include "service/lanes.h"
#include "service/overview.h"
#include "service/quotas.h"
#include "service/signals.h"
#include "service/streams.h"
#include "service/suspensions.h"
#include "service/work.h"
#include "service/workers.h"
#include "store/store.h"

namespace ff::app {

struct ServiceOptions {
    service::Rules rules{};
    model::LanePartitioner partitioner{};
    std::vector<model::LaneId> lanes{};
    /// What the default policies of all lanes are laid over.
    std::string default_policy_json{};
    std::size_t claim_waits_max = 1024;
    /// Blocking reads at once: of streams, and of feeds.
    std::size_t tail_reads_max = 64;
    std::size_t feed_reads_max = 16;
    Millis feed_turn{200};
    /// How long server-sent events may be silent.
    Millis sse_heartbeat{10'000};
    /// Outlives the services.
    hub::Probe* probe = &hub::no_probe();
};

/// What stands between a store and those who use it, HTTP or not. Lives on one loop.
struct Services {
    Services(boost::asio::any_io_executor loop, store::Store& store, const Clock& clock,
             Random& random, ServiceOptions options);

    /// The store has its library and its partitions are configured by now.
    Task<Done> start();
    /// Waiting claims answer that there is no work, waiting readers what they have, within 1 s.
    void stop_waiting();
    /// Ends what runs in the background, by the deadline.
    boost::asio::awaitable<void> stop(Deadline grace);

    /// What claims are not the only ones to hear.
    sched::WakeHooks wake_hooks();

    ServiceOptions options;
    sched::Claimer claimer;
    sched::WakeListener wake_listener;
    service::Context context;

    hub::StreamHub stream_hub;
    hub::FeedHub feed_hub;

    service::Indexes indexes;
    service::Lanes lanes;
    service::Executions executions;
    service::Work work;
    service::Workers workers;
    service::Flows flows;
    service::Budgets budgets;
    service::Quotas quotas;
    service::Audit audit;
    service::Signals signals;
    service::Suspensions suspensions;
    service::Approvals approvals;
    service::Overview overview;
    service::Streams streams;
    service::Feeds feeds;
};

}  // namespace ff::app
