// Work that stops for a person. The link that goes out is signed: whoever holds it may answer,
// once, and nobody else; meanwhile no worker, thread or connection waits.

#include <cstdio>
#include <thread>

#include "fabric.h"

int main() {
    const Fabric fabric;
    flowfabric::Runtime runtime(fabric.worker("approval"));
    runtime.on("refund", [](flowfabric::Context& context) {
        if (context.info().suspension_id.empty()) {
            const auto asked = context.task().suspend({.reason = "waiting_for_approval",
                                                       .signals = {"decision"},
                                                       .timeout = flowfabric::Millis(60'000)});
            if (!asked) return flowfabric::failed(asked.error().text());
            return flowfabric::completed();  // not used: suspend has ended the task
        }
        // The same attempt goes on, on this worker or another.
        const auto signals = context.task().resume_signals().value();
        return flowfabric::completed("refund " + signals.at(0).payload.value_or("?"));
    });
    runtime.start();

    const std::string id = fabric.submit("approval", "refund", R"({"amount":120})");
    std::vector<flowfabric::Waitpoint> open;
    while (open.empty()) {
        std::this_thread::sleep_for(flowfabric::Millis(10));
        open = fabric->list_pending_waitpoints(id).value();
    }
    // What a mail would hold: a link to your page with execution, waitpoint and token in it.
    std::printf("link: https://example.org/approve?e=...&w=...&t=...\n");

    flowfabric::NewSignal answer{.waitpoint_id = open[0].waitpoint_id,
                                 .waitpoint_token = "forged",
                                 .name = "decision",
                                 .payload = "approved"};
    std::printf("forged token: %s\n", fabric->deliver_signal(id, answer).error().code.c_str());
    answer.waitpoint_token = open[0].token;
    const auto receipt = fabric->deliver_signal(id, answer).value();
    std::printf("real token: %s\n", receipt.effect.c_str());

    std::printf("state: %s\n", fabric.ending(id).c_str());
    std::printf("result: %s\n", fabric->get_result(id).value().c_str());
    runtime.stop();
}
