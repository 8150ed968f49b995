// A program with an engine inside, for tests that kill it: creates executions in a folder, leaves
// one of three alone, completes one, lets one suspend, signals it and completes it then; and tells
// what was acknowledged, line by line, until it dies.

#include <cstdio>
#include <string_view>

#include "flowfabric/flowfabric.h"

namespace {

using flowfabric::Fsync;
using flowfabric::Millis;

void tell(const char* verb, const std::string& id) {
    std::printf("%s %s\n", verb, id.c_str());
    std::fflush(stdout);
}

flowfabric::Task claim(flowfabric::Worker& worker) {
    return std::move(worker.claim_tasks(1, Millis(5000)).value().at(0));
}

/// One piece of work on each of its ways.
void work(const flowfabric::AdminClient& client, flowfabric::Worker& worker) {
    tell("created", client.create_execution({.kind = "left", .lane = "left"}).value().execution_id);

    const std::string plain = client.create_execution({.kind = "plain"}).value().execution_id;
    tell("created", plain);
    claim(worker).complete("done").value();
    tell("completed", plain);

    const std::string waits = client.create_execution({.kind = "waits"}).value().execution_id;
    tell("created", waits);
    const auto suspended = claim(worker).suspend({.signals = {"go"}}).value();
    tell("suspended", waits);
    client
        .deliver_signal(waits, {.waitpoint_id = suspended.waitpoint.waitpoint_id,
                                .waitpoint_token = suspended.waitpoint.token,
                                .name = "go"})
        .value();
    tell("signalled", waits);
    claim(worker).complete("done").value();
    tell("completed", waits);
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) return 2;
    const std::string_view mode = argv[2];
    const auto engine = flowfabric::Engine::open({.data_dir = argv[1],
                                                  .fsync = mode == "always"     ? Fsync::Always
                                                           : mode == "interval" ? Fsync::Interval
                                                                                : Fsync::Off,
                                                  .fsync_interval = Millis(50),
                                                  .settings = {{"FF_SHARDS", "1"}}})
                            .value();
    flowfabric::Worker worker =
        flowfabric::Worker::connect(
            {.engine = engine, .worker_id = "w", .worker_instance_id = "i", .lanes = {"default"}})
            .value();
    while (true) work(engine->client(), worker);
}
