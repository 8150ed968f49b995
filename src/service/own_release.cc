#include "service/own_release.h"

#include "base/numbers.h"
#include "model/exec_keys.h"

namespace ff::service {
namespace {

std::optional<Timestamp> time_in(const OwnRelease& release) {
    const auto ms = parse_i64(release.answer);
    return ms ? std::optional(timestamp_from_ms(*ms)) : std::nullopt;
}

}  // namespace

Task<std::optional<OwnRelease>> own_release(store::Store& store, model::ExecutionId id,
                                            std::optional<engine::Fence> fence) {
    if (!fence) co_return std::optional<OwnRelease>();
    store::Call read = store::plain({"HMGET", model::ExecKeys(id).core(), "last_release_lease_id",
                                     "last_release_op", "last_release_answer"},
                                    true);
    FF_CO_TRY(const store::Reply reply, co_await store.call(std::move(read)));
    const auto fields = reply.items();
    constexpr std::size_t kAsked = 3;
    if (fields.size() != kAsked || fields[0].text() != fence->lease_id.to_string()) {
        co_return std::optional<OwnRelease>();
    }
    co_return std::optional(OwnRelease{.op = std::string(fields[1].text().value_or("")),
                                       .answer = std::string(fields[2].text().value_or(""))});
}

bool may_be_repeated(const Error& refusal) {
    return refusal.code == "stale_lease" || refusal.code == "lease_expired" ||
           refusal.code == "lease_revoked";
}

std::optional<engine::CompleteExecution::Outcome> as_completed(const OwnRelease& release) {
    if (release.op != "completed") return std::nullopt;
    return engine::CompleteExecution::Outcome{.replayed = true};
}

std::optional<engine::FailExecution::Outcome> as_failed(const OwnRelease& release) {
    if (release.op == "failed_terminal") {
        return engine::FailExecution::Outcome{.replayed = true, .why = release.answer};
    }
    const auto delay_until = time_in(release);
    if (release.op != "failed_retry_scheduled" || !delay_until) return std::nullopt;
    return engine::FailExecution::Outcome{
        .replayed = true, .retry_scheduled = true, .delay_until = *delay_until};
}

std::optional<engine::DelayExecution::Outcome> as_delayed(const OwnRelease& release) {
    const auto delay_until = time_in(release);
    if (release.op != "worker_delay" || !delay_until) return std::nullopt;
    return engine::DelayExecution::Outcome{.replayed = true, .delay_until = *delay_until};
}

std::optional<engine::DelayExecution::Outcome> as_returned(const OwnRelease& release) {
    const auto delay_until = time_in(release);
    if (release.op != "returned" || !delay_until) return std::nullopt;
    return engine::DelayExecution::Outcome{.replayed = true, .delay_until = *delay_until};
}

std::optional<engine::MoveToWaitingChildren::Outcome> as_waiting(const OwnRelease& release) {
    if (release.op != "waiting_children" || release.answer.empty()) return std::nullopt;
    return engine::MoveToWaitingChildren::Outcome{.replayed = true,
                                                  .blocked = release.answer == "blocked"};
}

}  // namespace ff::service
