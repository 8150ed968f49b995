// Work that fails twice and succeeds the third time, and work that is cancelled before it begins.

#include <atomic>
#include <cstdio>

#include "fabric.h"

int main() {
    const Fabric fabric;
    std::atomic<int> calls = 0;

    flowfabric::Runtime runtime(fabric.worker("retry"));
    runtime.on("flaky", [&](flowfabric::Context& context) {
        ++calls;
        std::printf("attempt %d\n", static_cast<int>(context.info().attempt_index));
        // Throwing, or returning failed(), is a failure; the execution's policy decides about
        // another attempt.
        if (calls < 3) throw std::runtime_error("the network is down");
        return flowfabric::completed("it worked");
    });
    runtime.start();

    const std::string id = fabric.submit(
        "retry", "flaky", "",
        R"({"retry_policy":{"max_retries":5,"backoff":{"type":"fixed","delay_ms":20}}})");
    std::printf("flaky: %s\n", fabric.ending(id).c_str());
    std::printf("result: %s\n", fabric->get_result(id).value().c_str());

    // Nobody works in this lane, so that it is still waiting when it is cancelled.
    const std::string unwanted = fabric.submit("nobody", "flaky", "");
    std::printf("cancel: %s\n", fabric->cancel_execution(unwanted, "not needed").value().c_str());
    runtime.stop();
}
