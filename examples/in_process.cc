// FlowFabric as a library: no server, no socket, and durable all the same. Run it twice with the
// same folder: what was acknowledged the first time is there the second time.

#include <cstdio>

#include <flowfabric/flowfabric.h>

int main(int argc, char** argv) {
    const std::string folder = argc > 1 ? argv[1] : "in-process-data";
    const auto engine = flowfabric::Engine::open({.data_dir = folder}).value();

    const auto created = engine->client()
                             .create_execution({.kind = "greet",
                                                .payload = R"({"name":"world"})",
                                                .idempotency_key = "the first greeting"})
                             .value();
    std::printf("%s\n", created.duplicate ? "found" : "created");

    flowfabric::Runtime runtime(flowfabric::Worker::connect({.engine = engine,
                                                             .worker_id = "greeter",
                                                             .worker_instance_id = "greeter-1",
                                                             .lanes = {"default"}})
                                    .value());
    runtime.on("greet", [](flowfabric::Context& context) {
        return flowfabric::completed("Hello, " + context.json()["name"].text() + "!");
    });
    runtime.start();
    const auto ending =
        engine->client().wait_for_terminal(created.execution_id, flowfabric::Millis(20'000));
    std::printf("%s\n", ending.value().public_state.c_str());
    std::printf("%s\n", engine->client().get_result(created.execution_id).value().c_str());
    runtime.stop();
    engine->shutdown();
}
