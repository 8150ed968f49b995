#include "simulation/worker.h"

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

constexpr int kTriesMost = 4;

Result<engine::FailExecution::Outcome> outcome_of(Result<service::FailedTask> failed) {
    if (!failed) return failed.error();
    return std::move(failed->outcome);
}

}  // namespace

asio::awaitable<void> worker(World& world, std::string name) {
    Worker worker(world, std::move(name));
    co_await worker.run();
}

Worker::Worker(World& world, std::string name)
    : world_(world),
      name_(std::move(name)),
      id_(*model::WorkerId::parse("worker")),
      instance_(*model::WorkerInstanceId::parse(name_)) {}

asio::awaitable<std::shared_ptr<Server>> Worker::any_server() {
    std::shared_ptr<Server> server = world_.server();
    if (!server) {
        co_await world_.pause(Millis(100));
        server = world_.server();
    }
    co_return server;
}

service::WorkRequest Worker::request(Millis wait) {
    Chances& chances = world_.chances();
    std::vector<model::LaneId> lanes = lanes_of(world_.plan());
    if (lanes.size() > 1 && chances.coin()) std::swap(lanes.front(), lanes.back());
    if (lanes.size() > 1 && chances.coin()) lanes.pop_back();
    sched::ClaimRequest claim{.worker_id = id_, .worker_instance_id = instance_, .lanes = lanes};
    claim.tasks_max = chances.between(1, world_.crowd().claim_most);
    claim.wait = wait;
    claim.lease_ttl = world_.crowd().lease_ttl;
    claim.claim_id = name_ + "-" + std::to_string(++claims_);
    return {.claim = std::move(claim)};
}

std::vector<Worker::Task> Worker::take(const std::vector<service::ClaimedWork>& works,
                                       Timestamp begun) {
    std::vector<Task> tasks;
    for (const service::ClaimedWork& work : works) {
        const engine::ClaimedTask& task = work.task.task;
        world_.note(name_, "claimed", task.execution_id.to_string(),
                    task.attempt_type + " epoch " + task.fence.lease_epoch.to_string());
        using State = engine::ClaimedTask::PayloadState;
        world_.ledger().taken({.id = task.execution_id,
                               .fence = task.fence,
                               .begun = begun,
                               .expires = task.lease_expires_at,
                               .payload = task.payload,
                               .has_payload = task.payload_state == State::Inline,
                               .resumed = task.attempt_type == "resumed",
                               .reclaimed = task.attempt_type == "reclaim"});
        world_.limits().claimed(task.execution_id);
        world_.recorded().handed_out(task, begun);
        // Whoever called it may end, and it with its caller.
        if (task.execution_kind != "work")
            world_.ledger().subject(task.execution_id).ends_by_itself = true;
        tasks.push_back({.id = task.execution_id,
                         .lane = work.task.lane,
                         .fence = task.fence,
                         .attempt = task.attempt_index,
                         .kind = task.execution_kind,
                         .result = name_ + "#" + std::to_string(++drawn_) +
                                   world_.chances().bytes(world_.crowd().payload_most)});
    }
    return tasks;
}

void Worker::remember(const std::vector<service::ClaimedWork>& works, Call::Moment begun) {
    for (const service::ClaimedWork& work : works) {
        const engine::ClaimedTask& task = work.task.task;
        world_.calls().add_claim(task.execution_id, task.fence.lease_epoch.value, begun);
    }
}

void Worker::compare(const std::string& claim_id, const std::vector<service::ClaimedWork>& works,
                     Timestamp begun) {
    std::vector<model::ExecutionId> ids;
    for (const service::ClaimedWork& work : works) ids.push_back(work.task.task.execution_id);
    // What a claim took is remembered for as long as its leases last.
    const bool remembered = world_.ledger().now() - unseen_since_ < world_.crowd().lease_ttl;
    if (!unseen_.empty() && remembered) world_.ledger().repeated_claim(claim_id, unseen_, ids);
    unseen_ = std::move(ids);
    unseen_since_ = begun;
}

