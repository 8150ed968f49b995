#include "sdk/task_state.h"

#include <array>
#include <string_view>

#include "base/log.h"
#include "sdk/lease_keeper.h"
#include "sdk/words.h"

namespace ff::sdk {
namespace {

constexpr flowfabric::Millis kReleaseTimeout{2000};

/// Nobody renews after one of these.
bool is_final(std::string_view code) {
    constexpr std::array<std::string_view, 5> kFinal{"stale_lease", "lease_expired",
                                                     "lease_revoked", "execution_not_active",
                                                     "execution_not_found"};
    for (const std::string_view final_code : kFinal) {
        if (code == final_code) return true;
    }
    return false;
}

}  // namespace

HeldLease TaskState::lease() const {
    return {.execution_id = info.execution_id,
            .lease_id = info.lease_id,
            .lease_epoch = info.lease_epoch,
            .attempt_id = info.attempt_id,
            .attempt_index = info.attempt_index};
}

bool TaskState::has_ended() {
    const std::lock_guard lock(mutex);
    return ended;
}

void TaskState::end() {
    {
        const std::lock_guard lock(mutex);
        if (ended) return;
        ended = true;
        permit.reset();
    }
    if (keeper) keeper->forget(this);
}

void TaskState::abandon() {
    if (has_ended()) return;
    end();
    log::warn("sdk", "task_abandoned",
              {{"execution_id", info.execution_id}, {"lease_id", info.lease_id}});
    if (on_abandon == flowfabric::OnAbandon::Release) release(false);
}

void TaskState::give_back() {
    if (has_ended()) return;
    end();
    release(true);
}

void TaskState::release(bool unbegun) {
    flowfabric::Json body = flowfabric::Json::object({{"lease", lease_json(lease())}});
    if (unbegun) body.set("unbegun", true);
    const DoorRequest request{.operation = "release",
                              .method = "POST",
                              .target = execution_path(info.execution_id, "/release"),
                              .body = body.dump(),
                              .timeout = kReleaseTimeout};
    const auto released = success_of(door->send(request));
    if (!released)
        log::warn("sdk", "release_failed",
                  {{"execution_id", info.execution_id}, {"code", released.error().code}});
}

void TaskState::renewed() {
    const std::lock_guard lock(mutex);
    renewal_failures = 0;
}

void TaskState::renewal_failed(const flowfabric::Error& error) {
    std::function<void(const flowfabric::Error&)> tell;
    {
        const std::lock_guard lock(mutex);
        if (ended || lost) return;
        ++renewal_failures;
        if (!is_final(error.code)) return;
        lost = true;
        lost_with = error;
        tell = std::move(on_lost);
        on_lost = nullptr;
    }
    log::warn("sdk", "lease_lost", {{"execution_id", info.execution_id}, {"code", error.code}});
    stop.request_stop();
    if (tell) tell(error);
}

}  // namespace ff::sdk
