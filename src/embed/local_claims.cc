// Claims that a worker makes against the store itself.

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "embed/local_door.h"
#include "embed/task_reading.h"
#include "engine/claim_batch.h"
#include "engine/operation.h"
#include "flowfabric/client.h"
#include "model/capability_set.h"
#include "model/kind_set.h"
#include "sched/kind_sorting.h"
#include "sdk/capacity.h"
#include "sdk/grant_claim.h"
#include "sdk/public_error.h"

namespace ff::embed {
namespace asio = boost::asio;

namespace {

/// What the claim functions know of a worker.
struct Claimer {
    model::WorkerId worker_id;
    model::WorkerInstanceId worker_instance_id;
    std::vector<model::LaneId> lanes{};
    model::CapabilitySet capabilities{};
    model::KindSet kinds{};
    std::optional<model::Namespace> ns{};
    Millis lease_ttl{30'000};
};

Result<Claimer> claimer_of(const flowfabric::WorkerConfig& worker) {
    FF_TRY(model::WorkerId id, model::WorkerId::parse(worker.worker_id));
    FF_TRY(model::WorkerInstanceId instance,
           model::WorkerInstanceId::parse(worker.worker_instance_id));
    Claimer made{.worker_id = std::move(id), .worker_instance_id = std::move(instance)};
    for (const std::string& text : worker.lanes) {
        FF_TRY(model::LaneId lane, model::LaneId::parse(text));
        made.lanes.push_back(std::move(lane));
    }
    const std::vector<std::string_view> tokens(worker.capabilities.begin(),
                                               worker.capabilities.end());
    FF_TRY(made.capabilities, model::CapabilitySet::parse(tokens));
    if (!worker.kinds.empty()) {
        FF_TRY(made.kinds, model::KindSet::parse(worker.kinds));
    }
    FF_TRY(made.ns, model::Namespace::parse(worker.ns));
    made.lease_ttl = worker.lease_ttl;
    return made;
}

Result<sdk::HeldGrant> held_of(const flowfabric::Grant& grant) {
    FF_TRY(model::ExecutionId id, model::ExecutionId::parse(grant.execution_id));
    FF_TRY(model::LaneId lane, model::LaneId::parse(grant.lane));
    engine::GrantKind kind = engine::GrantKind::Claim;
    if (grant.kind == "resume") kind = engine::GrantKind::Resume;
    if (grant.kind == "reclaim") kind = engine::GrantKind::Reclaim;
    return sdk::HeldGrant{.execution_id = std::move(id), .lane = std::move(lane), .kind = kind};
}

struct Consumed {
    engine::TakenLease lease;
    std::string suspension_id{};
    Bytes continuation{};
};

asio::awaitable<Result<Consumed>> consume(app::Instance& instance, Claimer worker,
                                          sdk::HeldGrant grant) {
    // The permit of the real capacity is with the caller already.
    sdk::Capacity one(1);
    sdk::WorkerIdentity who{.worker_id = std::move(worker.worker_id),
                            .worker_instance_id = std::move(worker.worker_instance_id),
                            .lease_ttl = worker.lease_ttl};
    SecureRandom random;
    // The store of the services counts its calls.
    store::Store& store = instance.services().context.store;
    FF_CO_TRY(sdk::GrantedLease granted,
              co_await sdk::claim_from_grant(store, random, one, std::move(who), std::move(grant)));
    co_return Consumed{.lease = std::move(granted.lease),
                       .suspension_id = std::move(granted.suspension_id),
                       .continuation = std::move(granted.continuation)};
}

/// The head of one lane in one partition.
asio::awaitable<Result<std::optional<sdk::HotTask>>> claim_at(const service::Context& context,
                                                              const Claimer& worker,
                                                              model::LaneId lane,
                                                              std::uint16_t place) {
    SecureRandom random;
    engine::ClaimBatch batch{.partition = model::PartitionKey::flow(place),
                             .worker_id = worker.worker_id,
                             .worker_instance_id = worker.worker_instance_id,
                             .lane = lane,
                             .capabilities_csv = worker.capabilities.csv(),
                             .lease_ttl = worker.lease_ttl,
                             .bypass_admission = true,
                             .only_namespace = worker.ns,
                             .kinds = worker.kinds};
    batch.leases.push_back(
        {.lease_id = model::LeaseId::mint(random), .attempt_id = model::AttemptId::mint(random)});
    engine::ClaimBatch again = batch;
    FF_CO_TRY(engine::ClaimedBatch claimed, co_await engine::run(context.store, std::move(batch)));
    if (claimed.unsorted && claimed.claimed.empty()) {
        std::function<bool()> never = [] { return false; };
        FF_CO_CHECK(co_await sched::sort_by_kind(context.store, lane, place, std::move(never)));
        FF_CO_TRY(claimed, co_await engine::run(context.store, std::move(again)));
    }
    if (claimed.claimed.empty()) co_return std::optional<sdk::HotTask>();
    co_return std::optional<sdk::HotTask>(
        task_of(std::move(claimed.claimed.front()), std::move(lane), worker.lease_ttl));
}

/// The poll's window, and the lane's own partitions behind it: they are where solo work is.
std::vector<std::uint16_t> places_of(const service::Context& context, const model::LaneId& lane,
                                     std::vector<std::uint16_t> window) {
    const std::uint16_t home = context.partitioner.partition(lane, context.rules.partitions);
    const model::LaneSpread spread{context.claimer.spread_of(lane)};
    for (const std::uint16_t own : spread.partitions(home, context.rules.partitions)) {
        if (std::ranges::find(window, own) == window.end()) window.push_back(own);
    }
    return window;
}

asio::awaitable<Result<std::optional<sdk::HotTask>>> claim_plain(app::Instance& instance,
                                                                 sched::DirectTurns& turns,
                                                                 Claimer worker) {
    const service::Context& context = instance.services().context;
    const sched::DirectTurns::Turn turn = turns.begin(
        worker.worker_instance_id, worker.lanes, context.rules.partitions.num_flow_partitions());
    for (const model::LaneId& lane : turn.lanes) {
        FF_CO_TRY(const sched::LaneConfig config, co_await context.claimer.lanes().lane(lane));
        if (!config.gives_work()) continue;
        for (const std::uint16_t place : places_of(context, lane, turn.partitions)) {
            FF_CO_TRY(std::optional<sdk::HotTask> task,
                      co_await claim_at(context, worker, lane, place));
            if (!task) continue;
            turns.took(worker.worker_instance_id, lane, place);
            co_return task;
        }
    }
    co_return std::optional<sdk::HotTask>();
}

}  // namespace

flowfabric::Result<sdk::HotTask> LocalDoor::claim_grant(const flowfabric::WorkerConfig& worker,
                                                        const flowfabric::Grant& grant) {
    const auto who = claimer_of(worker);
    if (!who.has_value()) return public_error(who.error());
    const auto held = held_of(grant);
    if (!held.has_value()) return public_error(held.error());
    FF_SDK_TRY(const Consumed taken, engine_->wait_for<Consumed>([&](app::Instance& instance) {
        return consume(instance, *who, *held);
    }));
    const flowfabric::AdminClient client(std::shared_ptr<sdk::Door>(std::shared_ptr<void>(), this));
    FF_SDK_TRY(const flowfabric::ExecutionInfo about,
               client.describe_execution(grant.execution_id));
    FF_SDK_TRY(flowfabric::Tags tags, client.get_tags(grant.execution_id));
    sdk::HotTask task;
    const auto payload = client.get_payload(grant.execution_id);
    if (payload) task.payload = *payload;
    if (!payload && payload.error().status != 404) task.payload_omitted = true;
    flowfabric::TaskInfo& info = task.info;
    info.execution_id = grant.execution_id;
    info.ns = about.ns;
    info.lane = grant.lane;
    info.kind = about.kind;
    info.flow_id = about.flow_id;
    info.priority = about.priority;
    info.created_at = about.created_at;
    info.attempt_index = taken.lease.attempt_index.value;
    info.attempt_id = taken.lease.fence.attempt_id.to_string();
    info.attempt_type = taken.lease.attempt_type;
    info.lease_id = taken.lease.fence.lease_id.to_string();
    info.lease_epoch = static_cast<std::int64_t>(taken.lease.fence.lease_epoch.value);
    info.lease_ttl = worker.lease_ttl;
    info.tags = std::move(tags);
    info.suspension_id = taken.suspension_id;
    info.continuation = taken.continuation;
    return task;
}

flowfabric::Result<std::optional<sdk::HotTask>> LocalDoor::claim_unadmitted(
    const flowfabric::WorkerConfig& worker) {
    const auto who = claimer_of(worker);
    if (!who.has_value()) return public_error(who.error());
    return engine_->wait_for<std::optional<sdk::HotTask>>(
        [&](app::Instance& instance) { return claim_plain(instance, direct_turns_, *who); });
}

}  // namespace ff::embed