asio::awaitable<std::vector<Worker::Task>> Worker::claim() {
    service::WorkRequest wanted = request(world_.chances().up_to(Millis(2'000)));
    unseen_.clear();
    const Call::Moment first = SteadyClock::now();
    for (int tries = 0; tries < kTriesMost; ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(1);
        const Timestamp begun = world_.ledger().now();
        auto claiming = server->services().work.claim(wanted);
        const Result<std::vector<service::ClaimedWork>> works = co_await std::move(claiming);
        world_.note(name_, "claim", wanted.claim.claim_id,
                    works.has_value() ? std::to_string(works->size()) : outcome_of(works));
        if (works.has_value()) remember(*works, first);
        if (works.has_value()) compare(wanted.claim.claim_id, *works, begun);
        if (works.has_value() && !forgets()) {
            world_.history().count(works->size());
            co_return take(*works, begun);
        }
        if (!works.has_value() && seen_of(works) == Seen::Refused) break;
    }
    co_return std::vector<Task>();
}

asio::awaitable<void> Worker::run() {
    while (!world_.is_over()) {
        std::vector<Task> tasks = co_await claim();
        const CrowdPlan& crowd = world_.crowd();
        if (tasks.size() > 1 && world_.chances().happens(crowd.completes_in_batches)) {
            co_await complete_together(std::move(tasks));
            continue;
        }
        for (Task& task : tasks) {
            if (world_.is_over()) break;
            co_await handle(task);
        }
        co_await world_.pause(world_.chances().up_to(world_.crowd().think) + Millis(1));
    }
}

asio::awaitable<void> Worker::handle(Task& task) {
    Chances& chances = world_.chances();
    const CrowdPlan& crowd = world_.crowd();
    if (chances.happens(crowd.vanishes)) co_return;
    co_await world_.pause(chances.up_to(crowd.think));
    if (chances.happens(crowd.renews)) co_await renew(task);
    if (chances.happens(crowd.streams)) co_await append(task);
    if (chances.happens(crowd.steps)) co_await record_steps(task);
    if (chances.happens(crowd.oversleeps))
        co_await world_.pause(crowd.lease_ttl + chances.up_to(crowd.lease_ttl));
    if (chances.happens(crowd.spends)) co_await report_progress(task);
    if (chances.happens(crowd.spends)) co_await report_usage(task);
    if (chances.happens(crowd.streams)) co_await append(task);
    if (chances.happens(crowd.renews)) co_await renew(task);
    co_await finish(task);
}

asio::awaitable<void> Worker::finish(Task& task) {
    Chances& chances = world_.chances();
    const CrowdPlan& crowd = world_.crowd();
    world_.ledger().ending(task.id, task.fence);
    if (chances.happens(crowd.steps)) task.steps = draw_steps(task);
    if (task.kind != RecordedWork::kLeaf && chances.happens(crowd.calls)) {
        const bool given_up = co_await call_children(task);
        if (given_up) co_return;
    }
    if (chances.happens(crowd.suspends)) {
        co_await suspend(task);
    } else if (chances.happens(crowd.fails)) {
        co_await fail(task);
    } else if (chances.happens(crowd.gives_back)) {
        co_await give_back(task);
    } else {
        co_await complete(task);
    }
}

asio::awaitable<void> Worker::renew(Task& task) {
    const std::shared_ptr<Server> server = co_await any_server();
    if (!server) co_return;
    world_.history().count(1);
    const Millis ttl = world_.crowd().lease_ttl;
    engine::RenewLease renewal{.execution_id = task.id,
                               .attempt_index = task.attempt,
                               .fence = task.fence,
                               .lease_ttl = ttl};
    const Timestamp begun = world_.ledger().now();
    Asked call = asked(task, Act::Renew);
    auto renewing = server->services().work.renew(renewal);
    const Result<Timestamp> until = co_await std::move(renewing);
    call.told(until, false);
    const bool lost = forgets();
    world_.note(name_, "renew", task.id.to_string(), lost ? "lost" : outcome_of(until));
    if (until.has_value() && !lost)
        world_.ledger().renewed(task.id, task.fence, begun, *until);
    else if (lost || seen_of(until) == Seen::Unknown || seen_of(until) == Seen::NotApplied)
        world_.ledger().may_be_renewed(task.id, task.fence, ttl);
    else if (says_fenced(until.error()))
        world_.ledger().fenced(task.id, task.fence, "renew");
}

asio::awaitable<void> Worker::report_progress(Task& task) {
    const std::shared_ptr<Server> server = co_await any_server();
    if (!server) co_return;
    world_.history().count(1);
    engine::UpdateProgress report{
        .execution_id = task.id,
        .fence = task.fence,
        .progress_pct = static_cast<std::int64_t>(world_.chances().below(101)),
        .message = "on it"};
    const Timestamp begun = world_.ledger().now();
    auto reporting = server->services().work.progress(std::move(report));
    const Result<Done> done = co_await std::move(reporting);
    learn(task, "progress", done, begun, false);
}

engine::CompleteExecution Worker::completion(const Task& task) const {
    return {.execution_id = task.id,
            .fence = task.fence,
            .result = task.result,
            .steps = task.steps,
            .lane = task.lane};
}

void Worker::completed(const Task& task, const Result<engine::CompleteExecution::Outcome>& outcome,
                       Timestamp begun) {
    const bool replayed = outcome.has_value() && outcome->replayed;
    learn(task, "complete", outcome, begun, replayed);
    if (!outcome.has_value()) {
        if (seen_of(outcome) == Seen::Refused)
            world_.ledger().subject(task.id).refused.insert(task.result);
        return;
    }
    world_.recorded().brought(task.id, task.steps);
    world_.ledger().ended(task.id, {.state = model::PublicState::Completed,
                                    .fence = task.fence,
                                    .begun = begun,
                                    .result = task.result});
}

asio::awaitable<void> Worker::complete(Task& task) {
    world_.ledger().subject(task.id).may_have_succeeded = true;
    for (int tries = 0; tries < kTriesMost; ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(1);
        const Timestamp begun = world_.ledger().now();
        Asked call = asked(task, Act::Complete);
        auto completing = server->services().work.complete(completion(task));
        const Result<engine::CompleteExecution::Outcome> outcome = co_await std::move(completing);
        call.told(outcome, outcome.has_value() && outcome->replayed);
        if (forgets()) continue;
        completed(task, outcome, begun);
        const Seen seen = seen_of(outcome);
        if (seen == Seen::Done || seen == Seen::Refused) co_return;
    }
}

asio::awaitable<void> Worker::complete_together(std::vector<Task> tasks) {
    co_await world_.pause(world_.chances().up_to(world_.crowd().think));
    service::WorkRequest wanted = request(Millis(0));
    const Call::Moment first = SteadyClock::now();
    std::vector<Task> more;
    for (const Task& task : tasks) {
        world_.ledger().ending(task.id, task.fence);
        world_.ledger().subject(task.id).may_have_succeeded = true;
    }
    for (int tries = 0; tries < kTriesMost && !tasks.empty(); ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        std::vector<engine::CompleteExecution> completions;
        std::vector<Asked> calls;
        for (const Task& task : tasks) {
            completions.push_back(completion(task));
            calls.push_back(asked(task, Act::Complete));
        }
        world_.history().count(completions.size() + 1);
        const Timestamp begun = world_.ledger().now();
        auto working = server->services().work.complete_and_claim(wanted, std::move(completions));
        const service::CompletedWork done = co_await std::move(working);
        for (std::size_t i = 0; i < tasks.size(); ++i)
            calls[i].told(done.results[i],
                          done.results[i].has_value() && done.results[i]->replayed);
        remember(done.tasks, first);
        if (forgets()) continue;
        std::vector<Task> left;
        for (std::size_t i = 0; i < tasks.size(); ++i) {
            completed(tasks[i], done.results[i], begun);
            const Seen seen = seen_of(done.results[i]);
            if (seen == Seen::Unknown || seen == Seen::NotApplied) left.push_back(tasks[i]);
        }
        tasks = std::move(left);
        for (Task& one : take(done.tasks, begun)) more.push_back(std::move(one));
    }
    for (Task& task : more) co_await handle(task);
}

asio::awaitable<void> Worker::fail(Task& task) {
    engine::FailExecution request{.execution_id = task.id,
                                  .fence = task.fence,
                                  .reason = "bad luck",
                                  .category = "transient",
                                  .retry_by_policy = world_.chances().coin(),
                                  .steps = task.steps,
                                  .lane = task.lane};
    for (int tries = 0; tries < kTriesMost; ++tries) {
        const std::shared_ptr<Server> server = co_await any_server();
        if (!server) continue;
        world_.history().count(1);
        const Timestamp begun = world_.ledger().now();
        Asked call = asked(task, Act::Fail);
        auto failing = server->services().work.fail(request);
        Result<service::FailedTask> failed = co_await std::move(failing);
        const Result<engine::FailExecution::Outcome> outcome = outcome_of(std::move(failed));
        if (outcome.has_value() && outcome->retry_scheduled) call.was(Act::Retry);
        call.told(outcome, outcome.has_value() && outcome->replayed);
        if (forgets()) continue;
        if (!outcome.has_value()) check_repetition(task, outcome.error());
        learn(task, "fail", outcome, begun, outcome.has_value() && outcome->replayed);
        if (outcome.has_value()) world_.recorded().brought(task.id, task.steps);
        if (outcome.has_value() && !outcome->retry_scheduled)
            world_.ledger().ended(
                task.id,
                {.state = model::PublicState::Failed, .fence = task.fence, .begun = begun});
        const Seen seen = seen_of(outcome);
        if (seen == Seen::Done || seen == Seen::Refused) co_return;
    }
}

}  // namespace ff::simulation
