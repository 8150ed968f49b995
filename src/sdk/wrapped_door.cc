#include "sdk/wrapped_door.h"

#include <chrono>
#include <optional>
#include <thread>

#include "sdk/hot_path.h"
#include "sdk/public_error.h"

namespace ff::sdk {

using flowfabric::Error;
using flowfabric::Result;

namespace {

std::optional<Error> failure_of_reply(const Result<DoorReply>& reply) {
    if (!reply) return reply.error();
    if (reply->status >= 300) return error_of_reply(*reply);
    return std::nullopt;
}

}  // namespace

template <class Call, class FailureOf>
auto LayeredDoor::within(std::string_view method, const Call& call, const FailureOf& failure_of)
    -> decltype(call()) {
    const auto begun = std::chrono::steady_clock::now();
    const auto tell = [&](std::size_t passed, const std::optional<Error>& failure) {
        const auto elapsed = std::chrono::duration_cast<std::chrono::microseconds>(
            std::chrono::steady_clock::now() - begun);
        for (std::size_t i = passed; i > 0; --i)
            layers_[i - 1]->after(method, elapsed, failure ? &*failure : nullptr);
    };
    for (std::size_t i = 0; i < layers_.size(); ++i) {
        std::optional<Error> refused = layers_[i]->before(method);
        if (!refused) continue;
        tell(i, refused);
        return *std::move(refused);
    }
    auto result = call();
    tell(layers_.size(), failure_of(result));
    return result;
}

Result<DoorReply> LayeredDoor::send(const DoorRequest& request) {
    return within(request.operation, [&] { return inner_->send(request); }, failure_of_reply);
}

Result<HotClaimed> LayeredDoor::claim(const HotClaim& request) {
    return within(
        request.completions.empty() ? "claim" : "complete_and_claim",
        [&] { return inner_->claim(request); },
        [](const Result<HotClaimed>& claimed) {
            return claimed ? std::nullopt : std::optional<Error>(claimed.error());
        });
}

Result<DoorReply> RepeatingDoor::send(const DoorRequest& request) {
    flowfabric::Millis pause = policy_.backoff;
    for (int attempt = 1;; ++attempt) {
        Result<DoorReply> reply = inner_->send(request);
        const std::optional<Error> failure = failure_of_reply(reply);
        const bool again = failure && failure->retryable() && request.repeatable;
        if (!again || attempt >= policy_.attempts) return reply;
        std::this_thread::sleep_for(pause);
        pause *= 2;
    }
}

Result<HotClaimed> RepeatingDoor::claim(const HotClaim& request) {
    return inner_->claim(request);
}

std::shared_ptr<Door> wrap(std::shared_ptr<Door> door, flowfabric::Layers layers,
                           flowfabric::RetryPolicy retry) {
    if (!layers.empty()) door = std::make_shared<LayeredDoor>(std::move(door), std::move(layers));
    if (retry.attempts > 1) door = std::make_shared<RepeatingDoor>(std::move(door), retry);
    return door;
}

}  // namespace ff::sdk
