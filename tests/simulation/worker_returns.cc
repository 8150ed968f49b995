#include <algorithm>
#include <array>

#include "model/exec_keys.h"
#include "simulation/worker.h"

// How a worker gives back what it does not end, and what it says it has used.

namespace ff::simulation {
namespace asio = boost::asio;

bool Worker::has_released(const Task& task) {
    if (!world_.process().life()) return false;
    const std::string core = model::ExecKeys(task.id).core();
    return world_.process().look({"HGET", core, "last_release_lease_id"}).text() ==
           task.fence.lease_id.to_string();
}

/// Whoever gave a lease up is told so again, as long as that is the last thing that is known.
void Worker::check_repetition(const Task& task, const Error& refusal) {
    if (seen_of(refusal) != Seen::Refused || !has_released(task)) return;
    const std::string core = model::ExecKeys(task.id).core();
    const resp::Value op = world_.process().look({"HGET", core, "last_release_op"});
    // These end a lease without its worker.
    constexpr std::array kByWorkers = {"worker_delay", "returned", "failed_retry_scheduled",
                                       "failed_terminal", "waiting_children"};
    if (std::ranges::find(kByWorkers, op.text().value_or("")) == kByWorkers.end()) return;
    world_.ledger().broke("a call sent again gets its first answer", task.id,
                          "it was " + std::string(*op.text()) +
                              ", and refused when it was sent again: " + refusal.code);
}

bool Worker::gave_back(const Task& task, const std::string& act,
                       const Result<engine::DelayExecution::Outcome>& outcome, Timestamp begun) {
    learn(task, act, outcome, begun, outcome.has_value() && outcome->replayed);
    if (!outcome.has_value()) check_repetition(task, outcome.error());
    return outcome.has_value() || seen_of(outcome) == Seen::Refused;
}

asio::awaitable<void> Worker::give_back(Task& task) {
    const bool releases = world_.chances().coin();
    const bool unbegun = releases && world_.chances().coin();
    if (!unbegun) world_.ledger().subject(task.id).may_go_on = true;
    const engine::DelayExecution delay{
        .execution_id = task.id,
        .fence = task.fence,
        .delay_until = model::DueTime::after(world_.chances().up_to(Millis(2'000))),
        .steps = task.steps};
    for (int tries = 0; tries < 3; ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(1);
        const Timestamp begun = world_.ledger().now();
        Asked call = asked(task, Act::GiveBack);
        Result<engine::DelayExecution::Outcome> outcome = engine::DelayExecution::Outcome{};
        if (releases) {
            auto releasing = server->services().work.release(task.id, task.fence, unbegun);
            const Result<Done> done = co_await std::move(releasing);
            if (!done.has_value()) outcome = done.error();
            // Its answer does not say whether it is the first.
            if (tries > 0 && done.has_value()) outcome->replayed = true;
        } else {
            auto delaying = server->services().work.delay(delay);
            outcome = co_await std::move(delaying);
            if (outcome.has_value()) world_.recorded().brought(task.id, task.steps);
        }
        // The answer to a release does not say whether it is the first.
        call.told(outcome, releases || (outcome.has_value() && outcome->replayed));
        if (forgets()) continue;
        if (gave_back(task, releases ? "release" : "delay", outcome, begun)) co_return;
    }
}

asio::awaitable<void> Worker::report_usage(Task& task) {
    Limits& limits = world_.limits();
    const auto amount = static_cast<std::int64_t>(world_.chances().between(1, 20));
    const bool is_spent = world_.chances().happens(world_.plan().limits.spent);
    const std::string name = limits.new_report(
        {.id = task.id, .attempt = task.attempt, .amount = amount, .is_spent = is_spent});
    if (name.empty()) co_return;
    const service::TaskUsage usage{
        .execution_id = task.id,
        .fence = task.fence,
        .dimensions = {{Limits::kDimension, amount}, {name, 1}},
        .dedup_key = *model::DedupId::parse(name, "dedup_key"),
        .mode = is_spent ? engine::SpendMode::Spent : engine::SpendMode::Check};
    for (int tries = 0; tries < 3; ++tries) {
        // Whoever has to send again may be late with it.
        if (tries > 0 && !world_.is_calm() && world_.chances().coin())
            co_await world_.pause(world_.chances().up_to(2 * world_.crowd().lease_ttl));
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(1);
        const Timestamp begun = world_.ledger().now();
        auto reporting = server->services().work.report_usage(usage);
        const Result<std::vector<service::BudgetVerdict>> verdicts = co_await std::move(reporting);
        if (forgets()) continue;
        learn(task, "usage " + name, verdicts, begun, tries > 0);
        if (!verdicts.has_value() && seen_of(verdicts) == Seen::Refused && tries > 0 &&
            limits.is_counted(name))
            world_.ledger().broke("a call sent again gets its first answer", task.id,
                                  name + " was counted, and refused when it was sent again");
        if (verdicts.has_value()) limits.report(name).told = told_of(*verdicts, tries == 0);
        if (verdicts.has_value() || seen_of(verdicts) == Seen::Refused) co_return;
    }
}

KnownReport::Told Worker::told_of(const std::vector<service::BudgetVerdict>& verdicts, bool first) {
    using Kind = engine::UsageVerdict::Kind;
    for (const service::BudgetVerdict& one : verdicts) {
        if (!one.verdict.has_value()) return KnownReport::Told::Nothing;
        if (one.verdict->kind == Kind::HardBreach) return KnownReport::Told::Breached;
    }
    return first ? KnownReport::Told::CountedAtOnce : KnownReport::Told::Counted;
}

}  // namespace ff::simulation
