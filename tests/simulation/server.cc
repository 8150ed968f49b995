#include "simulation/server.h"

#include <utility>

#include "app/partition_record.h"
#include "hub/waitpoint_secrets.h"
#include "model/global_keys.h"

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

using namespace std::chrono_literals;

constexpr Millis kStopGrace = 2s;

app::ServiceOptions service_options(const Plan& plan) {
    app::ServiceOptions options{.lanes = lanes_of(plan)};
    options.rules.partitions = partitions_of(plan);
    options.rules.lane_spread = plan.lane_spread;
    options.feed_turn = 200ms;
    return options;
}

app::BackgroundOptions background_options(const Plan& plan) {
    app::BackgroundOptions options;
    options.scan.partitions = partitions_of(plan);
    options.scan.lanes = lanes_of(plan);
    return options;
}

}  // namespace

model::PartitionConfig partitions_of(const Plan& plan) {
    return *model::PartitionConfig::create(plan.partitions);
}

std::vector<model::LaneId> lanes_of(const Plan& plan) {
    std::vector<model::LaneId> lanes;
    for (const std::string& name : plan.lanes) lanes.push_back(*model::LaneId::parse(name));
    return lanes;
}

void Server::RepairProbe::index_repaired(std::string_view index) {
    // Names and listings beyond a partition are written after the fact, and restored.
    if (index == "namespace" || index == "lanes") return;
    history_.broke("indexes say what the records say",
                   "the reconciler had to repair " + std::string(index));
}

Server::Server(asio::any_io_executor loop, Chances& chances, History& history,
               StoreProcess& process, const Options& options)
    : plan_(options.plan),
      clock_(options.skew),
      random_(options.seed),
      link_(loop, chances, process, options.network),
      probe_(history),
      process_(process),
      loop_(std::move(loop)) {}

Task<Done> Server::start() {
    const model::PartitionConfig partitions = partitions_of(plan_);
    FF_CO_CHECK(co_await app::agree_on_partitions(link_, partitions));
    hub::WaitpointSecrets secrets(random_, link_, partitions);
    FF_CO_CHECK(co_await secrets.install("k1", std::string(64, 'a')));
    store::Call enter = store::plain({"SADD", model::kLanesKey}, true);
    for (const std::string& lane : plan_.lanes) enter.command.arg(lane);
    FF_CO_CHECK(co_await link_.call(std::move(enter)));
    services_ =
        std::make_unique<app::Services>(loop_, link_, clock_, random_, service_options(plan_));
    app::BackgroundOptions working = background_options(plan_);
    working.scan.time_is_doubted = [this] { return process_.time_is_doubted(); };
    background_ = std::make_unique<app::Background>(loop_, link_, clock_, random_,
                                                    services_->claimer, std::move(working), probe_);
    FF_CO_CHECK(co_await services_->start());
    background_->start();
    running_ = true;
    co_return Done{};
}

asio::awaitable<void> Server::stop() {
    if (!std::exchange(running_, false)) co_return;
    co_await services_->stop(Deadline::after(kStopGrace));
    co_await background_->stop(Deadline::after(kStopGrace));
}

}  // namespace ff::simulation
