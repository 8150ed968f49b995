#include "api/condition_fields.h"

// The members are those of spec 03, sections 4.1, 4.2 and 4.4.

namespace ff::api {
namespace {

/// Deeper ones are refused by the functions (condition_depth_exceeded).
constexpr int kDepthMax = 8;

Result<Done> check_matcher(const Fields& node) {
    if (!node.has("matcher") || !node.value().find("matcher")->is_object()) return Done{};
    FF_TRY(const Fields matcher, node.fields("matcher"));
    return matcher.only({"kind", "name", "source_type", "signal_category", "correlation_id"});
}

Result<Done> check_node(const Fields& node, int depth) {
    FF_CHECK(node.only(
        {"kind", "waitpoint_key", "matcher", "members", "n", "count_kind", "waitpoints", "path"}));
    FF_CHECK(check_matcher(node));
    const auto members = node.value().find("members");
    if (!members || !members->is_array() || depth == 0) return Done{};
    for (std::size_t i = 0; i < members->size(); ++i) {
        const json::Value member = members->element(i);
        if (!member.is_object()) continue;
        const std::string place = node.full_name("members[" + std::to_string(i) + "].");
        FF_CHECK(check_node(Fields(member, place), depth - 1));
    }
    return Done{};
}

Result<Done> check_condition(const Fields& condition) {
    FF_CHECK(condition.only({"condition_type", "required_signal_names", "signal_match_mode",
                             "minimum_signal_count", "timeout_behavior", "allow_operator_override",
                             "required_waitpoint_id", "required_waitpoint_key", "v", "composite",
                             "tree"}));
    const auto tree = condition.value().find("tree");
    if (!tree || !tree->is_object()) return Done{};
    return check_node(Fields(*tree, condition.full_name("tree.")), kDepthMax);
}

}  // namespace

Result<Done> check_condition_members(const Fields& body) {
    FF_TRY(const auto condition, body.fields_if("resume_condition"));
    if (condition) FF_CHECK(check_condition(*condition));
    FF_TRY(const auto policy, body.fields_if("resume_policy"));
    if (!policy) return Done{};
    return policy->only({"resume_target", "resume_delay_ms", "consume_matched_signals",
                         "close_waitpoint_on_resume", "retain_signal_buffer_until_closed"});
}

}  // namespace ff::api
