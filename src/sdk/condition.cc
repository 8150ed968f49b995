#include "flowfabric/condition.h"

#include <algorithm>

#include "sdk/public_error.h"

namespace flowfabric {
namespace {

constexpr int kDepthMax = 4;
constexpr std::size_t kDocumentBytesMax = 8192;

Json matcher_json(const SignalMatch& match) {
    Json matcher = match.name.empty() ? Json::object({{"kind", "Wildcard"}})
                                      : Json::object({{"kind", "ByName"}, {"name", match.name}});
    matcher.set_text("source_type", match.source_type)
        .set_text("signal_category", match.category)
        .set_text("correlation_id", match.correlation_id);
    return matcher;
}

Error refused(std::string detail, const std::string& path) {
    return {.code = "invalid_resume_condition",
            .kind = "invalid_resume_condition",
            .detail = {detail, path},
            .message = "the resume condition cannot be: " + detail +
                       (path.empty() ? std::string() : " at " + path)};
}

Result<Done> check_count(const Json& node, const std::string& path) {
    const std::int64_t n = node["n"].integer();
    const std::size_t waitpoints = node["waitpoints"].items().size();
    if (n < 1) return refused("count_n_zero", path);
    if (waitpoints == 0) return refused("count_waitpoints_empty", path);
    if (node["count_kind"].text() == "DistinctWaitpoints" &&
        static_cast<std::size_t>(n) > waitpoints)
        return refused("count_exceeds_waitpoint_set", path);
    return Done{};
}

Result<Done> check_node(const Json& node, const std::string& path, int depth) {
    const std::string& kind = node["kind"].text();
    if (kind != "AllOf" && kind != "Count") return Done{};
    if (depth >= kDepthMax) return refused("condition_depth_exceeded", path);
    if (kind == "Count") return check_count(node, path);
    const Json::Array& members = node["members"].items();
    if (members.empty()) return refused("allof_empty_members", path);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const std::string below =
            (path.empty() ? "" : path + ".") + "members[" + std::to_string(i) + "]";
        FF_SDK_TRY([[maybe_unused]] Done member, check_node(members[i], below, depth + 1));
    }
    return Done{};
}

void collect_keys(const Json& node, std::vector<std::string>& keys) {
    const auto add = [&keys](const std::string& key) {
        if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    };
    if (node.has("waitpoint_key")) add(node["waitpoint_key"].text());
    for (const std::string& key : node["waitpoints"].text_items()) add(key);
    for (const Json& member : node["members"].items()) collect_keys(member, keys);
}

}  // namespace

Condition Condition::single(std::string waitpoint_key, SignalMatch match) {
    return Condition(Json::object({{"kind", "Single"},
                                   {"waitpoint_key", std::move(waitpoint_key)},
                                   {"matcher", matcher_json(match)}}));
}

Condition Condition::all_of(std::vector<Condition> members) {
    Json nodes = Json::array();
    for (Condition& member : members) nodes.push(std::move(member.node_));
    return Condition(Json::object({{"kind", "AllOf"}, {"members", std::move(nodes)}}));
}

Condition Condition::all_of_waitpoints(const std::vector<std::string>& keys) {
    return count(static_cast<std::int64_t>(keys.size())).on(keys);
}

Condition Condition::any_of_waitpoints(std::vector<std::string> keys) {
    return count(1).on(std::move(keys));
}

Condition Condition::count(std::int64_t n) {
    return Condition(
        Json::object({{"kind", "Count"}, {"n", n}, {"count_kind", "DistinctWaitpoints"}}));
}

Condition Condition::never_by_signal() {
    return Condition(Json::object({{"kind", "NeverBySignal"}}));
}

Condition Condition::with_matcher(const SignalMatch& match) && {
    node_.set("matcher", matcher_json(match));
    return std::move(*this);
}

Condition Condition::on(std::vector<std::string> waitpoint_keys) && {
    node_.set("waitpoints", Json::texts(waitpoint_keys));
    return std::move(*this);
}

Condition Condition::counting(const char* kind) && {
    node_.set("count_kind", kind);
    return std::move(*this);
}

Result<Done> Condition::check() const {
    if (json().dump().size() > kDocumentBytesMax) return refused("condition_size_exceeded", "");
    return check_node(node_, "", 0);
}

Json Condition::json() const {
    return Json::object({{"v", 1}, {"composite", true}, {"tree", node_}});
}

std::vector<std::string> Condition::waitpoint_keys() const {
    std::vector<std::string> keys;
    collect_keys(node_, keys);
    return keys;
}

Json ResumePolicy::json() const {
    return Json::object({{"resume_target", "runnable"},
                         {"resume_delay_ms", std::int64_t{delay.count()}},
                         {"consume_matched_signals", consume_matched_signals},
                         {"close_waitpoint_on_resume", true},
                         {"retain_signal_buffer_until_closed", true}});
}

}  // namespace flowfabric
