#include "cli/demo_flow.h"

namespace ff::cli {

using flowfabric::Json;

namespace {

Json node(const std::string& name, const std::string& kind, const Json& after) {
    Json made = Json::object({{"name", name},
                              {"execution_kind", kind},
                              {"payload", Json::object({{"node", name}}).dump()}});
    if (!after.items().empty()) made.set("depends_on", after);
    return made;
}

}  // namespace

Json demo_graph(const std::string& budget_id) {
    Json nodes = Json::array({node("plan", "plan", Json::array())});
    Json researches = Json::array();
    for (int i = 1; i <= kDemoResearches; ++i) {
        const std::string name = "research-" + std::to_string(i);
        Json one = node(name, "research", Json::texts({"plan"}));
        one.set("policy", Json::object({{"budget_ids", Json::texts({budget_id})}}));
        nodes.push(std::move(one));
        researches.push(name);
    }
    nodes.push(node("draft", "draft", researches));
    nodes.push(node("publish", "publish", Json::texts({"draft"})));
    return Json::object({{"flow_kind", "demo"},
                         {"namespace", "default"},
                         {"defaults", Json::object({{"lane_id", std::string(kDemoLane)}})},
                         {"nodes", std::move(nodes)}});
}

}  // namespace ff::cli
