#include "simulation/worker.h"

// What a worker does beside its work: frames, and waiting for signals.

namespace ff::simulation {
namespace asio = boost::asio;

asio::awaitable<void> Worker::append(Task& task) {
    const std::shared_ptr<Server> server = co_await any_server();
    if (!server) co_return;
    service::FrameBatch batch{.stream = {.execution_id = task.id, .attempt_index = task.attempt},
                              .fence = task.fence};
    KnownFrames& known = world_.ledger().subject(task.id).streams[task.attempt.value];
    const std::uint64_t count = world_.chances().between(1, 3);
    // Another worker may have had the attempt before: numbers go on from there.
    const std::int64_t first = known.frames.empty() ? 0 : known.frames.rbegin()->first;
    std::int64_t last = first;
    for (std::uint64_t i = 0; i < count; ++i) {
        const std::int64_t seq = ++last;
        const std::string payload = name_ + "/" + std::to_string(++drawn_);
        known.frames[seq] = {payload, false};
        batch.frames.push_back({.type = "token", .payload = payload, .seq = seq});
    }
    for (int tries = 0; tries < 3; ++tries) {
        world_.history().count(count);
        const Timestamp begun = world_.ledger().now();
        auto appending = server->services().streams.append(batch);
        const Result<service::AppendedFrames> appended = co_await std::move(appending);
        if (forgets()) continue;
        learn(task, "append", appended, begun, appended.has_value() && appended->duplicates > 0);
        if (appended.has_value()) {
            KnownFrames& now = world_.ledger().subject(task.id).streams[task.attempt.value];
            for (std::int64_t seq = first + 1; seq <= last; ++seq) now.frames[seq].second = true;
        }
        if (appended.has_value() || seen_of(appended) == Seen::Refused) co_return;
    }
}

asio::awaitable<void> Worker::suspend(Task& task) {
    Chances& chances = world_.chances();
    service::NewSuspension request{
        .attempt = {.execution_id = task.id, .attempt_index = task.attempt, .fence = task.fence},
        .reason_code = "waiting_for_signal",
        .signals = {"go"},
        .timeout_at = model::DueTime::after(Millis(200) + chances.up_to(Millis(8'000))),
        .timeout_behavior = chances.coin() ? "auto_resume" : "fail",
        .suspension_id = model::SuspensionId::mint(chances.random())};
    request.waitpoint.id = model::WaitpointId::mint(chances.random());
    for (int tries = 0; tries < 3; ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(1);
        const Timestamp begun = world_.ledger().now();
        auto suspending = server->services().suspensions.suspend(request);
        const Result<engine::SuspendExecution::Outcome> outcome = co_await std::move(suspending);
        if (forgets()) continue;
        learn(task, "suspend", outcome, begun, tries > 0);
        if (outcome.has_value()) {
            world_.doors.push_back({.id = task.id,
                                    .waitpoint = outcome->waitpoint.id,
                                    .token = std::string(outcome->waitpoint.token.reveal())});
            co_return;
        }
        if (seen_of(outcome) == Seen::Refused) co_return;
    }
}

}  // namespace ff::simulation
