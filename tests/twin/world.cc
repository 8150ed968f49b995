#include "twin/world.h"

#include "model/uuid.h"

namespace ff::twin {
namespace {

constexpr std::size_t kTasksMax = 120;

Stage stage_of(const List& core) {
    const std::string& phase = core[0];
    const std::string& eligibility = core[2];
    const std::string& public_state = core[3];
    if (phase.empty()) return Stage::Absent;
    if (phase == "terminal") return Stage::Ended;
    if (phase == "suspended") return Stage::Suspended;
    if (phase == "active") return core[1] == "leased" ? Stage::Leased : Stage::Lost;
    if (public_state == "delayed") return Stage::Delayed;
    if (public_state == "waiting_children") return Stage::WaitingChildren;
    if (eligibility != "eligible_now") return Stage::Blocked;
    return core[4] == "attempt_interrupted" ? Stage::Interrupted : Stage::Eligible;
}

}  // namespace

std::string World::uuid() {
    return model::Uuid::mint_v4(random_).to_string();
}

std::string World::bytes(std::size_t most) {
    std::string out(below(most + 1), '\0');
    for (char& byte : out) byte = static_cast<char>(below(256));
    return out;
}

std::string World::policy(const Partition& partition) {
    switch (below(24)) {
        case 0:
            return R"({"retry_policy":{"max_retries":2}})";
        case 1:
            return R"({"retry_policy":{"max_retries":5,"backoff":{"type":"exponential",)"
                   R"("initial_delay_ms":5,"max_delay_ms":900,"multiplier":2}},"retention_ms":50})";
        case 2:
            return R"({"fallback_policy":{"tiers":[{"model":"a"},)"
                   R"({"model":"b","provider":"p","timeout_ms":70000}]},"priority":4})";
        case 3:
            return R"({"routing_requirements":{"required_capabilities":["gpu","cpu"]}})";
        case 4:
            return R"({"timeout_policy":{"attempt_timeout_ms":300,"execution_deadline_ms":4000,)"
                   R"("max_reclaim_count":2}})";
        case 5:
            return R"({"max_replay_count":1,"max_signals_per_execution":3})";
        case 6:
            return R"({"stream_policy":{"retention_maxlen":4,"retention_ttl_ms":5000}})";
        case 7:
            if (partition.budgets.empty()) return "";
            return R"({"budget_ids":[")" + pick(partition.budgets) + "\"]}";
        case 8:
            if (partition.quotas.empty()) return "";
            return R"({"quota_policy_id":")" + pick(partition.quotas) + "\"}";
        default:
            return "";
    }
}

std::string World::tags() {
    switch (below(8)) {
        case 0:
            return R"({"a.b":"c"})";
        case 1:
            return R"({"one":"1","two":"2","three":"3","four":"4"})";
        case 2:
            return R"({"tenant":"t)" + number(5) + "\"}";
        default:
            return "";
    }
}

contract::CreateArgs World::creation(const Partition& partition) {
    contract::CreateArgs args{.ns = ns(),
                              .lane = lane(),
                              .kind = "kind" + number(3),
                              .priority = one_in(3) ? number(20) : "",
                              .policy = policy(partition),
                              .payload = bytes(one_in(30) ? 5000 : 40),
                              .tags = tags()};
    if (one_in(12)) args.delay_until = "+" + number(2000);
    if (one_in(12)) args.deadline = "+" + number(9000);
    if (one_in(12)) args.encoding = "raw";
    if (one_in(25)) args.hold = "dependencies";
    if (one_in(12)) {
        args.idempotency_key = "key" + number(50);
        args.dedup_ttl_ms = number(9000);
    }
    return args;
}

contract::ClaimArgs World::claim() {
    return {.worker = worker(),
            .lane = lane(),
            .ttl_ms = pick({"30000", "30000", "500", "60000"}),
            .renew_before_ms = one_in(6) ? "100" : "",
            .attempt_policy = one_in(8) ? R"({"model":"m","options":{"b":1,"a":[2,3]}})" : "",
            .timeout_ms = one_in(6) ? "700" : "",
            .deadline = one_in(10) ? "+5000" : "",
            .lease_id = uuid(),
            .attempt_id = uuid(),
            .default_max_reclaims = one_in(5) ? "2" : ""};
}

Task& World::new_task(Partition& partition) {
    if (partition.tasks.size() < kTasksMax) {
        partition.tasks.push_back({.execution = {host_, partition.tag, uuid()}});
        return partition.tasks.back();
    }
    // Whoever knows too many forgets one.
    Task& task = partition.tasks[below(partition.tasks.size())];
    task = Task{.execution = {host_, partition.tag, uuid()}};
    return task;
}

Task& World::task(Partition& partition) {
    if (partition.tasks.empty() || one_in(12)) return new_task(partition);
    return partition.tasks[below(partition.tasks.size())];
}

Task* World::find(Partition& partition, const std::string& execution_id) {
    for (Task& task : partition.tasks) {
        if (task.execution.id() == execution_id) return &task;
    }
    return nullptr;
}

void World::look(Task& task) {
    contract::Execution& e = task.execution;
    const List core = contract::flat(
        host_.peek({"HMGET", e.key("core"), "lifecycle_phase", "ownership_state",
                    "eligibility_state", "public_state", "attempt_state", "current_attempt_index",
                    "current_lease_id", "current_lease_epoch", "current_attempt_id", "flow_id"}));
    task.stage = stage_of(core);
    task.attempt = core[5].empty() ? 0 : std::stoi(core[5]);
    if (one_in(12)) return;  // Still thinks that it has its old lease.
    e.lease_id = core[6];
    e.epoch = core[7];
    e.attempt_id = core[8];
    task.flow_id = core[9];
}

std::string budget_key(const Partition& partition, const std::string& id, std::string_view suffix) {
    return "ff:budget:" + partition.tag + ":" + id + std::string(suffix);
}

std::string index_key(const Partition& partition, std::string_view name) {
    return "ff:idx:" + partition.tag + ":" + std::string(name);
}

std::string lane_key(const Partition& partition, std::string_view lane, std::string_view name) {
    return "ff:idx:" + partition.tag + ":lane:" + std::string(lane) + ":" + std::string(name);
}

std::string noop_key(const Partition& partition) {
    return "ff:noop:" + partition.tag;
}

}  // namespace ff::twin
