#include "model/worker_keys.h"

namespace ff::model {

WorkerRegistryKeys::WorkerRegistryKeys(const Namespace& ns) : tag_(concat({"{", ns.text(), "}"})) {}

std::string WorkerRegistryKeys::of_worker(const WorkerInstanceId& worker,
                                          std::string_view suffix) const {
    return concat({"ff:worker:", tag_, ":{", worker.text(), "}:", suffix});
}

std::string WorkerRegistryKeys::alive(const WorkerInstanceId& worker) const {
    return of_worker(worker, "alive");
}
std::string WorkerRegistryKeys::caps(const WorkerInstanceId& worker) const {
    return of_worker(worker, "caps");
}
std::string WorkerRegistryKeys::events() const {
    return concat({"ff:worker:", tag_, ":events"});
}
std::string WorkerRegistryKeys::workers() const {
    return concat({"ff:idx:", tag_, ":workers"});
}

DirectWorkerKeys::DirectWorkerKeys(const WorkerInstanceId& worker)
    : prefix_(concat({"ff:worker:", worker.text()})) {}

std::string DirectWorkerKeys::alive() const {
    return concat({prefix_, ":alive"});
}
std::string DirectWorkerKeys::caps() const {
    return concat({prefix_, ":caps"});
}

std::string direct_workers_key() {
    return "ff:idx:workers";
}

std::string direct_workers_by_capability_key(std::string_view key, std::string_view value) {
    return concat({"ff:idx:workers:cap:", key, ":", value});
}

}  // namespace ff::model
