#include "model/exec_keys.h"
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
        // Whoever has to send again may be late with it.
        if (tries > 0 && !world_.is_calm() && world_.chances().coin())
            co_await world_.pause(world_.chances().up_to(2 * world_.crowd().lease_ttl));
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
        if (!appended.has_value() && seen_of(appended) == Seen::Refused && has_appended(task, last))
            world_.ledger().broke("a call sent again gets its first answer", task.id,
                                  "frames that are there were refused when they were sent again");
        if (appended.has_value() || seen_of(appended) == Seen::Refused) co_return;
        if (appended.error().code == "store_full") co_return;
    }
}

/// What the store has of it right now.
bool Worker::waits_at(const Task& task, const std::string& waitpoint) {
    if (!world_.process().life()) return false;
    const std::string core = model::ExecKeys(task.id).core();
    return world_.process().look({"HGET", core, "lifecycle_phase"}).text() == "suspended" &&
           world_.process().look({"HGET", core, "current_waitpoint_id"}).text() == waitpoint;
}

bool Worker::has_appended(const Task& task, std::int64_t seq) {
    if (!world_.process().life()) return false;
    const std::string meta = model::ExecKeys(task.id).stream(task.attempt) + ":meta";
    const std::string epoch = task.fence.lease_epoch.to_string();
    return world_.process().look({"HGET", meta, "last_client_epoch"}).text() == epoch &&
           world_.process().look({"HGET", meta, "last_client_seq"}).text() == std::to_string(seq);
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
    if (chances.happens(world_.crowd().asks))
        request.approval =
            engine::ApprovalRequest{.prompt = "may I?", .due_at = request.timeout_at};
    request.steps = task.steps;
    // Without an id of its own the records have to tell that it is the same one.
    if (chances.coin()) request.suspension_id.reset();
    const std::string waitpoint = request.waitpoint.id->to_string();
    world_.ledger().subject(task.id).may_go_on = true;
    for (int tries = 0; tries < 3; ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(1);
        const Timestamp begun = world_.ledger().now();
        Asked call = asked(task, Act::Suspend);
        auto suspending = server->services().suspensions.suspend(request);
        const Result<engine::SuspendExecution::Outcome> outcome = co_await std::move(suspending);
        if (outcome.has_value() && outcome->already_satisfied) call.was(Act::Renew);
        // With an idempotency key a repetition gets the very words of the first answer.
        const bool again = outcome.has_value() && (outcome->replayed || tries > 0);
        call.told(outcome, again);
        if (forgets()) continue;
        learn(task, "suspend", outcome, begun, tries > 0);
        if (outcome.has_value()) {
            world_.ledger().subject(task.id).waitpoints.insert(waitpoint);
            world_.recorded().brought(task.id, task.steps);
            world_.doors.push_back({.id = task.id,
                                    .waitpoint = outcome->waitpoint.id,
                                    .token = std::string(outcome->waitpoint.token.reveal())});
            co_return;
        }
        if (seen_of(outcome) != Seen::Refused) continue;
        if (waits_at(task, waitpoint))
            world_.ledger().broke("a call sent again gets its first answer", task.id,
                                  "the suspension that counts was refused when it was sent again");
        co_return;
    }
}

}  // namespace ff::simulation
