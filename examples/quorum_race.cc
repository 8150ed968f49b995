// Five providers are asked the same; the first two answers are enough. The join starts as soon as
// they are there, and the other three are cancelled.

#include <atomic>
#include <cstdio>
#include <map>
#include <thread>

#include "fabric.h"

using flowfabric::Json;

int main() {
    const Fabric fabric;
    std::atomic<int> answers = 0;
    flowfabric::Runtime runtime(fabric.worker("race"));
    runtime.max_concurrent(6)
        .on("ask",
            [&](flowfabric::Context& context) {
                if (++answers <= 2) return flowfabric::completed("an answer");
                // The slow ones: they learn by their stop token that nobody waits any more.
                std::stop_token stop = context.stop_token();
                for (int i = 0; i < 2000 && !stop.stop_requested(); ++i)
                    std::this_thread::sleep_for(flowfabric::Millis(10));
                return flowfabric::failed("too late");
            })
        .on("decide", [](flowfabric::Context&) { return flowfabric::completed("two agree"); });
    runtime.start();

    Json nodes = Json::array();
    Json all = Json::array();
    for (int i = 1; i <= 5; ++i) {
        const std::string name = "provider-" + std::to_string(i);
        nodes.push(Json::object({{"name", name}, {"execution_kind", "ask"}, {"payload", name}}));
        all.push(name);
    }
    nodes.push(Json::object(
        {{"name", "decide"},
         {"execution_kind", "decide"},
         {"depends_on", all},
         {"join",
          Json::object({{"mode", "quorum"}, {"k", 2}, {"on_satisfied", "cancel_remaining"}})}}));
    const auto flow =
        fabric
            ->submit_flow(Json::object({{"flow_kind", "race"},
                                        {"namespace", "default"},
                                        {"defaults", Json::object({{"lane_id", "race"}})},
                                        {"nodes", nodes}}))
            .value();
    std::printf("decide: %s\n", fabric.ending(flow.nodes.at("decide")).c_str());
    std::map<std::string, int> endings;
    for (int i = 1; i <= 5; ++i)
        ++endings[fabric.ending(flow.nodes.at("provider-" + std::to_string(i)))];
    std::printf("completed: %d, cancelled: %d\n", endings["completed"], endings["cancelled"]);
    runtime.stop(flowfabric::Millis(2000));
}
