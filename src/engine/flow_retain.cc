#include "engine/flow_retain.h"

#include "model/exec_keys.h"

namespace ff::engine {
namespace {

constexpr std::string_view kReplay = "ff_replay_subgraph";
constexpr std::string_view kProject = "ff_project_flow_summary";
constexpr std::string_view kPurge = "ff_purge_flow";

}  // namespace

void ReplaySubgraph::write(CallWriter& to) const {
    const model::ExecKeys keys(execution_id);
    to.begin(kReplay, 1);
    to.key("exec_core", keys.core());
    to.arg("execution_id", keys.id());
    to.arg("flow_id", flow.id.to_string());
    to.arg("max_nodes", nodes_max);
    to.flag("keep_steps", keep_steps);
}

Result<std::vector<std::string>> ReplaySubgraph::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kReplay, reply));
    std::vector<std::string> replayed;
    for (std::size_t position = 4; position <= reader.size(); ++position) {
        FF_TRY(const std::string_view id, reader.text(position, "execution_id"));
        replayed.emplace_back(id);
    }
    return replayed;
}

void ProjectFlowSummary::write(CallWriter& to) const {
    const auto keys = flow.keys();
    to.begin(kProject, 1);
    to.key("flow_core", keys.core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("cursor", cursor);
}

Result<ProjectFlowSummary::Outcome> ProjectFlowSummary::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kProject, reply));
    FF_TRY(const std::string_view state, reader.text(3, "state"));
    FF_TRY(const std::string_view next, reader.text(4, "cursor"));
    return Outcome{.state = std::string(state), .cursor = std::string(next)};
}

void PurgeFlow::write(CallWriter& to) const {
    to.begin(kPurge, 1);
    to.key("flow_core", flow.keys().core());
    to.arg("flow_id", flow.id.to_string());
    to.arg("retention_ms", retention);
}

Result<PurgeFlow::Outcome> PurgeFlow::read(const store::Reply& reply) const {
    FF_TRY(const ReplyReader reader, ReplyReader::open(kPurge, reply));
    FF_TRY(const std::string_view result, reader.text(3, "result"));
    return Outcome{.result = std::string(result)};
}

}  // namespace ff::engine
