// A call to somebody else's system that answers later by itself. The waitpoint is made before the
// call, so an answer that comes before we suspend is kept, and nothing can be missed.

#include <cstdio>

#include "fabric.h"

/// The other side: it answers with the token it was given, here even before we begin to wait.
void call_the_bank(const Fabric& fabric, const std::string& id,
                   const flowfabric::Waitpoint& waitpoint) {
    const auto receipt = fabric->deliver_signal(id, {.waitpoint_id = waitpoint.waitpoint_id,
                                                     .waitpoint_token = waitpoint.token,
                                                     .name = "booked",
                                                     .payload = "transaction 17"});
    std::printf("bank: %s\n", receipt.value().effect.c_str());
}

int main() {
    const Fabric fabric;
    flowfabric::Runtime runtime(fabric.worker("payments"));
    runtime.on("pay", [&](flowfabric::Context& context) {
        flowfabric::Task& task = context.task();
        const auto waitpoint =
            task.create_pending_waitpoint("bank", flowfabric::Millis(60'000)).value();
        call_the_bank(fabric, task.id(), waitpoint);
        const auto waiting = task.try_suspend({.reason = "waiting_for_callback",
                                               .signals = {"booked"},
                                               .use_pending = waitpoint.waitpoint_id});
        if (!waiting) return flowfabric::failed(waiting.error().text());
        std::printf("already answered: %s\n", waiting->already_satisfied ? "yes" : "no");
        return flowfabric::completed("paid");  // not used if the task was suspended
    });
    runtime.start();

    const std::string id = fabric.submit("payments", "pay", R"({"amount":5})");
    std::printf("pay: %s\n", fabric.ending(id).c_str());
    runtime.stop();
}
