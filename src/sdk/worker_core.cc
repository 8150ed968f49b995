#include "sdk/worker_core.h"

#include <algorithm>
#include <string_view>

#include "base/log.h"
#include "model/capability_set.h"
#include "model/ids.h"
#include "model/kind_set.h"
#include "sdk/public_error.h"
#include "sdk/words.h"

namespace ff::sdk {

using flowfabric::Done;
using flowfabric::Error;
using flowfabric::Json;
using flowfabric::Millis;
using flowfabric::Result;

namespace {

constexpr Millis kLeaseTtlMin{1000};
constexpr Millis kLeaseTtlMax{3'600'000};
constexpr std::size_t kLanesMax = 64;
constexpr std::size_t kUnansweredMax = 16;
constexpr Millis kGoodbyeTimeout{2000};

model::CapabilitySet capabilities_of(const flowfabric::WorkerConfig& config) {
    const std::vector<std::string_view> tokens(config.capabilities.begin(),
                                               config.capabilities.end());
    auto parsed = model::CapabilitySet::parse(tokens);
    return parsed.has_value() ? *std::move(parsed) : model::CapabilitySet();
}

template <class Id>
std::optional<Error> wrong(std::string_view text, std::string_view field) {
    const auto parsed = Id::parse(text, field);
    if (parsed.has_value()) return std::nullopt;
    return flowfabric::config_error("WorkerConfig: " + parsed.error().text());
}

}  // namespace

Result<Done> check_config(const flowfabric::WorkerConfig& config) {
    if (const auto bad = wrong<model::WorkerId>(config.worker_id, "worker_id")) return *bad;
    if (const auto bad =
            wrong<model::WorkerInstanceId>(config.worker_instance_id, "worker_instance_id"))
        return *bad;
    if (const auto bad = wrong<model::Namespace>(config.ns, "namespace")) return *bad;
    if (config.lanes.empty() || config.lanes.size() > kLanesMax)
        return flowfabric::config_error("WorkerConfig: lanes: 1 to 64 are needed");
    for (const std::string& lane : config.lanes) {
        if (const auto bad = wrong<model::LaneId>(lane, "lanes")) return *bad;
    }
    const std::vector<std::string_view> tokens(config.capabilities.begin(),
                                               config.capabilities.end());
    const auto capabilities = model::CapabilitySet::parse(tokens, "worker");
    if (!capabilities.has_value()) return to_public(capabilities.error());
    if (!config.kinds.empty()) {
        const auto kinds = model::KindSet::parse(config.kinds, "WorkerConfig: kinds");
        if (!kinds.has_value()) return flowfabric::config_error(kinds.error().text());
    }
    if (config.lease_ttl < kLeaseTtlMin || config.lease_ttl > kLeaseTtlMax)
        return flowfabric::config_error("WorkerConfig: lease_ttl: 1 s to 1 h");
    return Done{};
}

WorkerCore::WorkerCore(std::shared_ptr<Door> door, flowfabric::WorkerConfig config)
    : door_(std::move(door)),
      config_(std::move(config)),
      boot_id_(mint_uuid()),
      capacity_(std::make_unique<Capacity>(config_.max_concurrent_tasks)),
      keeper_(std::make_shared<LeaseKeeper>(
          LeaseKeeper::Options{.door = door_,
                               .worker_id = config_.worker_id,
                               .worker_instance_id = config_.worker_instance_id,
                               .lease_ttl = config_.lease_ttl,
                               .heartbeat = [this] { heartbeat(); }})) {}

WorkerCore::~WorkerCore() {
    keeper_->stop();
    const auto left = disconnect();
    if (!left) log::debug("sdk", "disconnect_failed", {{"code", left.error().code}});
}

std::string WorkerCore::instance_path(std::string_view rest) const {
    return "/v1/workers/" + percent(config_.worker_id) + "/instances/" +
           percent(config_.worker_instance_id) + std::string(rest);
}

DoorRequest WorkerCore::registration() const {
    const Millis ttl = std::clamp(config_.lease_ttl * 2, kLeaseTtlMin, kLeaseTtlMax);
    const Json body =
        Json::object({{"namespace", config_.ns},
                      {"lanes", Json::texts(config_.lanes)},
                      {"capabilities", Json::texts(config_.capabilities)},
                      {"ttl_ms", std::int64_t{ttl.count()}},
                      {"boot_id", boot_id_},
                      {"max_tasks", std::max<std::uint64_t>(1, config_.max_concurrent_tasks)}});
    return {.operation = "register_worker",
            .method = "PUT",
            .target = instance_path(),
            .body = body.dump(),
            .repeatable = true};
}

Result<Done> WorkerCore::register_instance() {
    const auto reply = ask(*door_, registration());
    if (!reply && reply.error().code == "duplicate_worker_instance") {
        Error refused = flowfabric::config_error("another live worker uses the instance id " +
                                                 config_.worker_instance_id);
        refused.detail = {"duplicate_worker_instance", config_.worker_instance_id};
        return refused;
    }
    if (!reply) return reply.error();
    registered_ = true;
    const model::CapabilitySet capabilities = capabilities_of(config_);
    log::info("sdk", "worker_registered",
              {{"worker_id", config_.worker_id},
               {"worker_instance_id", config_.worker_instance_id},
               {"namespace", config_.ns},
               {"capabilities", capabilities.csv()},
               {"capability_digest", capabilities.digest()}});
    keeper_->start();
    return Done{};
}

void WorkerCore::note_refusal(const Error& error) const {
    if (error.code != "capability_mismatch") return;
    const model::CapabilitySet capabilities = capabilities_of(config_);
    log::warn("sdk", "capability_mismatch",
              {{"worker_instance_id", config_.worker_instance_id},
               {"missing", error.detail.empty() ? std::string() : error.detail.front()},
               {"capabilities", capabilities.csv()},
               {"capability_digest", capabilities.digest()}});
}

Result<Done> WorkerCore::disconnect() {
    disconnected_ = true;
    if (!registered_.exchange(false)) return Done{};
    const auto reply = ask(*door_, {.operation = "disconnect",
                                    .method = "DELETE",
                                    .target = instance_path(query_of({{"namespace", config_.ns}})),
                                    .timeout = kGoodbyeTimeout});
    if (!reply) return reply.error();
    return Done{};
}

void WorkerCore::heartbeat() {
    if (!registered_) return;
    const Json body = Json::object({{"namespace", config_.ns}, {"boot_id", boot_id_}});
    const auto reply = ask(*door_, {.operation = "heartbeat_worker",
                                    .method = "POST",
                                    .target = instance_path("/heartbeat"),
                                    .body = body.dump(),
                                    .timeout = config_.lease_ttl / 3});
    if (!reply) {
        log::warn("sdk", "heartbeat_failed", {{"code", reply.error().code}});
        return;
    }
    const std::string& status = (*reply)["status"].text();
    if (status == "superseded") {
        registered_ = false;
        log::error("sdk", "worker_superseded",
                   {{"worker_instance_id", config_.worker_instance_id}});
    }
    if (status != "not_registered" || disconnected_) return;
    // The registration ran out while nobody could be reached.
    const auto renewed = ask(*door_, registration());
    if (!renewed && renewed.error().code == "duplicate_worker_instance") registered_ = false;
}

Result<Done> WorkerCore::may_claim() const {
    if (disconnected_) return flowfabric::config_error("the worker is disconnected");
    if (!registered_)
        return flowfabric::config_error("another process has taken over the instance id " +
                                        config_.worker_instance_id);
    return Done{};
}

void WorkerCore::set_claim_id(HotClaim& request) {
    const std::lock_guard lock(mutex_);
    request.first_try = unanswered_.empty();
    if (request.first_try) {
        request.claim_id = mint_uuid();
        return;
    }
    request.claim_id = std::move(unanswered_.back());
    unanswered_.pop_back();
}

HotClaim WorkerCore::new_claim(std::size_t tasks_max) const {
    return {.worker_id = config_.worker_id,
            .worker_instance_id = config_.worker_instance_id,
            .ns = config_.ns,
            .lanes = config_.lanes,
            .capabilities = config_.capabilities,
            .kinds = config_.kinds,
            .tasks_max = tasks_max,
            .lease_ttl = config_.lease_ttl};
}

void WorkerCore::give_back_unanswered() {
    std::vector<std::string> ids;
    {
        const std::lock_guard lock(mutex_);
        ids.swap(unanswered_);
    }
    for (std::string& id : ids) {
        // All that the id has got comes back, whatever is asked for now.
        HotClaim request = new_claim(1);
        request.claim_id = std::move(id);
        request.timeout = kGoodbyeTimeout;
        Result<HotClaimed> claimed = door_->claim(request);
        if (!claimed) {
            log::warn("sdk", "claim_unanswered", {{"code", claimed.error().code}});
            return;
        }
        for (HotTask& task : claimed->tasks) hold(std::move(task), std::nullopt)->give_back();
    }
}

Result<WorkerCore::Turn> WorkerCore::take_turn(std::vector<Capacity::Permit>& permits, Millis wait,
                                               std::vector<HotCompletion> completions,
                                               std::stop_token stop) {
    HotClaim request = new_claim(permits.size());
    request.wait = wait;
    request.completions = std::move(completions);
    request.stop = std::move(stop);
    const bool may_get_lost = door_->loses_replies() && !permits.empty();
    if (may_get_lost) set_claim_id(request);
    Result<HotClaimed> claimed = door_->claim(request);
    if (!claimed) {
        // What was claimed without our knowledge is asked for again under the same id.
        const std::lock_guard lock(mutex_);
        if (may_get_lost && !claimed.error().answered() && unanswered_.size() < kUnansweredMax)
            unanswered_.push_back(std::move(request.claim_id));
        return claimed.error();
    }
    Turn turn{.completions = std::move(claimed->completions)};
    for (HotTask& task : claimed->tasks) {
        if (permits.empty()) break;
        turn.tasks.push_back(hold(std::move(task), std::move(permits.back())));
        permits.pop_back();
    }
    return turn;
}

std::shared_ptr<TaskState> WorkerCore::hold(HotTask task, std::optional<Capacity::Permit> permit) {
    auto state = std::make_shared<TaskState>();
    state->door = door_;
    state->keeper = keeper_;
    state->on_abandon = config_.on_abandon;
    state->info = std::move(task.info);
    if (state->info.lease_ttl.count() == 0) state->info.lease_ttl = config_.lease_ttl;
    state->payload = std::move(task.payload);
    state->payload_omitted = task.payload_omitted;
    state->permit = std::move(permit);
    keeper_->watch(state);
    return state;
}

}  // namespace ff::sdk
