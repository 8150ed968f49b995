// A language model's answer, streamed token by token, with a budget that stops it in the middle.

#include <cstdio>

#include "fabric.h"

int main() {
    const Fabric fabric;
    const std::string budget = fabric
                                   ->create_budget({.scope = {"lane", "llm"},
                                                    .hard_limits = {{"tokens", 6}},
                                                    .soft_limits = {{"tokens", 4}},
                                                    .on_hard_limit = "fail"})
                                   .value();

    flowfabric::Runtime runtime(fabric.worker("llm"));
    runtime.on("chat", [](flowfabric::Context& context) {
        const char* words[] = {"Durable", "work", "outlives", "the", "machine",
                               "that",    "runs", "it",       "by",  "design"};
        for (int i = 0; i < 10; ++i) {
            // Counted once, however often this line is repeated for the same token.
            const auto usage =
                context.task().spend({{"tokens", 1}}, "", "token-" + std::to_string(i));
            for (const auto& one : usage.value()) {
                if (one.status == "hard_breach")
                    return context.task().fail("the budget is spent", "budget_exceeded")
                               ? flowfabric::completed()
                               : flowfabric::failed("lost");
            }
            if (!context.task().append_frame("token", words[i])) return flowfabric::failed("lost");
        }
        return flowfabric::completed();
    });
    runtime.start();

    const std::string id =
        fabric.submit("llm", "chat", "Why durable?", R"({"budget_ids":[")" + budget + R"("]})");
    std::printf("state: %s\n", fabric.ending(id).c_str());
    std::string said;
    for (const auto& frame : fabric->read_stream(id, 0).value().frames) said += frame.payload + " ";
    std::printf("said: %s...\n", said.c_str());
    std::printf("why: %s\n", fabric->describe_execution(id).value().failure_reason.c_str());
    runtime.stop();
}
