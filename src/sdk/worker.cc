#include "flowfabric/worker.h"

#include <algorithm>

#include "base/bytes.h"
#include "sdk/public_error.h"
#include "sdk/store_access.h"
#include "sdk/worker_core.h"
#include "sdk/wrapped_door.h"

namespace flowfabric {

using ff::sdk::Capacity;
using ff::sdk::WorkerCore;

namespace {

Error at_capacity() {
    return {.code = "worker_at_capacity",
            .cls = ErrorClass::Retryable,
            .kind = "worker_at_capacity",
            .message = "all permits of this worker are taken"};
}

}  // namespace

WorkerConfig WorkerConfig::on_store(std::string host, std::uint16_t port, std::string worker_id,
                                    std::string worker_instance_id, std::string ns,
                                    std::string lane) {
    WorkerConfig config;
    config.host = std::move(host);
    config.port = port;
    config.worker_id = std::move(worker_id);
    config.worker_instance_id = std::move(worker_instance_id);
    config.ns = std::move(ns);
    config.lanes = {std::move(lane)};
    return config;
}

Worker::Worker(std::shared_ptr<WorkerCore> core) : core_(std::move(core)) {}
Worker::Worker(Worker&&) noexcept = default;
Worker& Worker::operator=(Worker&&) noexcept = default;
Worker::~Worker() = default;

Result<Worker> Worker::connect(const AdminClient& client, WorkerConfig config) {
    FF_SDK_TRY([[maybe_unused]] Done checked, ff::sdk::check_config(config));
    auto door = ff::sdk::wrap(client.door(), config.layers);
    auto core = std::make_shared<WorkerCore>(std::move(door), std::move(config));
    FF_SDK_TRY([[maybe_unused]] Done registered, core->register_instance());
    return Worker(std::move(core));
}

Result<std::vector<Task>> Worker::claim_tasks(std::size_t max, Millis wait) {
    FF_SDK_TRY([[maybe_unused]] Done allowed, core_->may_claim());
    std::vector<Capacity::Permit> permits;
    while (permits.size() < max) {
        auto permit = core_->capacity().try_take();
        if (!permit) break;
        permits.push_back(*std::move(permit));
    }
    std::vector<Task> tasks;
    if (permits.empty()) return tasks;
    FF_SDK_TRY(WorkerCore::Turn turn, core_->take_turn(permits, wait, {}));
    for (auto& state : turn.tasks) tasks.emplace_back(std::move(state));
    return tasks;
}

Result<std::optional<Task>> Worker::claim_next() {
    if (!core_->config().direct_claim)
        return config_error("claim_next needs direct_claim in the configuration");
    ff::sdk::StoreAccess* store = core_->door().store_access();
    if (store == nullptr) return config_error("claim_next needs a store or an engine");
    FF_SDK_TRY([[maybe_unused]] Done allowed, core_->may_claim());
    auto permit = core_->capacity().try_take();
    if (!permit) return std::optional<Task>();
    FF_SDK_TRY(std::optional<ff::sdk::HotTask> claimed, store->claim_unadmitted(core_->config()));
    if (!claimed) return std::optional<Task>();
    return std::optional<Task>(Task(core_->hold(*std::move(claimed), *std::move(permit))));
}

Result<Task> Worker::claim_from_grant(const Grant& grant) {
    ff::sdk::StoreAccess* store = core_->door().store_access();
    if (store == nullptr) return config_error("a grant needs a store or an engine");
    FF_SDK_TRY([[maybe_unused]] Done allowed, core_->may_claim());
    auto permit = core_->capacity().try_take();
    if (!permit) {
        store->note_at_capacity();
        return at_capacity();
    }
    Result<ff::sdk::HotTask> found = store->claim_grant(core_->config(), grant);
    if (!found) {
        core_->note_refusal(found.error());
        return std::move(found).error();
    }
    ff::sdk::HotTask claimed = *std::move(found);
    return Task(core_->hold(std::move(claimed), *std::move(permit)));
}

Result<std::optional<Task>> Worker::claim_via_server(const AdminClient& client,
                                                     const std::string& lane, Millis grant_ttl) {
    if (core_->capacity().free() == 0) return at_capacity();
    const WorkerConfig& config = core_->config();
    FF_SDK_TRY(const std::optional<Grant> grant,
               client.request_grant({.worker_id = config.worker_id,
                                     .worker_instance_id = config.worker_instance_id,
                                     .lane = lane,
                                     .capabilities = config.capabilities,
                                     .ttl = grant_ttl}));
    if (!grant) return std::optional<Task>();
    FF_SDK_TRY(Task task, claim_from_grant(*grant));
    return std::optional<Task>(std::move(task));
}

Result<SignalReceipt> Worker::deliver_signal(const std::string& id, const NewSignal& signal) {
    return AdminClient(core_->shared_door()).deliver_signal(id, signal);
}

Result<Verified> Worker::verify_and_deliver(const std::string& id, const std::string& waitpoint_id,
                                            const std::string& presented_token, NewSignal signal) {
    const AdminClient client(core_->shared_door());
    const Result<std::string> stored = client.waitpoint_token(id, waitpoint_id);
    if (!stored) {
        if (stored.error().status == 404) return Verified{.kind = Verified::Kind::UnknownWaitpoint};
        return stored.error();
    }
    if (!ff::constant_time_equal(*stored, presented_token))
        return Verified{.kind = Verified::Kind::TokenMismatch};
    signal.waitpoint_id = waitpoint_id;
    signal.waitpoint_token = presented_token;
    FF_SDK_TRY(SignalReceipt receipt, client.deliver_signal(id, signal));
    return Verified{.receipt = std::move(receipt)};
}

AdminClient Worker::client() const {
    return AdminClient(core_->shared_door());
}

Result<PartitionConfig> Worker::partition_config() const {
    FF_SDK_TRY(const ServerFacts facts, client().capabilities());
    return PartitionConfig{.flow = facts.flow_partitions,
                           .budget = facts.budget_partitions,
                           .quota = facts.quota_partitions};
}

bool Worker::is_registered() const {
    return core_->is_registered();
}

std::size_t Worker::free_permits() const {
    return core_->capacity().free();
}

const WorkerConfig& Worker::config() const {
    return core_->config();
}

Result<Done> Worker::disconnect() {
    return core_->disconnect();
}

}  // namespace flowfabric
