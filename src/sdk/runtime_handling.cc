// What a hand does with a task.

#include <algorithm>
#include <exception>

#include "base/log.h"
#include "sdk/runtime_core.h"

namespace ff::sdk {

using flowfabric::Error;
using flowfabric::HandlerResult;
using flowfabric::Millis;

namespace {

/// What an exception says, with the causes nested in it.
std::string text_with_causes(const std::exception& failure) {
    std::string text = failure.what();
    try {
        std::rethrow_if_nested(failure);
    } catch (const std::exception& cause) {
        text += ": " + text_with_causes(cause);
    } catch (...) {
        text += ": unknown cause";
    }
    return text;
}

}  // namespace

HandlerResult RuntimeCore::call_handler(const flowfabric::Handler& handler, flowfabric::Task& task,
                                        std::string& category) {
    flowfabric::Context context(task, data);
    const auto failure = [&](std::string kind, std::string text) -> HandlerResult {
        category = std::move(kind);
        return Error{.code = category, .message = std::move(text)};
    };
    try {
        HandlerResult result = handler(context);
        if (!result) category = "handler_error";
        return result;
    } catch (const flowfabric::PayloadError& bad) {
        return failure("extractor_payload_decode", bad.what());
    } catch (const flowfabric::MissingData& missing) {
        return failure("extractor_missing_state", missing.what());
    } catch (const std::exception& thrown) {
        return failure("handler_error", text_with_causes(thrown));
    } catch (...) {
        return failure("handler_panic", "the handler threw something that is no std::exception");
    }
}

void RuntimeCore::handle(const State& state) {
    flowfabric::Task task(state);
    const auto found = handlers.find(task.kind());
    if (found == handlers.end()) {
        const std::string text = "no handler for kind " + task.kind();
        if (unknown_kind == flowfabric::UnknownKind::Release) {
            state->give_back();
        } else {
            fail(task, text, "runtime_no_handler");
        }
    } else {
        std::string category;
        HandlerResult result = call_handler(found->second, task, category);
        if (result && !task.ended()) {
            const std::lock_guard lock(mutex_);
            if (!closed_) {
                finished_.push_back({.task = state, .result = *std::move(result)});
                task.detach();
                return;
            }
        } else if (!task.ended()) {
            fail(task,
                 result.error().message.empty() ? result.error().code : result.error().message,
                 category);
        }
    }
    const std::lock_guard lock(mutex_);
    running_.erase(state);
}

void RuntimeCore::fail(flowfabric::Task& task, const std::string& reason,
                       const std::string& category) {
    Millis pause = backoff.initial;
    while (!task.ended()) {
        const auto failed = task.fail(reason, category);
        if (failed || failed.error().answered() || !task.is_lease_healthy()) {
            if (!failed)
                log::warn("sdk", "fail_refused",
                          {{"execution_id", task.id()}, {"code", failed.error().code}});
            return;
        }
        std::unique_lock lock(mutex_);
        if (changed_.wait_for(lock, pause, [this] { return closed_; })) return;
        pause = std::min(backoff.max, std::chrono::duration_cast<Millis>(pause * backoff.factor));
    }
}

}  // namespace ff::sdk
