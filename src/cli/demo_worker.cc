#include <cstdio>
#include <thread>

#include "cli/commands.h"
#include "cli/demo_flow.h"
#include "cli/try.h"
#include "flowfabric/runtime.h"

namespace ff::cli {

using flowfabric::completed;
using flowfabric::Context;
using flowfabric::failed;
using flowfabric::HandlerResult;
using flowfabric::Millis;

namespace {

/// To the demo that reads our output.
void tell(const std::string& line) {
    std::fputs((line + "\n").c_str(), stdout);
    std::fflush(stdout);
}

std::string begin(Context& context) {
    const std::string node = context.json()["node"].text();
    tell("begun " + node + " " + std::to_string(context.info().attempt_index) + " " +
         context.info().attempt_type);
    return node;
}

/// Speaks slowly, counts every word once, and stops when the budget says so.
HandlerResult research(Context& context) {
    const std::string node = begin(context);
    for (int i = 0; i < kDemoWords; ++i) {
        const std::string word = node + "/" + std::to_string(i);
        // The key is the word's, not the attempt's: a word that is said again costs nothing.
        const auto usage = context.task().spend({{"tokens", 1}}, "", word);
        if (!usage) return failed(usage.error().text());
        for (const auto& one : *usage) {
            if (one.status == "hard_breach") return failed("the budget is spent");
        }
        const auto appended = context.task().append_frame(
            "token", std::string(kDemoText.at(static_cast<std::size_t>(i))) + " ");
        if (!appended) return failed(appended.error().text());
        tell("token " + word);
        std::this_thread::sleep_for(Millis(60));
    }
    tell("done " + node);
    return completed("findings of " + node);
}

HandlerResult draft(Context& context) {
    if (context.info().suspension_id.empty()) {
        begin(context);
        const auto asked =
            context.task().suspend({.reason = "waiting_for_approval", .signals = {"approved"}});
        return asked ? completed() : failed(asked.error().text());
    }
    tell("done draft");
    return completed("a report, approved");
}

HandlerResult plain(Context& context) {
    const std::string node = begin(context);
    tell("done " + node);
    return completed(node);
}

}  // namespace

int run_demo_worker(Session& session, const Arguments& arguments) {
    FF_CLI_TRY(const flowfabric::AdminClient client, session.client());
    FF_CLI_TRY(
        flowfabric::Worker worker,
        flowfabric::Worker::connect(client, {.worker_id = "demo",
                                             .worker_instance_id = arguments.text("instance"),
                                             .lanes = {std::string(kDemoLane)},
                                             .lease_ttl = kDemoLease}));
    flowfabric::Runtime runtime(std::move(worker));
    runtime.max_concurrent(2)
        .on("plan", plain)
        .on("research", research)
        .on("draft", draft)
        .on("publish", plain);
    const auto ended = runtime.run();
    return ended ? kDone : session.fail(ended.error());
}

}  // namespace ff::cli
