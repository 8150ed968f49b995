#include "engine/worker_registry.h"

#include "model/worker_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kRegister = "ff_register_worker";
constexpr std::string_view kHeartbeat = "ff_heartbeat_worker";
constexpr std::string_view kMarkDead = "ff_mark_worker_dead";
constexpr std::string_view kList = "ff_list_workers";

Result<WorkerInfo> read_worker(const store::Reply& item) {
    const ReplyReader worker(kList, item.items());
    FF_TRY(const std::string_view instance, worker.text(1, "instance_id"));
    FF_TRY(const std::string_view worker_id, worker.text(2, "worker_id"));
    FF_TRY(const std::string_view lanes, worker.text(3, "lanes_csv"));
    FF_TRY(const std::string_view capabilities, worker.text(4, "caps_csv"));
    FF_TRY(const std::int64_t ttl, worker.integer(5, "ttl_ms"));
    FF_TRY(const Timestamp registered, worker.time(6, "registered_at_ms"));
    FF_TRY(const Timestamp heartbeat, worker.time(7, "last_heartbeat_ms"));
    return WorkerInfo{.instance_id = std::string(instance),
                      .worker_id = std::string(worker_id),
                      .lanes_csv = std::string(lanes),
                      .capabilities_csv = std::string(capabilities),
                      .ttl = Millis(ttl),
                      .registered_at = registered,
                      .last_heartbeat = heartbeat,
                      .boot_id = std::string(worker.text_or_empty(8))};
}

}  // namespace

void RegisterWorker::write(CallWriter& to) const {
    const model::WorkerRegistryKeys keys(ns);
    to.begin(kRegister, 3);
    to.key("alive", keys.alive(instance_id));
    to.key("caps", keys.caps(instance_id));
    to.key("workers", keys.workers());
    to.arg("instance_id", instance_id.text());
    to.arg("worker_id", worker_id.text());
    to.arg("lanes_csv", lanes_csv);
    to.arg("caps_csv", capabilities_csv);
    to.arg("ttl_ms", ttl);
    to.arg("now_ms", "");
    to.arg("boot_id", boot_id);
    to.arg("on_conflict", takeover ? "takeover" : "reject");
    to.arg("max_tasks", tasks_max);
}

Result<RegisterWorker::Outcome> RegisterWorker::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kRegister, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.registered = result == "registered"};
}

void HeartbeatWorker::write(CallWriter& to) const {
    const model::WorkerRegistryKeys keys(ns);
    to.begin(kHeartbeat, 2);
    to.key("alive", keys.alive(instance_id));
    to.key("caps", keys.caps(instance_id));
    to.arg("now_ms", "");
    to.arg("boot_id", boot_id);
}

Result<HeartbeatWorker::Outcome> HeartbeatWorker::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kHeartbeat, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    if (result == "not_registered") return Outcome{.state = State::NotRegistered};
    if (result == "superseded") return Outcome{.state = State::Superseded};
    if (result != "refreshed") return reader.fault("result");
    FF_TRY(const std::int64_t ttl, reader.integer(4, "ttl_ms"));
    return Outcome{.state = State::Refreshed, .ttl = Millis(ttl)};
}

void MarkWorkerDead::write(CallWriter& to) const {
    const model::WorkerRegistryKeys keys(ns);
    to.begin(kMarkDead, 4);
    to.key("alive", keys.alive(instance_id));
    to.key("caps", keys.caps(instance_id));
    to.key("workers", keys.workers());
    to.key("events", keys.events());
    to.arg("instance_id", instance_id.text());
    to.arg("reason", reason);
    to.arg("now_ms", "");
    to.arg("boot_id", boot_id);
}

Result<bool> MarkWorkerDead::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kMarkDead, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return result == "marked";
}

void ListWorkers::write(CallWriter& to) const {
    const model::WorkerRegistryKeys keys(ns);
    to.begin(kList, 1);
    to.key("workers", keys.workers());
    to.arg("after", after);
    to.arg("limit", limit);
}

Result<ListWorkers::Outcome> ListWorkers::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kList, reply));
    FF_TRY(const std::string_view next, reader.text(3, "next_after"));
    Outcome outcome{.next_after = std::string(next)};
    for (const store::Reply& item : reply.items().subspan(3)) {
        FF_TRY(WorkerInfo worker, read_worker(item));
        worker.ns = ns.text();
        outcome.workers.push_back(std::move(worker));
    }
    return outcome;
}

}  // namespace ff::engine
