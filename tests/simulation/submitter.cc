#include "simulation/actor.h"

namespace ff::simulation {
namespace asio = boost::asio;
namespace {

constexpr std::string_view kNamespace = "acme";

/// `members` has a comma behind each.
std::string policy_of(std::string members, bool retried,
                      const std::optional<std::uint64_t>& reclaims_max) {
    if (reclaims_max) members += "\"max_reclaim_count\":" + std::to_string(*reclaims_max) + ",";
    if (retried)
        members += R"("retry_policy":{"max_retries":3,"backoff":{"type":"fixed","delay_ms":200}},)";
    if (members.empty()) return "";
    members.pop_back();
    return "{" + members + "}";
}

service::NewExecution draw_execution(World& world) {
    Chances& chances = world.chances();
    const CrowdPlan& crowd = world.crowd();
    const Plan& plan = world.plan();
    const std::string& lane = plan.lanes[chances.below(plan.lanes.size())];
    service::NewExecution made{.ns = *model::Namespace::parse(kNamespace),
                               .lane = *model::LaneId::parse(lane),
                               .execution_kind = "work",
                               .payload = chances.bytes(crowd.payload_most)};
    if (chances.coin()) made.priority = static_cast<std::int64_t>(chances.below(10));
    if (chances.happens(crowd.keyed)) {
        // A key counts within a lane, and whoever uses it again means the same.
        const std::string key = lane + "/" + std::to_string(chances.below(crowd.executions));
        made.idempotency_key = *model::IdempotencyKey::parse(key);
        made.payload = "of " + key;
    } else {
        model::LanePartitioner partitioner;
        made.execution_id =
            model::ExecutionId::solo(made.lane, partitions_of(plan), partitioner, chances.random());
    }
    if (chances.happens(crowd.delayed))
        made.delay_until = model::DueTime::after(chances.up_to(Millis(5'000)));
    // Of a key that was used before the first one's content counts, so nobody knows its deadline.
    if (!made.idempotency_key && chances.happens(crowd.deadline))
        made.execution_deadline =
            model::DueTime::after(Millis(100) + chances.up_to(Millis(20'000)));
    const bool limited =
        !made.idempotency_key && world.limits().any() && chances.happens(crowd.limited);
    const bool retried = chances.happens(crowd.retried);
    std::optional<std::uint64_t> reclaims_max;
    if (!made.idempotency_key && chances.happens(crowd.given_up)) {
        reclaims_max = chances.below(2);
        world.ledger().subject(*made.execution_id).ends_by_itself = true;
    }
    made.policy_json =
        policy_of(limited ? world.limits().policy_members() : "", retried, reclaims_max);
    if (limited) world.limits().govern(*made.execution_id);
    if (chances.coin()) made.tags = {{"team", chances.coin() ? "red" : "blue"}};
    return made;
}

struct Submission {
    World& world;
    std::string name;

    void remember(const service::NewExecution& request, const model::ExecutionId& id) {
        Subject& subject = world.ledger().subject(id);
        subject.ends_by_itself = subject.ends_by_itself || request.execution_deadline.has_value();
        if (std::exchange(subject.known, true)) return;
        subject.lane = request.lane.text();
        subject.payload = std::string(request.payload.view());
    }

    /// A creation whose answer is not known may yet be there: it has its payload from the start.
    void announce(const service::NewExecution& request) {
        if (!request.execution_id) return;
        remember(request, *request.execution_id);
        if (request.delay_until)
            world.ledger().subject(*request.execution_id).not_before =
                request.delay_until->resolve(world.ledger().now());
    }

    Seen learn(const service::NewExecution& request,
               const Result<service::CreatedExecution>& created) {
        world.note(name, "create", request.execution_id ? request.execution_id->to_string() : "",
                   outcome_of(created));
        if (!created.has_value()) return seen_of(created);
        if (request.execution_id && created->execution_id != *request.execution_id)
            world.ledger().broke("every acknowledged creation is found", created->execution_id,
                                 "another execution was asked for");
        if (!created->duplicate && world.process().is_overfull())
            world.ledger().broke("a full store takes no more work", created->execution_id,
                                 "it was created beyond the limit of memory");
        remember(request, created->execution_id);
        world.ledger().created(
            {.id = created->execution_id,
             .duplicate = created->duplicate,
             .ns = std::string(kNamespace),
             .key = request.idempotency_key ? request.idempotency_key->text() : ""});
        return Seen::Done;
    }

    asio::awaitable<void> submit(std::vector<service::NewExecution> requests) {
        for (const service::NewExecution& request : requests) announce(request);
        constexpr int kTriesMost = 6;
        for (int tries = 0; tries < kTriesMost && !requests.empty(); ++tries) {
            const std::shared_ptr<Server> server = world.server();
            if (!server) {
                co_await world.pause(Millis(200));
                continue;
            }
            world.history().count(requests.size());
            const bool alone = requests.size() == 1 && world.chances().coin();
            std::vector<Result<service::CreatedExecution>> results;
            if (alone) {
                auto created = server->services().executions.create(requests.front());
                results.push_back(co_await std::move(created));
            } else {
                auto created = server->services().executions.create_batch(requests);
                results = co_await std::move(created);
            }
            const bool forgets = world.chances().happens(world.crowd().forgets_reply);
            std::vector<service::NewExecution> again;
            for (std::size_t i = 0; i < requests.size(); ++i) {
                if (forgets) {
                    again.push_back(requests[i]);
                    continue;
                }
                const Seen seen = learn(requests[i], results[i]);
                if (seen == Seen::Unknown || seen == Seen::NotApplied) again.push_back(requests[i]);
            }
            requests = std::move(again);
            if (!requests.empty()) co_await world.pause(Millis(50));
        }
    }
};

}  // namespace

asio::awaitable<void> submitter(World& world, std::string name) {
    Submission submission{.world = world, .name = std::move(name)};
    while (!world.is_over() && world.executions_left > 0) {
        const std::uint64_t size = std::min<std::uint64_t>(
            world.chances().between(1, world.crowd().batch_most), world.executions_left);
        world.executions_left -= static_cast<std::uint32_t>(size);
        std::vector<service::NewExecution> requests;
        for (std::uint64_t i = 0; i < size; ++i) requests.push_back(draw_execution(world));
        co_await submission.submit(std::move(requests));
        // So that there is something to do for as long as there are faults.
        const Millis share = world.plan().chaos / world.plan().crowd.executions;
        co_await world.pause(world.chances().up_to(share * static_cast<std::int64_t>(size)));
    }
}

}  // namespace ff::simulation
