// An order that needs two different members of the board and somebody of the legal department, who
// may answer in any order: one suspension, two waitpoints, one condition.

#include <cstdio>

#include "fabric.h"

using flowfabric::Condition;

namespace {

/// Signals with the token of the only waitpoint of that name.
void say(const Fabric& fabric, const std::string& id, const std::string& place,
         const std::string& who) {
    for (const auto& waitpoint : fabric->list_pending_waitpoints(id).value()) {
        if (waitpoint.waitpoint_key != place) continue;
        fabric
            ->deliver_signal(id, {.waitpoint_id = waitpoint.waitpoint_id,
                                  .waitpoint_token = waitpoint.token,
                                  .name = "approved",
                                  .source_type = "human",
                                  .source_identity = who})
            .value();
    }
}

}  // namespace

int main() {
    const Fabric fabric;
    flowfabric::Runtime runtime(fabric.worker("orders"));
    runtime.on("order", [](flowfabric::Context& context) {
        if (context.info().suspension_id.empty()) {
            const auto asked = context.task().suspend(
                {.reason = "waiting_for_approval",
                 .condition = Condition::all_of(
                     {Condition::count(2).distinct_sources().with_matcher({"approved"}).on("board"),
                      Condition::single("legal", {"approved"})}),
                 .waitpoint_key = "board",
                 .additional_waitpoints = {{.key = "legal"}}});
            return asked ? flowfabric::completed() : flowfabric::failed(asked.error().text());
        }
        std::string names;
        for (const auto& signal : context.task().resume_signals().value())
            names += (names.empty() ? "" : ", ") + signal.source_identity;
        return flowfabric::completed("approved by " + names);
    });
    runtime.start();

    const std::string id = fabric.submit("orders", "order", "a new machine");
    // Wakes with the release of the lease, which is when it waits for people.
    flowfabric::Feed events = fabric->feed({.families = {"lease_history"},
                                            .cursor = "earliest",
                                            .execution_id = id,
                                            .types = {"released"}});
    events.next_event(flowfabric::Millis(20'000)).value();
    say(fabric, id, "board", "ann");
    say(fabric, id, "board", "ann");  // the same person twice counts once
    say(fabric, id, "board", "bob");
    std::printf("two of the board: %s\n", fabric->get_state(id).value().c_str());
    say(fabric, id, "legal", "lea");
    std::printf("and legal: %s\n", fabric.ending(id).c_str());
    std::printf("%s\n", fabric->get_result(id).value().c_str());
    runtime.stop();
}
