#include "scan/scanners.h"

#include <utility>

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/assert.h"
#include "base/json.h"
#include "base/log.h"
#include "base/timer.h"
#include "model/global_keys.h"
#include "scan/budgets.h"
#include "scan/cancels.h"
#include "scan/cascades.h"
#include "scan/dependencies.h"
#include "scan/due_kinds.h"
#include "scan/flows.h"
#include "scan/grant_expiry.h"
#include "scan/index_reconciler.h"
#include "scan/lane_counts.h"
#include "scan/quotas.h"
#include "scan/retention.h"
#include "scan/shard_watch.h"
#include "scan/siblings.h"
#include "scan/unblock.h"

namespace ff::scan {
namespace asio = boost::asio;
namespace {

constexpr Millis kSubscribePause{1'000};

}  // namespace

Scanners::Scanners(asio::any_io_executor loop, store::Store& store, const Clock& clock,
                   Random& random, Options options, Probe& probe)
    : executor_(loop),
      random_(random),
      options_(std::move(options)),
      territory_(store, options_),
      ground_{.store = store, .options = options_, .territory = territory_, .probe = probe},
      grants_(std::make_unique<GrantExpiry>(loop, clock, options_)),
      shards_(std::make_unique<ShardWatch>(loop, store, options_)),
      tasks_(loop, "scanners"),
      listener_(loop, "scanner messages") {
    for (auto& scanner : due_scanners()) add(std::move(scanner));
    auto unblock = std::make_unique<Unblock>(clock, store, options_);
    auto cancels = std::make_unique<CancelReconciler>();
    auto projector = std::make_unique<FlowProjector>();
    unblock_ = unblock.get();
    cancels_ = cancels.get();
    projector_ = projector.get();
    add(std::move(unblock));
    add(std::move(cancels));
    add(std::move(projector));
    add(std::make_unique<DueScanner>(cascade_rules()));
    add(std::make_unique<DependencyReconciler>());
    add(std::make_unique<SiblingDispatcher>());
    add(std::make_unique<SiblingReconciler>());
    add(std::make_unique<IndexReconciler>());
    add(std::make_unique<RetentionTrimmer>());
    add(std::make_unique<FlowRetention>());
    add(std::make_unique<BudgetReconciler>());
    add(std::make_unique<QuotaReconciler>());
    add(std::make_unique<QuotaRelease>());
    add(std::make_unique<LaneCounts>());
    FF_ASSERT(loops_.size() == all_kinds().size());
}

Scanners::~Scanners() = default;

void Scanners::add(std::unique_ptr<Scanner> scanner) {
    const Kind kind = scanner->kind();
    loops_.emplace(kind, std::make_unique<Loop>(executor_, random_, ground_, std::move(scanner)));
}

Loop& Scanners::loop_of(Kind kind) {
    const auto found = loops_.find(kind);
    FF_ASSERT(found != loops_.end());
    return *found->second;
}

void Scanners::start() {
    for (auto& [kind, loop] : loops_) tasks_.spawn(loop->run());
    tasks_.spawn(shards_->run());
    listener_.spawn(listen());
}

asio::awaitable<bool> Scanners::stop(Deadline grace) {
    ground_.stopping = true;
    for (auto& [kind, loop] : loops_) loop->wake();
    grants_->stop();
    shards_->stop();
    listener_.cancel();
    co_await listener_.join();
    bool in_time = true;
    Timer limit(executor_, grace.at());
    limit.async_wait([&](const boost::system::error_code& cancelled) {
        if (cancelled) return;
        in_time = false;
        tasks_.cancel();
    });
    co_await tasks_.join();
    // Its handler refers to this frame: it must have run before the frame goes.
    limit.cancel();
    co_await asio::post(executor_, asio::use_awaitable);
    co_return in_time;
}

Task<Done> Scanners::run_once(Kind kind) {
    return loop_of(kind).run_once();
}

Task<Done> Scanners::run_due(Kind kind) {
    return loop_of(kind).run_due();
}

void Scanners::nudge(Kind kind) {
    loop_of(kind).nudge();
}

void Scanners::time_moved() {
    for (auto& [kind, loop] : loops_) loop->begin_again();
    grants_->time_moved();
}

asio::awaitable<void> Scanners::listen() {
    bool subscribed_before = false;
    while (!ground_.stopping) {
        store::Channels channels{.names = {std::string(model::kDueChannel),
                                           std::string(model::kAdmissionFreedChannel),
                                           std::string(model::kFlowCompletionsChannel)}};
        auto subscribed = co_await ground_.store.subscribe(std::move(channels));
        if (subscribed.has_value()) {
            const std::unique_ptr<store::Subscription> subscription = *std::move(subscribed);
            listening_ = true;
            if (subscribed_before) make_up_for_lost_messages();
            subscribed_before = true;
            co_await follow(*subscription);
            listening_ = false;
        }
        if (ground_.stopping) break;
        Timer pause(executor_, kSubscribePause);
        co_await pause.async_wait(asio::as_tuple(asio::use_awaitable));
    }
}

asio::awaitable<void> Scanners::follow(store::Subscription& subscription) {
    while (!ground_.stopping) {
        auto notice = co_await subscription.next(Deadline::never());
        if (!notice.has_value()) co_return;
        if (notice->has_value()) hear(**notice);
    }
}

void Scanners::hear(const store::Notice& notice) {
    if (notice.kind == store::Notice::Kind::Gap) {
        make_up_for_lost_messages();
        return;
    }
    if (notice.channel == model::kDueChannel) hear_due(notice.message);
    if (notice.channel == model::kFlowCompletionsChannel) hear_flow(notice.message);
    if (notice.channel == model::kAdmissionFreedChannel) {
        unblock_->freed(notice.message);
        loop_of(Kind::Unblock).wake();
    }
}

void Scanners::make_up_for_lost_messages() {
    for (auto& [kind, loop] : loops_) {
        if (loop->scanner().heeds_messages()) loop->begin_again();
    }
}

void Scanners::hear_due(const std::string& message) {
    const auto announcement = Announcement::parse(message);
    if (!announcement) {
        log::warn("scan", "announcement_malformed", {{"error", announcement.error().text()}});
        return;
    }
    const bool flow = announcement->partition.family() == model::PartitionFamily::Flow;
    if (flow) territory_.touch(announcement->partition.index());
    if (grants_->announced(*announcement)) return;
    if (!options_.shard.has(announcement->partition.index())) return;
    for (auto& [kind, loop] : loops_) loop->hear(*announcement);
}

void Scanners::hear_flow(const std::string& message) {
    const auto document = json::Document::parse(message);
    if (!document) {
        log::warn("scan", "flow_message_malformed", {{"error", document.error().text()}});
        return;
    }
    const auto text = [&](std::string_view name) {
        const auto member = document->root().find(name);
        return member ? member->as_string().value_or("") : std::string_view();
    };
    const auto flow = model::FlowId::parse(text("flow_id"));
    if (!flow) return;
    if (!options_.shard.has(model::partition_of(*flow, options_.partitions).index())) return;
    // Cancelled flows are in the hands of the server that was asked; a failed one of nobody's.
    if (text("public_flow_state") == "failed") {
        cancels_->flow_failed(*flow);
        loop_of(Kind::CancelReconciler).wake();
    }
    projector_->flow_finished(*flow);
    loop_of(Kind::FlowProjector).wake();
}

}  // namespace ff::scan
