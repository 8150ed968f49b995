#include "service/condition_view.h"

#include <algorithm>
#include <utility>

#include "base/json.h"
#include "base/numbers.h"
#include "model/error_catalogue.h"

namespace ff::service {
namespace {

/// Deeper than any condition that the functions accept.
constexpr int kDepthMost = 16;
constexpr std::string_view kNodeMark = "node:";
constexpr std::string_view kSourceMark = "#src:";

std::int64_t number_of(const RecordFields& fields, std::string_view name) {
    return parse_i64(field_of(fields, name)).value_or(0);
}

std::string text_of(const json::Value& node, std::string_view name) {
    const auto member = node.find(name);
    return std::string(member ? member->as_string().value_or("") : "");
}

/// `%25` and `%3A` of the type in a source's token.
std::string unescaped(std::string_view text) {
    std::string plain;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const std::string_view code = text.substr(i, 3);
        if (code == "%25" || code == "%3A") {
            plain += code == "%25" ? '%' : ':';
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

class TreeWalk {
  public:
    TreeWalk(const ConditionRecords& records, std::vector<ConditionNode>& nodes)
        : records_(records), nodes_(nodes) {}

    void visit(const json::Value& node, const std::string& path, int depth) {
        ConditionNode view{.path = path, .kind = text_of(node, "kind")};
        view.satisfied = holds(std::string(kNodeMark) + path);
        const std::size_t place = nodes_.size();
        nodes_.push_back(std::move(view));
        const auto members = node.find("members");
        for (std::size_t i = 0; members && i < members->size() && depth < kDepthMost; ++i) {
            const std::string step = "members[" + std::to_string(i) + "]";
            visit(members->element(i), path.empty() ? step : path + "." + step, depth + 1);
        }
        count(node, nodes_[place], members ? members->size() : 0);
    }

  private:
    bool holds(const std::string& token) const {
        return std::ranges::find(records_.satisfied, token) != records_.satisfied.end();
    }
    void count(const json::Value& node, ConditionNode& view, std::size_t members) const {
        if (view.kind == "Single") {
            view.remaining = view.satisfied ? 0 : 1;
        } else if (view.kind == "AllOf") {
            view.remaining = static_cast<std::int64_t>(members) - satisfied_below(view.path);
        } else if (view.kind == "Count") {
            const auto wanted = node.find("n");
            const std::int64_t n = wanted ? wanted->as_integer().value_or(0) : 0;
            const std::int64_t had = number_of(records_.suspension, "satisfied_count:" + view.path);
            view.remaining = std::max<std::int64_t>(n - had, 0);
            view.counts_sources = text_of(node, "count_kind") == "DistinctSources";
            if (view.counts_sources) count_sources(view);
        }
    }
    /// Direct members that are satisfied.
    std::int64_t satisfied_below(const std::string& path) const {
        const std::string start = path.empty() ? "members[" : path + ".members[";
        return std::ranges::count_if(nodes_, [&](const ConditionNode& node) {
            return node.satisfied && node.path.starts_with(start) &&
                   node.path.find('.', start.size()) == std::string::npos;
        });
    }
    void count_sources(ConditionNode& view) const {
        const std::string start = view.path + std::string(kSourceMark);
        for (const std::string& token : records_.satisfied) {
            if (!token.starts_with(start)) continue;
            const std::string_view source = std::string_view(token).substr(start.size());
            ++view.sources_by_type[unescaped(source.substr(0, source.find(':')))];
        }
    }

    const ConditionRecords& records_;
    std::vector<ConditionNode>& nodes_;
};

void view_matchers(const ConditionRecords& records, ConditionView& view) {
    // A count has as many as 10,000 of them.
    const std::map<std::string_view, std::string_view> fields(records.condition.begin(),
                                                              records.condition.end());
    const auto field = [&](const std::string& name) {
        const auto found = fields.find(name);
        return std::string(found == fields.end() ? std::string_view() : found->second);
    };
    const std::int64_t total = number_of(records.condition, "total_matchers");
    for (std::int64_t i = 0; i < total; ++i) {
        const std::string start = "matcher:" + std::to_string(i) + ":";
        view.matchers.push_back({.name = field(start + "name"),
                                 .satisfied = field(start + "satisfied") == "1",
                                 .signal_id = field(start + "signal_id")});
    }
    if (total == 0) return;
    const std::int64_t needed =
        view.match_mode == "all" ? total : number_of(records.condition, "minimum_signal_count");
    view.remaining =
        std::max<std::int64_t>(needed - number_of(records.condition, "satisfied_count"), 0);
}

}  // namespace

Result<ConditionView> view_condition(const ConditionRecords& records) {
    const RecordFields& suspension = records.suspension;
    ConditionView view{.suspension_id = std::string(field_of(suspension, "suspension_id")),
                       .condition_json = std::string(field_of(suspension, "resume_condition_json")),
                       .condition_type = std::string(field_of(records.condition, "condition_type")),
                       .match_mode = std::string(field_of(records.condition, "match_mode"))};
    if (field_of(records.condition, "composite") != "1") {
        view_matchers(records, view);
        return view;
    }
    const auto document = json::Document::parse(view.condition_json);
    const auto tree = document.has_value() ? document->root().find("tree") : std::nullopt;
    if (!tree) return model::make_error("corruption", {"resume_condition_json"});
    TreeWalk(records, view.nodes).visit(*tree, "", 0);
    view.remaining = view.nodes.front().remaining;
    return view;
}

}  // namespace ff::service
