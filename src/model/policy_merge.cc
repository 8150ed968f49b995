#include "model/policy_merge.h"

#include "base/json.h"
#include "model/execution_policy_check.h"

namespace ff::model {
namespace {

constexpr std::string_view kReclaims = "max_reclaim_count";

/// The number of reclaims has two places, and functions read the outer one first. Without this the
/// outer one from below would win over the inner one from above.
bool says_reclaims_inside(const json::Value& policy) {
    const auto timeouts = policy.find("timeout_policy");
    return timeouts && timeouts->find(kReclaims);
}

void write_merged(json::Writer& out, const json::Value& over, const json::Value& under,
                  std::string_view left_out = {}) {
    out.begin_object();
    for (std::size_t at = 0; over.is_object() && at < over.size(); ++at) {
        const auto [name, value] = over.member(at);
        if (value.is_null()) continue;
        out.key(name);
        const auto below = under.find(name);
        // Functions cannot tell an empty list from an empty object, so it may stand for one.
        if (below && below->is_object() && is_policy_object(value)) {
            write_merged(out, value, *below);
        } else {
            out.raw(value.to_text());
        }
    }
    for (std::size_t at = 0; under.is_object() && at < under.size(); ++at) {
        const auto [name, value] = under.member(at);
        if (value.is_null() || over.find(name) || name == left_out) continue;
        out.key(name).raw(value.to_text());
    }
    out.end_object();
}

Result<json::Document> read_object(std::string_view text) {
    Result<json::Document> document = json::Document::parse(text);
    if (!document) return policy_error("", "malformed");
    if (!document->root().is_object()) return policy_error("", "not_object");
    return document;
}

}  // namespace

Result<std::string> merge_policies(std::string_view over, std::string_view under) {
    if (over.empty() || under.empty()) return std::string(over.empty() ? under : over);
    FF_TRY(const json::Document above, read_object(over));
    FF_TRY(const json::Document below, read_object(under));
    std::string text;
    json::Writer out(text);
    write_merged(out, above.root(), below.root(),
                 says_reclaims_inside(above.root()) ? kReclaims : std::string_view());
    return text;
}

}  // namespace ff::model
