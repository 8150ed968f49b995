// Fan-out and fan-in: one video is split, its parts are encoded at the same time, and joined when
// all are done. The graph is handed over whole; FlowFabric starts each node when its turn comes and
// carries the results along the edges.

#include <cstdio>

#include "fabric.h"

using flowfabric::completed;
using flowfabric::Context;
using flowfabric::Json;

int main() {
    const Fabric fabric;
    flowfabric::Runtime runtime(fabric.worker("media"));
    runtime.max_concurrent(4)
        .on("split", [](Context& context) { return completed(context.bytes() + ":parts"); })
        .on("encode",
            [](Context& context) {
                const auto parts = context.task().input("video");
                return completed(context.bytes() + " of " + parts.value());
            })
        .on("join", [](Context& context) {
            std::string joined;
            for (const char* part : {"a", "b", "c"})
                joined += "[" + context.task().input(part).value() + "]";
            return completed(joined);
        });
    runtime.start();

    const auto encode = [](const char* name) {
        Json after = Json::object({{"node", "split"}, {"data", "input:video"}});
        return Json::object({{"name", std::string("encode-") + name},
                             {"execution_kind", "encode"},
                             {"payload", name},
                             {"depends_on", Json::array({after})}});
    };
    Json joins = Json::array();
    for (const char* name : {"a", "b", "c"})
        joins.push(Json::object(
            {{"node", std::string("encode-") + name}, {"data", std::string("input:") + name}}));
    const Json graph = Json::object(
        {{"flow_kind", "media"},
         {"namespace", "default"},
         {"defaults", Json::object({{"lane_id", "media"}})},
         {"nodes",
          Json::array(
              {Json::object({{"name", "split"}, {"execution_kind", "split"}, {"payload", "film"}}),
               encode("a"), encode("b"), encode("c"),
               Json::object(
                   {{"name", "join"}, {"execution_kind", "join"}, {"depends_on", joins}})})}});
    const auto flow = fabric->submit_flow(graph).value();
    const std::string last = flow.nodes.at("join");
    std::printf("join: %s\n", fabric.ending(last).c_str());
    std::printf("result: %s\n", fabric->get_result(last).value().c_str());
    runtime.stop();
}
