// A program with an engine inside, for tests that kill it: creates executions in a folder,
// completes every other one, and tells what was acknowledged, line by line, until it dies.

#include <cstdio>

#include "flowfabric/flowfabric.h"

int main(int argc, char** argv) {
    if (argc != 2) return 2;
    const auto engine = flowfabric::Engine::open({.data_dir = argv[1]}).value();
    flowfabric::Worker worker =
        flowfabric::Worker::connect(
            {.engine = engine, .worker_id = "w", .worker_instance_id = "i", .lanes = {"default"}})
            .value();
    for (int i = 0;; ++i) {
        const auto created = engine->client().create_execution({.kind = "work"}).value();
        std::printf("created %s\n", created.execution_id.c_str());
        std::fflush(stdout);
        auto tasks = worker.claim_tasks(1, flowfabric::Millis(5000)).value();
        if (i % 2 == 1 || tasks.empty()) continue;
        const std::string id = tasks.front().id();
        if (tasks.front().complete("done")) std::printf("completed %s\n", id.c_str());
        std::fflush(stdout);
    }
}
